use super::rabbitmq_support::raw::server_version;
use super::rabbitmq_support::{SOON, body, drain, link, next, receive, refused, send, silent, subscribe};
use super::settings;
use hearken_core::delivery::Settlement;
use hearken_core::message::Message;
use hearken_core::transport::{
    Consumer, QueueType, Subscription, TransportError, TransportErrorKind as Kind,
};
use hearken_rabbitmq::Topology;
use hearken_tests::broker;
use hearken_tests::node::{Lease, Node};
use std::time::{Duration, Instant};

pub(super) async fn consumer_timeout(node: &Node, millis: u64, tick: u64) {
    let both = format!(
        "application:set_env(rabbit, consumer_timeout, {millis}), \
         application:set_env(rabbit, channel_tick_interval, {tick})."
    );
    node.ctl(&["eval", &both]).await;
}

async fn error(consumer: &mut Box<dyn Consumer>) -> TransportError {
    match next(consumer).await {
        Some(Err(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// RabbitMQ from 4.3 on lets a consumer of a classic queue hold a delivery for ever.
pub(super) async fn with_consumer_timeout(node: &Node) -> Vec<QueueType> {
    match server_version(node.url()).await.as_str() {
        version if version.starts_with("4.3") => vec![QueueType::Quorum],
        _ => vec![QueueType::Quorum, QueueType::Classic],
    }
}

#[tokio::test]
async fn a_consumer_that_holds_a_delivery_too_long_is_told_so_also_when_nothing_comes() {
    let node = Lease::take().await;
    let link = link(settings(&node)).await;
    for queue_type in with_consumer_timeout(&node).await {
        let queue = broker::unique("held");
        let mut subscription = Subscription::new("listener", &*queue);
        subscription.queue_type = queue_type;
        consumer_timeout(&node, 3_000, 1_000).await;
        let mut consumer = link.subscribe(&subscription).await.unwrap();
        for n in 0..3 {
            send(&link, &queue, Message::new(n.to_string()).with_id(n.to_string())).await.unwrap();
        }
        let before = Instant::now();
        let held = receive(&mut consumer).await;
        let done = receive(&mut consumer).await;
        consumer.settle(done.receipt, Settlement::Acknowledge);
        // A busy invoker, which does not look.
        tokio::time::sleep(Duration::from_secs(5)).await;
        let error = error(&mut consumer).await;
        assert_eq!(*error.kind(), Kind::ConsumerTimeout, "{queue_type:?}: {error}");
        assert!(before.elapsed() < Duration::from_secs(8), "{:?}", before.elapsed());
        assert!(error.to_string().contains(&queue), "{error}");
        assert!(next(&mut consumer).await.is_none());
        consumer_timeout(&node, 1_800_000, 60_000).await;

        // The late result is not acknowledged on another channel, and hurts nobody.
        let copy = held.message.clone().with_header("copy", true);
        link.redeliver(&queue, copy, Duration::ZERO).await.unwrap();
        consumer.settle(held.receipt, Settlement::Moved);
        let closing = consumer.close();
        let mut again = link.subscribe(&subscription).await.unwrap();
        tokio::time::timeout(SOON, closing).await.unwrap().ok();
        let mut bodies = Vec::new();
        for _ in 0..2 {
            let delivery = receive(&mut again).await;
            let copied = !delivery.message.headers().is_empty();
            bodies.push(format!("{} {copied}", body(&delivery)));
            again.settle(delivery.receipt, Settlement::Acknowledge);
        }
        bodies.sort();
        assert_eq!(bodies, ["0 true", "2 false"], "{queue_type:?}: the copy, and what was not handed out");
        assert!(silent(&mut again, Duration::from_millis(300)).await);
    }
    link.close().await;
}

#[tokio::test]
async fn several_deliveries_that_are_held_too_long_cost_one_channel_and_not_the_connection() {
    let node = Lease::take().await;
    let link = link(settings(&node)).await;
    let [queue, other] = ["held-together", "beside"].map(broker::unique);
    consumer_timeout(&node, 2_000, 1_000).await;
    let mut beside = subscribe(&link, &other).await;
    let mut consumer = subscribe(&link, &queue).await;
    for n in 0..5 {
        send(&link, &queue, Message::new(n.to_string())).await.unwrap();
    }
    for _ in 0..5 {
        receive(&mut consumer).await;
    }
    let error = error(&mut consumer).await;
    assert_eq!(*error.kind(), Kind::ConsumerTimeout, "{error}");
    consumer_timeout(&node, 1_800_000, 60_000).await;
    // What RabbitMQ still has to say about the others, and the channel's number for the next one.
    assert!(tokio::time::timeout(Duration::from_secs(2), link.lost()).await.is_err());
    drop(consumer);
    let mut again = subscribe(&link, &queue).await;
    for _ in 0..5 {
        let delivery = receive(&mut again).await;
        again.settle(delivery.receipt, Settlement::Acknowledge);
    }
    send(&link, &other, Message::new("x")).await.unwrap();
    receive(&mut beside).await;
    link.close().await;
}

#[tokio::test]
async fn a_closed_channel_is_noticed_within_a_second_by_a_consumer_that_waits() {
    let node = Lease::take().await;
    let link = link(settings(&node)).await;
    let queue = broker::unique("idle");
    consumer_timeout(&node, 2_000, 500).await;
    let mut consumer = subscribe(&link, &queue).await;
    send(&link, &queue, Message::new("x")).await.unwrap();
    let before = Instant::now();
    let _held = receive(&mut consumer).await;
    let error = error(&mut consumer).await;
    assert_eq!(*error.kind(), Kind::ConsumerTimeout, "{error}");
    let after = before.elapsed();
    consumer_timeout(&node, 1_800_000, 60_000).await;
    assert!(after > Duration::from_millis(1_900) && after < Duration::from_millis(4_000), "{after:?}");
    consumer.close().await.ok();
    assert_eq!(drain(&mut subscribe(&link, &queue).await, 1).await, ["x"]);
    link.close().await;
}

#[tokio::test]
async fn a_deleted_queue_is_no_time_out_however_long_a_delivery_was_held() {
    let node = Lease::take().await;
    let link = link(settings(&node)).await;
    for queue_type in [QueueType::Quorum, QueueType::Classic] {
        let queue = broker::unique("deleted");
        let mut subscription = Subscription::new("listener", &*queue);
        subscription.queue_type = queue_type;
        let mut consumer = link.subscribe(&subscription).await.unwrap();
        send(&link, &queue, Message::new("x")).await.unwrap();
        let held = receive(&mut consumer).await;
        tokio::time::sleep(Duration::from_millis(1_200)).await;
        node.ctl(&["delete_queue", &queue]).await;
        let error = error(&mut consumer).await;
        assert_eq!(*error.kind(), Kind::ConsumerCancelled, "{error}");
        consumer.settle(held.receipt, Settlement::Acknowledge);
        consumer.close().await.ok();
        assert!(!link.queue_exists(&queue).await.unwrap());
    }
    link.close().await;
}

#[tokio::test]
async fn a_connection_that_an_operator_closes_is_lost_with_his_word() {
    let node = Lease::take().await;
    let link = link(settings(&node)).await;
    let queue = broker::unique("forced");
    let mut consumer = subscribe(&link, &queue).await;
    send(&link, &queue, Message::new("x")).await.unwrap();
    let _held = receive(&mut consumer).await;
    let lost = link.lost();
    node.ctl(&["close_all_connections", "maintenance at noon"]).await;
    let error = tokio::time::timeout(SOON, lost).await.unwrap();
    assert_eq!(*error.kind(), Kind::ConnectionLost);
    assert!(error.to_string().contains("maintenance at noon"), "{error}");
    let error = self::error(&mut consumer).await;
    assert_eq!(*error.kind(), Kind::ConnectionLost, "{error}");
    consumer.close().await.ok();
    let before = Instant::now();
    link.close().await;
    assert!(before.elapsed() < Duration::from_secs(1));
}

#[tokio::test]
async fn a_user_without_the_right_to_read_is_named_with_the_queue() {
    let node = Lease::take().await;
    let queue = broker::unique("forbidden");
    let owner = link(settings(&node)).await;
    subscribe(&owner, &queue).await.close().await.unwrap();
    node.ctl(&["add_user", "reader", "hunter2"]).await;
    node.ctl(&["set_permissions", "reader", "^none$", "^none$", "^none$"]).await;
    let mut settings = settings(&node);
    settings.url = node.url().replace("guest:guest", "reader:hunter2").parse().unwrap();
    for topology in [Topology::Assume, Topology::Check, Topology::Declare] {
        settings.topology = topology;
        let link = link(settings.clone()).await;
        let error = refused(&link, &Subscription::new("listener", &*queue)).await;
        assert_eq!(*error.kind(), Kind::AccessRefused, "{topology:?}: {error}");
        let text = error.to_string();
        assert!(text.contains("'reader'") && !text.contains("hunter2"), "{text}");
        // What is declared first is hearken's own.
        assert!(topology == Topology::Declare || text.contains(&queue), "{text}");
        link.close().await;
    }
    node.ctl(&["delete_user", "reader"]).await;
    owner.close().await;
}
