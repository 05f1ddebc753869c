use crate::{Q, body, broker, consume, link, order, take};
use hearken_core::message::Message;
use hearken_core::session::{Destination, Publisher};
use hearken_core::transport::{
    Binding, BindingKind, Link, Outgoing, Plan, Subscription, Transport, TransportErrorKind,
};
use hearken_embedded::{Broker, EmbeddedTransport, Topology};
use std::sync::Arc;

async fn link_with(broker: &Broker, topology: Topology) -> Arc<dyn Link> {
    let transport = EmbeddedTransport::new(broker.clone()).with_topology(topology);
    transport.connect(&Plan::default()).await.unwrap()
}

fn subscription() -> Subscription {
    let mut subscription = Subscription::new("on_order", Q);
    subscription.dead_letter_queue = Some("dead".to_owned());
    let (exchange, key) = ("shop".to_owned(), "order.*".to_owned());
    subscription.binding = Some(Binding { exchange, kind: BindingKind::Topic, key });
    subscription
}

async fn kind(link: &Arc<dyn Link>, subscription: &Subscription) -> TransportErrorKind {
    match link.subscribe(subscription).await {
        Ok(_) => panic!("no error"),
        Err(error) => error.kind().clone(),
    }
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
    let mismatch = kind(&link, &subscription()).await;
    assert!(matches!(mismatch, TransportErrorKind::ArgumentMismatch { argument, ours, theirs }
        if (argument.as_str(), ours.as_str(), theirs.as_str()) == ("type", "topic", "direct")));
    let mut bad = [subscription(), subscription(), subscription(), subscription()];
    bad[0].queue = String::new();
    bad[1].queue = "amq.x".to_owned();
    bad[2].dead_letter_queue = Some("n".repeat(256));
    bad[3].binding.as_mut().unwrap().key = "k".repeat(256);
    for subscription in &bad {
        assert_eq!(kind(&link, subscription).await, TransportErrorKind::InvalidName);
    }
    assert!(broker.queues().is_empty());
}

#[tokio::test(start_paused = true)]
async fn without_declaring_a_missing_queue_is_an_error() {
    let broker = broker(|_| ());
    let [check, assume] = [Topology::Check, Topology::Assume].map(|topology| link_with(&broker, topology));
    let (check, assume) = (check.await, assume.await);
    for link in [&check, &assume] {
        assert_eq!(kind(link, &subscription()).await, TransportErrorKind::QueueMissing);
    }
    broker.declare_queue(Q).unwrap();
    assume.subscribe(&subscription()).await.unwrap();
    assert_eq!(kind(&check, &subscription()).await, TransportErrorKind::QueueMissing);
    broker.declare_queue("dead").unwrap();
    assert_eq!(kind(&check, &subscription()).await, TransportErrorKind::Other);
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
