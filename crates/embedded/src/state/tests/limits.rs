use super::{Bench, Q, message, through, to};
use crate::MESSAGE_OVERHEAD;
use hearken_core::delivery::Settlement::{Acknowledge, Requeue};
use hearken_core::message::Message;
use hearken_core::transport::BindingKind::Fanout;
use hearken_core::transport::{Outgoing, PublishError};
use std::time::Duration;

#[test]
fn a_publish_to_a_full_queue_waits_until_there_is_room_and_in_order() {
    let mut bench = Bench::with(|settings| settings.max_queue_messages = Some(1));
    bench.send("a");
    let mut waiting = ["b", "c"].map(|body| bench.publish_waiting(to(Q, message(body))));
    let consumer = bench.consumer(1);
    for (body, let_in) in [("a", [true, false]), ("b", [true, true]), ("c", [true, true])] {
        let delivery = bench.take(consumer);
        assert_eq!(super::text(&delivery), body);
        bench.settle(consumer, delivery.receipt.tag(), Acknowledge);
        assert_eq!(
            waiting.each_mut().map(|ticket| !ticket.answer.is_empty() || ticket.answer.is_terminated()),
            let_in
        );
    }
    assert_eq!(bench.stats(), super::QueueStats::default());
}

#[test]
fn a_new_publish_does_not_overtake_those_that_wait() {
    let mut bench = Bench::with(|settings| settings.max_queue_bytes = 3 * MESSAGE_OVERHEAD);
    bench.send("a");
    let big = Message::new(vec![0; 2 * MESSAGE_OVERHEAD]);
    let first = bench.publish_waiting(to(Q, big));
    let mut second = bench.publish_waiting(to(Q, message("small")));
    assert!(second.answer.try_recv().is_err());
    // The one at the head gives up: the next fits.
    let refusal = bench.step(|state, _| state.give_up(first.key)).unwrap().to_string();
    assert!(refusal.contains("queue `q` is full") && refusal.contains("1536"), "{refusal}");
    assert!(matches!(second.answer.try_recv(), Ok(Ok(()))));
    assert!(bench.step(|state, _| state.give_up(second.key)).is_none());
    assert_eq!(bench.ready(Q), ["a", "small"]);
}

#[test]
fn room_for_a_smaller_message_does_not_let_it_overtake_a_larger_one() {
    let mut bench = Bench::with(|settings| settings.max_queue_bytes = 4 * (MESSAGE_OVERHEAD + 1));
    for body in ["a", "b", "c", "d"] {
        bench.send(body);
    }
    let large = bench.publish_waiting(to(Q, Message::new(vec![0; MESSAGE_OVERHEAD + 100])));
    let small = bench.publish_waiting(to(Q, message("s")));
    let consumer = bench.consumer(4);
    let (_, tags) = bench.take_all(consumer);
    let waits = [[true, true], [true, true], [false, true], [false, false]];
    for (tag, waits) in tags.into_iter().zip(waits) {
        bench.settle(consumer, tag, Acknowledge);
        assert_eq!([&large, &small].map(|ticket| ticket.answer.is_empty()), waits);
    }
}

#[test]
fn a_message_for_two_queues_goes_to_both_or_waits_for_both() {
    let mut bench = Bench::with(|settings| settings.max_queue_messages = Some(1));
    bench.state.declare_queue("r", None).unwrap();
    bench.state.declare_exchange("f", Fanout).unwrap();
    for queue in [Q, "r"] {
        bench.state.bind(queue, "f", "").unwrap();
    }
    bench.publish(to("r", message("x"))).unwrap();
    let mut ticket = bench.publish_waiting(through("f", "k"));
    assert!(bench.ready(Q).is_empty());
    bench.send("y");
    let link = bench.link;
    let r = bench
        .step(|state, now| state.consume(link, "r", super::Terms { prefetch: 1, ..Default::default() }, now))
        .unwrap()
        .id;
    let tag = bench.take(r).receipt.tag();
    bench.settle(r, tag, Acknowledge);
    assert!(ticket.answer.try_recv().is_err(), "now it waits for the other queue");
    let q = bench.consumer(1);
    let tag = bench.take(q).receipt.tag();
    bench.settle(q, tag, Acknowledge);
    assert!(matches!(ticket.answer.try_recv(), Ok(Ok(()))));
    assert_eq!((super::text(&bench.take(q)), super::text(&bench.take(r))), ("k".into(), "k".into()));
}

#[test]
fn requeues_redeliveries_and_relayed_messages_pass_the_limit_and_count() {
    let mut bench = Bench::with(|settings| settings.max_queue_messages = Some(1));
    bench.send("a");
    let consumer = bench.consumer(1);
    let tag = bench.take(consumer).receipt.tag();
    bench.redeliver("b", 10);
    let mut relayed = to(Q, message("c"));
    relayed.relayed = true;
    bench.publish(relayed).unwrap();
    bench.settle(consumer, tag, Requeue);
    assert_eq!((bench.stats().ready, bench.stats().unacknowledged, bench.stats().delayed), (1, 1, 1));
    let waiting = bench.publish_waiting(to(Q, message("d")));
    bench.wait(10);
    assert_eq!((bench.stats().ready, bench.stats().delayed), (2, 0));
    drop(waiting);
}

#[test]
fn a_message_too_large_names_both_sizes() {
    let mut bench = Bench::with(|settings| settings.max_message_bytes = 10);
    bench.send("0123456789");
    let error = bench.publish(to(Q, message("0123456789x"))).unwrap_err();
    assert!(
        matches!(&error, PublishError::Invalid { reason } if reason.contains("11 bytes") && reason.contains("10 are"))
    );
    let with_header = message("0").with_header("0123456789", "v");
    assert!(bench.publish(to(Q, with_header.clone())).is_err());
    let relayed = Outgoing::relayed(Q.into(), with_header);
    bench.publish(relayed).unwrap();
}

#[test]
fn a_message_larger_than_a_whole_queue_is_refused_at_once() {
    let mut bench = Bench::with(|settings| settings.max_queue_bytes = MESSAGE_OVERHEAD + 5);
    let error = bench.publish(to(Q, message("123456"))).unwrap_err();
    assert!(
        matches!(&error, PublishError::Refused { reason } if reason.contains("`q`") && reason.contains("517"))
    );
    bench.send("12345");
}

#[test]
fn deleting_a_full_queue_returns_what_waits_for_it() {
    let mut bench = Bench::with(|settings| settings.max_queue_messages = Some(1));
    bench.send("a");
    let mut ticket = bench.publish_waiting(to(Q, message("b")));
    bench.step(|state, now| state.delete_queue(Q, now));
    assert!(matches!(ticket.answer.try_recv(), Ok(Err(PublishError::Returned { .. }))));
}

#[test]
fn an_expiry_makes_room() {
    let mut bench = Bench::with(|settings| settings.max_queue_messages = Some(1));
    bench.publish(to(Q, message("a").with_time_to_live(Duration::from_millis(5)))).unwrap();
    let instant = message("b").with_time_to_live(Duration::ZERO);
    let mut tickets: Vec<_> = (0..20_000).map(|_| bench.publish_waiting(to(Q, instant.clone()))).collect();
    tickets.push(bench.publish_waiting(to(Q, message("c"))));
    bench.wait(5);
    assert!(tickets.iter_mut().all(|ticket| matches!(ticket.answer.try_recv(), Ok(Ok(())))));
    assert_eq!(bench.ready(Q), ["c"]);
}

#[test]
fn publishes_that_wait_on_a_link_fail_as_unknown_when_it_is_cut() {
    let mut bench = Bench::with(|settings| settings.max_queue_messages = Some(1));
    bench.send("a");
    let link = bench.link;
    let attempt = bench.step(|state, now| state.publish(Some(link), to(Q, message("b")), now));
    let super::Attempt::Waiting(mut ticket) = attempt else { panic!("does not wait") };
    let mut own = bench.publish_waiting(to(Q, message("c")));
    bench.step(super::State::cut_links);
    assert!(matches!(ticket.answer.try_recv(), Ok(Err(PublishError::Unknown { .. }))));
    assert!(own.answer.try_recv().is_err());
    let attempt = bench.step(|state, now| state.publish(Some(link), to(Q, message("b")), now));
    assert!(matches!(attempt, super::Attempt::Settled(Err(PublishError::Unknown { .. }))));
}
