//! Kinds of consumers and queues, by the port alone.

use super::Rig;
use super::bench::unique;
use hearken_core::delivery::{Delivery, Settlement};
use hearken_core::message::Message;
use hearken_core::session::Destination;
use hearken_core::transport::{
    Binding, BindingKind, Consumer, Link, Outgoing, Plan, QueueLifetime, QueueType, Subscription,
    TransportErrorKind,
};
use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Longer than anything takes that works.
const SOON: Duration = Duration::from_secs(20);

async fn link(rig: &Rig) -> Arc<dyn Link> {
    rig.transport.connect(&Plan::default()).await.unwrap_or_else(|error| panic!("{error}"))
}

fn subscription(rig: &Rig, queue: &str) -> Subscription {
    let mut subscription = Subscription::new("conformance", queue);
    let configured = rig.settings.iter().find(|(key, _)| key == "transport.queueType");
    let queue_type = configured.and_then(|(_, name)| QueueType::from_name(name));
    (subscription.queue_type, subscription.prefetch) = (queue_type.unwrap_or_default(), 3);
    subscription
}

async fn subscribe(link: &Arc<dyn Link>, subscription: &Subscription) -> Box<dyn Consumer> {
    link.subscribe(subscription).await.unwrap_or_else(|error| panic!("{error}"))
}

async fn send(link: &Arc<dyn Link>, destination: Destination, body: &'static str) {
    let sent = link.publish(Outgoing::new(destination, Message::new(body))).await;
    sent.unwrap_or_else(|error| panic!("{error}"));
}

async fn take(consumer: &mut Box<dyn Consumer>) -> Delivery {
    match timeout(SOON, poll_fn(|context| consumer.poll_receive(context))).await {
        Ok(Some(Ok(delivery))) => delivery,
        other => panic!("no delivery but {other:?}"),
    }
}

async fn end(link: Arc<dyn Link>, queue: &str) {
    link.delete_queue(queue).await.unwrap_or_else(|error| panic!("{error}"));
    link.close().await;
}

/// What the first of two consumers leaves unsettled comes to the second one first, in order.
pub async fn a_single_active_consumer_hands_over_in_order(rig: Rig) {
    let (link, queue) = (link(&rig).await, unique("single"));
    let mut subscription = subscription(&rig, &queue);
    subscription.single_active = true;
    let mut first = subscribe(&link, &subscription).await;
    let mut second = subscribe(&link, &subscription).await;
    for body in ["0", "1", "2", "3", "4", "5"] {
        send(&link, Destination::queue(&*queue), body).await;
    }
    let delivery = take(&mut first).await;
    assert_eq!(delivery.message.body(), "0");
    first.settle(delivery.receipt, Settlement::Acknowledge);
    take(&mut first).await;
    first.close().await.unwrap_or_else(|error| panic!("{error}"));
    for body in ["1", "2", "3", "4", "5"] {
        let delivery = take(&mut second).await;
        assert_eq!(delivery.message.body(), body);
        second.settle(delivery.receipt, Settlement::Acknowledge);
    }
    drop(second);
    end(link, &queue).await;
}

/// Of two consumers with room the one of higher priority is served.
pub async fn consumers_of_higher_priority_are_served_first(rig: Rig) {
    let (link, queue) = (link(&rig).await, unique("priority"));
    let mut subscription = subscription(&rig, &queue);
    let mut low = subscribe(&link, &subscription).await;
    subscription.priority = Some(5);
    let mut high = subscribe(&link, &subscription).await;
    for body in ["a", "b", "c", "d"] {
        send(&link, Destination::queue(&*queue), body).await;
    }
    for body in ["a", "b", "c"] {
        assert_eq!(take(&mut high).await.message.body(), body);
    }
    assert_eq!(take(&mut low).await.message.body(), "d", "its room is used up");
    drop((low, high));
    end(link, &queue).await;
}

/// Nobody consumes beside an exclusive consumer.
pub async fn an_exclusive_consumer_is_alone(rig: Rig) {
    let (link, queue) = (link(&rig).await, unique("exclusive"));
    let mut subscription = subscription(&rig, &queue);
    // Quorum queues know no exclusive consumers.
    (subscription.queue_type, subscription.exclusive) = (QueueType::Classic, true);
    let first = subscribe(&link, &subscription).await;
    let Err(error) = link.subscribe(&subscription).await else { panic!("a second one consumes") };
    assert_eq!(*error.kind(), TransportErrorKind::QueueInUse, "{error}");
    assert!(error.to_string().contains(&queue), "{error}");
    first.close().await.unwrap_or_else(|error| panic!("{error}"));
    let first = subscribe(&link, &subscription).await;
    first.close().await.unwrap_or_else(|error| panic!("{error}"));
    let mut sharing = subscription.clone();
    sharing.exclusive = false;
    let first = subscribe(&link, &sharing).await;
    let Err(error) = link.subscribe(&subscription).await else { panic!("it is alone beside another") };
    assert_eq!(*error.kind(), TransportErrorKind::QueueInUse, "{error}");
    drop(first);
    end(link, &queue).await;
}

/// It is gone with its last consumer, and declared anew by the next subscription.
pub async fn an_auto_delete_queue_lives_with_its_consumers(rig: Rig) {
    let (link, queue) = (link(&rig).await, unique("passing"));
    let mut subscription = subscription(&rig, &queue);
    (subscription.lifetime, subscription.queue_type) = (QueueLifetime::AutoDelete, QueueType::Classic);
    for _ in 0..2 {
        let mut consumer = subscribe(&link, &subscription).await;
        send(&link, Destination::queue(&*queue), "a").await;
        take(&mut consumer).await;
        consumer.close().await.unwrap_or_else(|error| panic!("{error}"));
        let gone = async {
            while link.queue_exists(&queue).await.unwrap_or(true) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        assert!(timeout(SOON, gone).await.is_ok(), "it is still there");
    }
    link.close().await;
}

/// The broker names it, its exchange fills it, and it goes with its link.
pub async fn a_temporary_queue_is_named_by_the_broker_and_filled_by_its_exchange(rig: Rig) {
    let (link, exchange) = (link(&rig).await, unique("news"));
    let mut subscription = subscription(&rig, "");
    (subscription.lifetime, subscription.queue_type) = (QueueLifetime::Temporary, QueueType::Classic);
    subscription.binding =
        Some(Binding { exchange: exchange.clone(), kind: BindingKind::Fanout, key: String::new() });
    let mut consumer = subscribe(&link, &subscription).await;
    send(&link, Destination::exchange(&*exchange, ""), "a").await;
    let delivery = take(&mut consumer).await;
    let name = delivery.origin.queue.to_string();
    assert!(!name.is_empty());
    link.close().await;
    let link = super::consumers::link(&rig).await;
    assert!(
        !link.queue_exists(&name).await.unwrap_or_else(|error| panic!("{error}")),
        "{name} is still there"
    );
    link.close().await;
}
