use super::{Bench, Q, Terms};
use hearken_core::delivery::Settlement::{Acknowledge, Discard, HandBack, Moved, Requeue};
use hearken_core::transport::TransportErrorKind;
use std::task::Poll;

#[test]
fn a_consumer_gets_the_messages_in_order_up_to_its_prefetch() {
    let mut bench = Bench::new();
    let consumer = bench.consumer(2);
    for body in ["a", "b", "c"] {
        bench.send(body);
    }
    let (bodies, tags) = bench.take_all(consumer);
    assert_eq!(bodies, ["a", "b"]);
    assert_eq!((bench.stats().ready, bench.stats().unacknowledged), (1, 2));
    bench.settle(consumer, tags[1], Acknowledge);
    assert_eq!(bench.take_all(consumer).0, ["c"]);
}

#[test]
fn a_prefetch_of_zero_has_no_limit() {
    let mut bench = Bench::new();
    let consumer = bench.consumer(0);
    for _ in 0..1000 {
        bench.send("a");
    }
    assert_eq!(bench.take_all(consumer).0.len(), 1000);
}

#[test]
fn acknowledged_moved_and_discarded_messages_are_gone() {
    let mut bench = Bench::new();
    let consumer = bench.consumer(3);
    for (body, settlement) in [("a", Acknowledge), ("b", Moved), ("c", Discard)] {
        bench.send(body);
        let tag = bench.take(consumer).receipt.tag();
        bench.settle(consumer, tag, settlement);
    }
    assert_eq!(bench.stats(), super::QueueStats::default());
}

#[test]
fn what_goes_back_comes_again_at_its_own_place_flagged() {
    for settlement in [Requeue, HandBack] {
        let mut bench = Bench::new();
        for body in ["a", "b", "c", "d"] {
            bench.send(body);
        }
        let consumer = bench.consumer(3);
        let (_, tags) = bench.take_all(consumer);
        bench.step(|state, now| state.cancel(consumer, now));
        bench.settle(consumer, tags[2], settlement);
        bench.settle(consumer, tags[0], settlement);
        assert_eq!(bench.ready(Q), ["a", "c", "d"]);
        let other = bench.consumer(10);
        assert_eq!(bench.take_all(other).0, ["a*", "c*", "d"]);
    }
}

#[test]
fn consumers_with_room_take_turns_and_full_ones_are_passed_by() {
    let mut bench = Bench::new();
    let (first, second, third) = (bench.consumer(10), bench.consumer(1), bench.consumer(10));
    for body in ["a", "b", "c", "d", "e"] {
        bench.send(body);
    }
    assert_eq!(bench.take_all(first).0, ["a", "d"]);
    assert_eq!(bench.take_all(second).0, ["b"]);
    assert_eq!(bench.take_all(third).0, ["c", "e"]);
}

#[test]
fn a_detached_consumer_gives_everything_back_in_order() {
    let mut bench = Bench::new();
    let consumer = bench.consumer(3);
    for body in ["a", "b", "c", "d"] {
        bench.send(body);
    }
    bench.take(consumer);
    bench.take(consumer);
    bench.step(|state, now| state.detach(consumer, now));
    assert_eq!(bench.ready(Q), ["a", "b", "c", "d"]);
    let other = bench.consumer(9);
    assert_eq!(bench.take_all(other).0, ["a*", "b*", "c*", "d"]);
}

#[test]
fn a_cancelled_consumer_hands_out_its_buffer_and_ends() {
    let mut bench = Bench::new();
    let consumer = bench.consumer(2);
    bench.send("a");
    bench.step(|state, now| state.cancel(consumer, now));
    bench.send("b");
    let tag = bench.take(consumer).receipt.tag();
    assert!(matches!(bench.next(consumer), Poll::Ready(None)));
    bench.settle(consumer, tag, Acknowledge);
    assert_eq!((bench.ready(Q), bench.stats().unacknowledged), (vec!["b".to_owned()], 0));
}

#[test]
fn a_receipt_that_is_settled_or_of_another_consumer_does_no_harm() {
    let mut bench = Bench::new();
    let (consumer, other) = (bench.consumer(1), bench.consumer(1));
    bench.send("a");
    let tag = bench.take(consumer).receipt.tag();
    bench.settle(other, tag, Acknowledge);
    assert_eq!(bench.stats().unacknowledged, 1);
    bench.settle(consumer, tag, Requeue);
    bench.settle(consumer, tag, Acknowledge);
    assert_eq!(bench.stats().unacknowledged, 1);
    assert_eq!(bench.take_all(other).0, ["a*"]);
    bench.step(|state, now| state.detach(consumer, now));
    bench.settle(consumer, tag, Acknowledge);
    assert_eq!(bench.stats().unacknowledged, 1);
}

#[test]
fn a_cut_ends_all_consumers_before_anything_goes_back() {
    let mut bench = Bench::new();
    let consumers = [bench.consumer(2), bench.consumer(2)];
    for body in ["a", "b", "c"] {
        bench.send(body);
    }
    bench.take(consumers[0]);
    bench.step(super::State::cut_links);
    assert_eq!((bench.ready(Q).len(), bench.stats().unacknowledged), (3, 0));
    for consumer in consumers {
        let Poll::Ready(Some(Err(error))) = bench.next(consumer) else { panic!("no error") };
        assert_eq!(error.kind(), &TransportErrorKind::ConnectionLost);
        assert!(matches!(bench.next(consumer), Poll::Ready(None)));
    }
    let link = bench.link;
    let error = bench.step(|state, now| state.consume(link, Q, Default::default(), now)).unwrap_err();
    assert_eq!(error.kind(), &TransportErrorKind::ConnectionLost);
}

#[test]
fn every_way_back_is_counted_and_a_copy_starts_anew() {
    let mut bench = Bench::new();
    bench.send("a");
    for (count, settlement) in [(0, Requeue), (1, HandBack)] {
        let consumer = bench.consumer(1);
        let delivery = bench.take(consumer);
        assert_eq!(delivery.delivery_count, count);
        bench.step(|state, now| state.cancel(consumer, now));
        bench.settle(consumer, delivery.receipt.tag(), settlement);
    }
    // Reserved for a consumer that never looked, as RabbitMQ counts what a channel had in its prefetch.
    let consumer = bench.consumer(1);
    bench.step(|state, now| state.detach(consumer, now));
    bench.consumer(1);
    bench.step(super::State::cut_links);
    bench.link = bench.state.open_link().unwrap();
    bench.redeliver("copy", 0);
    let consumer = bench.consumer(2);
    assert_eq!(bench.take(consumer).delivery_count, 4);
    let copy = bench.take(consumer);
    assert_eq!((copy.redelivered, copy.delivery_count), (true, 0));
}

#[test]
fn consumers_of_higher_priority_are_served_first_while_they_have_room() {
    let mut bench = Bench::new();
    let [low, high, other, middle] = [(9, -1), (2, 7), (2, 7), (1, 0)]
        .map(|(prefetch, priority)| bench.consumer_with(Terms { prefetch, priority, exclusive: false }));
    for body in ["a", "b", "c", "d", "e", "f"] {
        bench.send(body);
    }
    let (bodies, tags) = bench.take_all(high);
    assert_eq!(bodies, ["a", "c"]);
    assert_eq!(bench.take_all(other).0, ["b", "d"]);
    assert_eq!(bench.take_all(middle).0, ["e"]);
    assert_eq!(bench.take_all(low).0, ["f"]);
    bench.settle(high, tags[1], Acknowledge);
    bench.send("g");
    assert_eq!(bench.take_all(high).0, ["g"]);
}
