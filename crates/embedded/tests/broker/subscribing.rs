use crate::{Q, body, broker, consume, link, link_with, next, order, refused, take};
use hearken_core::message::Message;
use hearken_core::session::{Destination, Publisher};
use hearken_core::transport::{Binding, BindingKind, Outgoing, Subscription, TransportErrorKind};
use hearken_embedded::Topology;
use std::sync::Arc;

fn subscription() -> Subscription {
    let mut subscription = Subscription::new("on_order", Q);
    subscription.dead_letter_queue = Some("dead".to_owned());
    let (exchange, key) = ("shop".to_owned(), "order.*".to_owned());
    subscription.binding = Some(Binding { exchange, kind: BindingKind::Topic, key });
    subscription
}

#[tokio::test(start_paused = true)]
async fn a_subscription_declares_what_it_names() {
    let broker = broker(|_| ());
    let link = link(&broker).await;
    let mut consumer = link.subscribe(&subscription()).await.unwrap();
    assert_eq!(broker.queues(), ["dead", Q]);
    let message = Message::new("a");
    let outgoing = Outgoing::new(Destination::exchange("shop", "order.new"), message);
    broker.publish(outgoing).await.unwrap();
    assert_eq!(body(&take(&mut consumer).await.message), "a");
    link.subscribe(&subscription()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_fails_leaves_nothing_behind() {
    let broker = broker(|_| ());
    broker.declare_exchange("shop", BindingKind::Direct).unwrap();
    let link = link(&broker).await;
    let mismatch = refused(&link, &subscription()).await;
    assert!(matches!(mismatch, TransportErrorKind::ArgumentMismatch { argument, ours, theirs }
        if (argument.as_str(), ours.as_str(), theirs.as_str()) == ("type", "topic", "direct")));
    let mut bad = [subscription(), subscription(), subscription(), subscription()];
    bad[0].queue = String::new();
    bad[1].queue = "amq.x".to_owned();
    bad[2].dead_letter_queue = Some("n".repeat(256));
    bad[3].binding.as_mut().unwrap().key = "k".repeat(256);
    for subscription in &bad {
        assert_eq!(refused(&link, subscription).await, TransportErrorKind::InvalidName);
    }
    assert!(broker.queues().is_empty());
}

#[tokio::test(start_paused = true)]
async fn without_declaring_a_missing_queue_is_an_error() {
    let broker = broker(|_| ());
    let [check, assume] = [Topology::Check, Topology::Assume].map(|topology| link_with(&broker, topology));
    let (check, assume) = (check.await, assume.await);
    for link in [&check, &assume] {
        assert_eq!(refused(link, &subscription()).await, TransportErrorKind::QueueMissing);
    }
    broker.declare_queue(Q).unwrap();
    assume.subscribe(&subscription()).await.unwrap();
    assert_eq!(refused(&check, &subscription()).await, TransportErrorKind::QueueMissing);
    broker.declare_queue("dead").unwrap();
    assert_eq!(refused(&check, &subscription()).await, TransportErrorKind::Other);
    broker.declare_exchange("shop", BindingKind::Topic).unwrap();
    check.subscribe(&subscription()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn several_transports_share_one_broker() {
    let broker = broker(|_| ());
    let (one, other) = (link(&broker).await, link(&broker).await);
    let mut consumer = consume(&one, 1).await;
    other.publish(order("a")).await.unwrap();
    assert_eq!(body(&take(&mut consumer).await.message), "a");
    other.delete_queue(Q).await.unwrap();
    other.delete_queue(Q).await.unwrap();
    assert!(broker.queues().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_broker_is_a_port_for_publishers() {
    let broker = broker(|_| ());
    broker.declare_queue(Q).unwrap();
    Publisher::new(Arc::new(broker.clone())).send(Q, "a").await.unwrap();
    assert_eq!(broker.peek(Q).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_link_says_whether_a_queue_exists() {
    let broker = broker(|_| ());
    let link = link(&broker).await;
    assert!(!link.queue_exists(Q).await.unwrap());
    broker.declare_queue(Q).unwrap();
    assert!(link.queue_exists(Q).await.unwrap());
    broker.delete_queue(Q);
    assert!(!link.queue_exists(Q).await.unwrap());
    broker.cut_links();
    let error = link.queue_exists(Q).await.unwrap_err();
    assert_eq!(error.kind(), &TransportErrorKind::ConnectionLost);
}

#[tokio::test(start_paused = true)]
async fn consumers_of_a_deleted_queue_are_told_at_once_and_a_new_subscription_declares_it_anew() {
    let broker = broker(|_| ());
    let link = link(&broker).await;
    let waiting = [consume(&link, 1).await, consume(&link, 1).await]
        .map(|mut consumer| tokio::spawn(async move { next(&mut consumer).await }));
    tokio::task::yield_now().await;
    link.delete_queue(Q).await.unwrap();
    for waiting in waiting {
        let error = waiting.await.unwrap().unwrap().unwrap_err();
        assert_eq!(error.kind(), &TransportErrorKind::ConsumerCancelled);
        assert!(error.to_string().contains(Q), "{error}");
    }
    let mut consumer = consume(&link, 1).await;
    broker.publish(order("a")).await.unwrap();
    assert_eq!(body(&take(&mut consumer).await.message), "a");
}
