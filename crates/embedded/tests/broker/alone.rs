//! Consumers that are served alone: single active and exclusive ones.

use super::*;
use hearken_core::delivery::Settlement;
use hearken_core::session::Destination;

fn subscription(single_active: bool, exclusive: bool) -> Subscription {
    let mut subscription = Subscription::new("test", "q");
    (subscription.single_active, subscription.exclusive, subscription.prefetch) =
        (single_active, exclusive, 3);
    subscription
}

#[tokio::test(start_paused = true)]
async fn a_single_active_consumer_hands_over_in_order_when_it_closes() {
    let broker = Broker::default();
    let link = link(&broker).await;
    let mut first = link.subscribe(&subscription(true, false)).await.unwrap();
    let mut second = link.subscribe(&subscription(true, false)).await.unwrap();
    for body in ["0", "1", "2", "3", "4"] {
        link.publish(Outgoing::new(Destination::queue("q"), Message::new(body))).await.unwrap();
    }
    let delivery = take(&mut first).await;
    first.settle(delivery.receipt, Settlement::Acknowledge);
    take(&mut first).await;
    first.close().await.unwrap();
    for body in ["1", "2", "3"] {
        let delivery = take(&mut second).await;
        assert_eq!(delivery.message.body(), body);
        second.settle(delivery.receipt, Settlement::Acknowledge);
    }
}

#[tokio::test(start_paused = true)]
async fn another_shape_is_refused_with_its_argument() {
    let broker = Broker::default();
    let link = link(&broker).await;
    let _consumer = link.subscribe(&subscription(true, false)).await.unwrap();
    let Err(error) = link.subscribe(&subscription(false, false)).await else { panic!("subscribed") };
    let (argument, ours, theirs) = ("x-single-active-consumer".into(), "none".into(), "true".into());
    assert_eq!(*error.kind(), TransportErrorKind::ArgumentMismatch { argument, ours, theirs });
}

#[tokio::test(start_paused = true)]
async fn an_exclusive_consumer_is_alone_until_it_goes() {
    let broker = Broker::default();
    let link = link(&broker).await;
    let first = link.subscribe(&subscription(false, true)).await.unwrap();
    for exclusive in [false, true] {
        let Err(error) = link.subscribe(&subscription(false, exclusive)).await else { panic!("subscribed") };
        assert_eq!(*error.kind(), TransportErrorKind::QueueInUse);
        assert!(error.to_string().contains("`q`"), "{error}");
    }
    drop(first);
    let second = link.subscribe(&subscription(false, false)).await.unwrap();
    let Err(error) = link.subscribe(&subscription(false, true)).await else { panic!("subscribed") };
    assert_eq!(*error.kind(), TransportErrorKind::QueueInUse);
    drop(second);
    link.subscribe(&subscription(false, true)).await.unwrap();
}
