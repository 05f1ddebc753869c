use super::{Bench, Q, message, text};
use crate::state::ORPHANS;
use crate::state::payload::Payload;
use crate::state::timers::Timer;
use hearken_core::delivery::Origin;
use hearken_core::delivery::Settlement::Requeue;
use hearken_core::failure::FailureKind;
use hearken_core::history::{FailureRecord, History};
use hearken_core::message::Message;
use hearken_core::time::Timestamp;
use hearken_core::transport::PublishError;
use std::time::Duration;
use tokio::time::Instant;

fn story() -> (History, Origin, Message) {
    let failure = FailureRecord { kind: FailureKind::Error, code: None, text: "no".to_owned() };
    let history = History::failed(None, failure, Timestamp::from_millis(7));
    let origin = Origin { queue: "first".into(), exchange: "shop".into(), routing_key: "k".into() };
    let mut copy = message("a").with_header("mine", 1i64).with_time_to_live(Duration::from_secs(1));
    copy.properties_mut().user_id = Some("guest".to_owned());
    history.write(&origin, copy.headers_mut());
    (history, origin, copy)
}

#[test]
fn a_copy_arrives_when_its_wait_is_over_and_not_before() {
    let mut bench = Bench::new();
    bench.redeliver("a", 100);
    bench.send("b");
    bench.wait(99);
    assert_eq!((bench.ready(Q), bench.stats().delayed), (vec!["b".to_owned()], 1));
    bench.wait(1);
    assert_eq!((bench.ready(Q), bench.stats().delayed), (vec!["b".to_owned(), "a".to_owned()], 0));
    let consumer = bench.consumer(2);
    assert_eq!(bench.take_all(consumer).0, ["b", "a*"]);
}

#[test]
fn copies_arrive_in_the_order_of_their_dues_then_of_their_coming() {
    let mut bench = Bench::new();
    for (body, after) in [("c", 20), ("a", 10), ("d", 20), ("b", 10), ("now", 0)] {
        bench.redeliver(body, after);
    }
    bench.wait(30);
    assert_eq!(bench.ready(Q), ["now", "a", "b", "c", "d"]);
}

#[test]
fn the_history_of_a_copy_is_trusted_and_its_own_headers_do_not_show() {
    let mut bench = Bench::new();
    let (history, origin, copy) = story();
    bench.step(|state, now| state.put_copy(Q, copy, Duration::ZERO, now)).unwrap();
    let consumer = bench.consumer(1);
    for _ in 0..2 {
        let delivery = bench.take(consumer);
        assert_eq!((delivery.history.as_ref(), &delivery.origin), (Some(&history), &origin));
        assert!(delivery.redelivered);
        assert_eq!(delivery.message.headers().len(), 1);
        let properties = delivery.message.properties();
        assert_eq!((properties.time_to_live, properties.user_id.as_deref()), (None, None));
        bench.settle(consumer, delivery.receipt.tag(), Requeue);
    }
}

#[test]
fn the_history_of_any_other_message_is_a_claim_and_stays_a_header() {
    let mut bench = Bench::new();
    let (_, _, forged) = story();
    bench.publish(super::to(Q, forged.clone())).unwrap();
    let consumer = bench.consumer(1);
    let delivery = bench.take(consumer);
    assert_eq!((delivery.history, &*delivery.origin.queue), (None, Q));
    assert_eq!(delivery.message.headers(), forged.headers());
}

#[test]
fn a_copy_for_a_deleted_queue_goes_to_the_orphans() {
    let mut bench = Bench::new();
    let (_, _, copy) = story();
    bench.step(|state, now| state.put_copy(Q, copy, Duration::from_millis(10), now)).unwrap();
    bench.step(|state, now| state.delete_queue(Q, now));
    assert_eq!(bench.state.stats(Q), None);
    bench.wait(10);
    let orphans = bench.state.peek(ORPHANS);
    assert_eq!(orphans[0].headers().text("hearken-queue"), Some("first"));
    assert!(!bench.state.names.contains_key(Q), "nothing is left of the queue");
}

#[test]
fn a_copy_arrives_if_its_queue_is_declared_again_in_time() {
    let mut bench = Bench::new();
    bench.redeliver("a", 10);
    bench.step(|state, now| state.delete_queue(Q, now));
    bench.state.declare_queue(Q, None).unwrap();
    assert_eq!(bench.stats().delayed, 1);
    bench.wait(10);
    assert_eq!(bench.ready(Q), ["a"]);
    assert!(bench.state.stats(ORPHANS).is_none());
}

#[test]
fn a_copy_for_no_queue_is_returned() {
    let mut bench = Bench::new();
    let redeliver = bench.step(|state, now| state.put_copy("none", message("a"), Duration::ZERO, now));
    assert!(matches!(redeliver, Err(PublishError::Returned { routing_key, .. }) if routing_key == "none"));
}

#[test]
fn a_wait_beyond_all_time_waits() {
    let mut bench = Bench::new();
    bench.step(|state, now| state.put_copy(Q, message("a"), Duration::MAX, now)).unwrap();
    bench.wait(20 * 365 * 24 * 3_600_000);
    assert_eq!(bench.stats().delayed, 1);
    let consumer = bench.consumer(1);
    bench.send("b");
    assert_eq!(text(&bench.take(consumer)), "b");
}

#[test]
fn a_pending_delay_costs_at_most_two_hundred_bytes_beyond_its_message() {
    let counts = 2 * size_of::<usize>();
    let payload = size_of::<Payload>() - size_of::<Message>() + counts;
    // A tree of ascending keys is half full at worst; an allocation is rounded up to 16 bytes and has 8 of its own.
    let timer = 2 * size_of::<((Instant, u64), Timer)>();
    assert!(payload + timer + 24 <= 200, "{payload} + {timer}");
}
