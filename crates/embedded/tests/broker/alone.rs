//! Consumers that are served alone: single active and exclusive ones.

use super::*;
use hearken_core::delivery::Settlement;
use hearken_core::session::Destination;
use tokio::time::timeout;

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

#[tokio::test(start_paused = true)]
async fn a_consumer_that_is_refused_leaves_nothing_behind() {
    let broker = Broker::default();
    let link = link(&broker).await;
    let _first = link.subscribe(&subscription(false, true)).await.unwrap();
    let mut second = subscription(false, false);
    second.dead_letter_queue = Some("dead".to_owned());
    assert_eq!(refused(&link, &second).await, TransportErrorKind::QueueInUse);
    assert_eq!(broker.queues(), ["q"]);
}

#[tokio::test(start_paused = true)]
async fn an_exclusive_consumer_of_a_queue_that_serves_one_at_a_time_is_a_contradiction() {
    let broker = Broker::default();
    let link = link(&broker).await;
    assert_eq!(refused(&link, &subscription(true, true)).await, TransportErrorKind::InvalidSettings);
    assert!(broker.queues().is_empty());
    let _first = link.subscribe(&subscription(true, false)).await.unwrap();
    let assuming = link_with(&broker, Topology::Assume).await;
    assert_eq!(refused(&assuming, &subscription(false, true)).await, TransportErrorKind::InvalidSettings);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_consumer_makes_room_for_an_exclusive_one() {
    let broker = Broker::default();
    let link = link(&broker).await;
    let mut first = link.subscribe(&subscription(false, true)).await.unwrap();
    first.cancel().await.unwrap();
    link.subscribe(&subscription(false, true)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_next_active_consumer_is_the_oldest_of_the_highest_priority_and_nobody_is_moved_aside() {
    let broker = Broker::default();
    let link = link(&broker).await;
    let mut consumers = Vec::new();
    for priority in [None, None, Some(5), Some(5)] {
        let mut subscription = subscription(true, false);
        subscription.priority = priority;
        subscription.prefetch = 1;
        consumers.push(link.subscribe(&subscription).await.unwrap());
    }
    broker.publish(order_to_q("a")).await.unwrap();
    // Each time among those that are left.
    for served in [0, 1, 1, 0] {
        let waiting = timeout(millis(1), take(&mut consumers[served]));
        let delivery = waiting.await.expect("it is served");
        assert_eq!(delivery.message.body(), "a");
        consumers.remove(served).close().await.unwrap();
    }
    assert_eq!(broker.queue_depth("q").unwrap().ready, 1);
}

fn order_to_q(body: &'static str) -> Outgoing {
    Outgoing::new(Destination::queue("q"), Message::new(body))
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_active_consumer_is_followed_at_once_and_what_it_gives_back_comes_first_again() {
    let broker = Broker::default();
    let link = link(&broker).await;
    let mut first = link.subscribe(&subscription(true, false)).await.unwrap();
    let mut second = link.subscribe(&subscription(true, false)).await.unwrap();
    for body in ["0", "1", "2", "3", "4", "5", "6"] {
        broker.publish(order_to_q(body)).await.unwrap();
    }
    let delivery = take(&mut first).await;
    first.cancel().await.unwrap();
    let next = take(&mut second).await;
    assert_eq!(next.message.body(), "3");
    first.settle(delivery.receipt, Settlement::Acknowledge);
    first.close().await.unwrap();
    second.settle(next.receipt, Settlement::Acknowledge);
    for body in ["4", "5", "1", "2", "6"] {
        let delivery = take(&mut second).await;
        assert_eq!(delivery.message.body(), body);
        second.settle(delivery.receipt, Settlement::Acknowledge);
    }
}
