use super::{Bench, Q, message, to};
use crate::state::ORPHANS;
use hearken_core::delivery::Settlement::{Acknowledge, Requeue};
use hearken_core::message::{HeaderValue, Headers, Message};
use hearken_core::time::Timestamp;
use hearken_core::transport::BindingKind::Direct;
use hearken_core::transport::Outgoing;
use std::time::Duration;

fn living(body: &str, millis: u64) -> Message {
    message(body).with_time_to_live(Duration::from_millis(millis))
}

fn deaths(message: &Message) -> Vec<Headers> {
    let Some(HeaderValue::List(deaths)) = message.headers().get("x-death") else { panic!("no x-death") };
    let table = |death: &HeaderValue| match death {
        HeaderValue::Table(table) => table.clone(),
        other => panic!("{other:?}"),
    };
    deaths.iter().map(table).collect()
}

#[test]
fn a_ready_message_expires_on_time_wherever_it_stands() {
    let mut bench = Bench::new();
    bench.send("a");
    bench.publish(to(Q, living("b", 10))).unwrap();
    bench.publish(to(Q, living("c", 5))).unwrap();
    bench.send("d");
    for (wait, ready) in [(4, "abcd"), (1, "abd"), (4, "abd"), (1, "ad")] {
        bench.wait(wait);
        assert_eq!(bench.ready(Q).concat(), ready);
    }
    let cost = crate::MESSAGE_OVERHEAD + 1;
    assert_eq!(bench.stats().bytes, 2 * cost);
}

#[test]
fn an_expired_message_goes_to_the_dead_letter_queue_with_its_story() {
    let mut bench = Bench::new();
    bench.state.declare_queue(Q, Some("dead")).unwrap();
    bench.state.declare_exchange("shop", Direct).unwrap();
    bench.state.bind(Q, "shop", "k").unwrap();
    let mut outgoing = super::through("shop", "k");
    outgoing.message = living("a", 10).with_id("1");
    bench.publish(outgoing).unwrap();
    bench.wait(10);
    assert!(bench.ready(Q).is_empty());
    let dead = bench.state.peek("dead").remove(0);
    assert_eq!((dead.id(), dead.properties().time_to_live), (Some("1"), None));
    let mut death = Headers::from_iter([("count", HeaderValue::from(1i64)), ("reason", "expired".into())]);
    death.insert("queue", Q);
    death.insert("time", Timestamp::from_millis(1_000_010));
    death.insert("exchange", "shop");
    death.insert("routing-keys", vec![HeaderValue::from("k")]);
    death.insert("original-expiration", "10");
    assert_eq!(deaths(&dead), [death]);
    for (what, value) in [("reason", "expired"), ("queue", Q), ("exchange", "shop")] {
        assert_eq!(dead.headers().text(&format!("x-first-death-{what}")), Some(value));
    }
}

#[test]
fn a_second_death_counts_up_and_forged_ones_do_no_harm() {
    let mut bench = Bench::new();
    bench.state.declare_queue(Q, Some("dead")).unwrap();
    let mut forged = living("a", 1);
    forged.headers_mut().insert("x-death", "what");
    let mut known = Headers::from_iter([("queue", Q), ("reason", "expired")]);
    known.insert("count", i64::MAX);
    let twice = living("b", 1).with_header("x-death", vec![HeaderValue::Void, known.into()]);
    for message in [forged, twice] {
        bench.publish(to(Q, message)).unwrap();
    }
    bench.wait(1);
    let dead = bench.state.peek("dead");
    assert_eq!(deaths(&dead[0])[0].integer("count"), Some(1));
    let Some(HeaderValue::List(list)) = dead[1].headers().get("x-death") else { panic!("no list") };
    let HeaderValue::Table(newest) = &list[0] else { panic!("no table") };
    assert_eq!((newest.integer("count"), &list[1..]), (Some(i64::MAX), &[HeaderValue::Void][..]));
}

#[test]
fn a_message_in_flight_does_not_expire_until_it_goes_back() {
    let mut bench = Bench::new();
    bench.state.declare_queue(Q, Some("dead")).unwrap();
    for body in ["a", "b"] {
        bench.publish(to(Q, living(body, 10))).unwrap();
    }
    let consumer = bench.consumer(2);
    let (_, tags) = bench.take_all(consumer);
    assert!(!bench.state.timers.overslept(), "no timer is left");
    bench.wait(20);
    assert_eq!(bench.stats().unacknowledged, 2);
    bench.settle(consumer, tags[0], Requeue);
    bench.settle(consumer, tags[1], Acknowledge);
    assert_eq!((bench.ready("dead"), bench.stats()), (vec!["a".to_owned()], super::QueueStats::default()));
}

#[test]
fn a_message_that_goes_back_in_time_keeps_its_expiry() {
    let mut bench = Bench::new();
    bench.publish(to(Q, living("a", 10))).unwrap();
    let consumer = bench.consumer(1);
    let tag = bench.take(consumer).receipt.tag();
    bench.step(|state, now| state.cancel(consumer, now));
    bench.settle(consumer, tag, Requeue);
    bench.wait(9);
    assert_eq!(bench.ready(Q), ["a"]);
    bench.wait(1);
    assert!(bench.ready(Q).is_empty());
    assert!(!bench.state.timers.overslept(), "no timer is left");
}

#[test]
fn a_time_to_live_of_zero_reaches_only_a_consumer_that_waits() {
    let mut bench = Bench::new();
    bench.publish(to(Q, living("a", 0))).unwrap();
    assert!(bench.ready(Q).is_empty());
    let consumer = bench.consumer(1);
    bench.publish(to(Q, living("b", 0))).unwrap();
    assert_eq!(bench.take_all(consumer).0, ["b"]);
}

#[test]
fn an_expired_message_whose_dead_letter_queue_is_gone_is_kept_apart() {
    let mut bench = Bench::new();
    bench.state.declare_queue(Q, Some("dead")).unwrap();
    bench.publish(to(Q, living("a", 10))).unwrap();
    bench.step(|state, now| state.delete_queue("dead", now));
    bench.wait(10);
    assert_eq!(bench.ready(ORPHANS), ["a"]);
}

#[test]
fn a_relayed_message_has_no_time_to_live() {
    let mut bench = Bench::new();
    bench.publish(Outgoing::relayed(Q.into(), living("a", 10))).unwrap();
    bench.wait(20);
    assert_eq!(bench.ready(Q), ["a"]);
}
