use super::{Bench, Q, through, to};
use hearken_core::delivery::Settlement::{Acknowledge, Requeue};
use hearken_core::transport::BindingKind::{Direct, Topic};
use hearken_core::transport::{PublishError, TransportErrorKind};
use std::task::Poll;
use std::time::Duration;

#[test]
fn a_deleted_queue_takes_its_messages_consumers_and_bindings_along() {
    let mut bench = Bench::new();
    bench.state.declare_exchange("d", Direct).unwrap();
    bench.state.declare_exchange("t", Topic).unwrap();
    bench.state.bind(Q, "d", "k").unwrap();
    bench.state.bind(Q, "t", "#").unwrap();
    let consumer = bench.consumer(1);
    let living = super::message("b").with_time_to_live(Duration::from_secs(1));
    bench.send("a");
    bench.publish(to(Q, living)).unwrap();
    let tag = bench.take(consumer).receipt.tag();
    assert!(bench.step(|state, now| state.delete_queue(Q, now)));
    assert!(!bench.step(|state, now| state.delete_queue(Q, now)));

    let Poll::Ready(Some(Err(error))) = bench.next(consumer) else { panic!("no error") };
    assert_eq!(error.kind(), &TransportErrorKind::ConsumerCancelled);
    assert!(matches!(bench.next(consumer), Poll::Ready(None)));
    for exchange in ["d", "t"] {
        let error = bench.publish(through(exchange, "k")).unwrap_err();
        assert!(matches!(error, PublishError::Returned { .. }));
    }
    assert!(!bench.state.timers.overslept(), "no timer is left");

    bench.state.declare_queue("new", None).unwrap();
    bench.settle(consumer, tag, Requeue);
    bench.step(|state, now| state.detach(consumer, now));
    assert_eq!(bench.state.stats("new"), Some(super::QueueStats::default()));
}

#[test]
fn a_queue_declared_again_is_a_new_one() {
    let mut bench = Bench::new();
    bench.state.declare_queue(Q, Some("dead")).unwrap();
    bench.send("a");
    bench.redeliver("b", 10);
    bench.step(|state, now| state.delete_queue(Q, now));
    bench.state.declare_queue(Q, Some("other")).unwrap();
    let cost = crate::MESSAGE_OVERHEAD + 1;
    let stats = bench.stats();
    assert_eq!((stats.ready, stats.delayed, stats.bytes), (0, 1, cost));
    let consumer = bench.consumer(1);
    bench.wait(10);
    let delivery = bench.take(consumer);
    bench.settle(consumer, delivery.receipt.tag(), Acknowledge);
    assert_eq!(bench.stats(), super::QueueStats::default());
}
