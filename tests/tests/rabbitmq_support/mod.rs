//! Short words for the tests of the RabbitMQ transport.
#![allow(dead_code, unreachable_pub)]

pub mod raw;

use hearken_core::delivery::{Delivery, Settlement};
use hearken_core::failure::FailureKind;
use hearken_core::history::{FailureRecord, History};
use hearken_core::message::Message;
use hearken_core::session::Destination;
use hearken_core::time::Timestamp;
use hearken_core::transport::{
    Consumer, Link, Outgoing, Plan, PublishError, Subscription, Transport, TransportError,
};
use hearken_rabbitmq::{RabbitMq, Settings};
use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

/// Longer than anything takes that works.
pub const SOON: Duration = Duration::from_secs(20);

pub async fn link(settings: Settings) -> Arc<dyn Link> {
    link_for(settings, Duration::ZERO).await
}

pub async fn link_for(settings: Settings, longest_delay: Duration) -> Arc<dyn Link> {
    RabbitMq::new(settings).unwrap().connect(&Plan::new(longest_delay)).await.unwrap()
}

/// The error of a connection attempt.
pub async fn no_link(settings: Settings) -> TransportError {
    match RabbitMq::new(settings).unwrap().connect(&Plan::default()).await {
        Ok(_) => panic!("connected"),
        Err(error) => error,
    }
}

pub async fn subscribe(link: &Arc<dyn Link>, queue: &str) -> Box<dyn Consumer> {
    link.subscribe(&Subscription::new("listener", queue)).await.unwrap()
}

/// The error of a subscription.
pub async fn refused(link: &Arc<dyn Link>, subscription: &Subscription) -> TransportError {
    match link.subscribe(subscription).await {
        Ok(_) => panic!("subscribed"),
        Err(error) => error,
    }
}

pub async fn receive(consumer: &mut Box<dyn Consumer>) -> Delivery {
    match next(consumer).await {
        Some(Ok(delivery)) => delivery,
        other => panic!("no delivery but {other:?}"),
    }
}

/// Whatever the consumer says next.
pub async fn next(consumer: &mut Box<dyn Consumer>) -> Option<Result<Delivery, TransportError>> {
    let waiting = poll_fn(|cx| consumer.poll_receive(cx));
    tokio::time::timeout(SOON, waiting).await.expect("nothing came")
}

/// Whether nothing comes for a while.
pub async fn silent(consumer: &mut Box<dyn Consumer>, time: Duration) -> bool {
    tokio::time::timeout(time, poll_fn(|cx| consumer.poll_receive(cx))).await.is_err()
}

/// The delivery with the history of one more failure, as the container makes it.
pub fn failed(delivery: &Delivery) -> Message {
    let record = FailureRecord { kind: FailureKind::Error, code: None, text: "no".into() };
    let history = History::failed(delivery.history.as_ref(), record, Timestamp::from_millis(1_000));
    let mut copy = delivery.message.clone();
    history.write(&delivery.origin, copy.headers_mut());
    copy
}

pub async fn send(link: &Arc<dyn Link>, queue: &str, message: Message) -> Result<(), PublishError> {
    link.publish(Outgoing::new(Destination::queue(queue), message)).await
}

pub fn body(delivery: &Delivery) -> &str {
    std::str::from_utf8(delivery.message.body()).unwrap()
}

/// Receives `count` messages, acknowledges them, and returns their bodies.
pub async fn drain(consumer: &mut Box<dyn Consumer>, count: usize) -> Vec<String> {
    let mut bodies = Vec::new();
    for _ in 0..count {
        let delivery = receive(consumer).await;
        bodies.push(body(&delivery).to_owned());
        consumer.settle(delivery.receipt, Settlement::Acknowledge);
    }
    bodies
}
