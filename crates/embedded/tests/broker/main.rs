//! The broker as its users meet it, under tokio's paused clock.
#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers of tests are not tests to clippy.

mod alarms;
mod alone;
mod backpressure;
mod consuming;
mod faults;
mod lifetimes;
mod runtimes;
mod subscribing;
mod time;

use hearken_core::delivery::Delivery;
use hearken_core::message::Message;
use hearken_core::transport::{
    Consumer, Link, Outgoing, Plan, Subscription, Transport, TransportError, TransportErrorKind,
};
use hearken_embedded::{Broker, EmbeddedTransport, Settings, Topology};
use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

const Q: &str = "orders";

fn broker(change: impl FnOnce(&mut Settings)) -> Broker {
    let mut settings = Settings::default();
    change(&mut settings);
    Broker::new(settings)
}

async fn link(broker: &Broker) -> Arc<dyn Link> {
    EmbeddedTransport::new(broker.clone()).connect(&Plan::default()).await.unwrap()
}

async fn link_with(broker: &Broker, topology: Topology) -> Arc<dyn Link> {
    let transport = EmbeddedTransport::new(broker.clone()).with_topology(topology);
    transport.connect(&Plan::default()).await.unwrap()
}

/// The kind of error that a subscription ends with.
async fn refused(link: &Arc<dyn Link>, subscription: &Subscription) -> TransportErrorKind {
    match link.subscribe(subscription).await {
        Ok(_) => panic!("no error"),
        Err(error) => error.kind().clone(),
    }
}

async fn consume(link: &Arc<dyn Link>, prefetch: u16) -> Box<dyn Consumer> {
    let mut subscription = Subscription::new("on_order", Q);
    subscription.prefetch = prefetch;
    link.subscribe(&subscription).await.unwrap()
}

async fn next(consumer: &mut Box<dyn Consumer>) -> Option<Result<Delivery, TransportError>> {
    poll_fn(|context| consumer.poll_receive(context)).await
}

async fn take(consumer: &mut Box<dyn Consumer>) -> Delivery {
    next(consumer).await.expect("a delivery").expect("no error")
}

fn order(body: &str) -> Outgoing {
    Outgoing::new(Q.into(), Message::new(body.to_owned()))
}

fn body(message: &Message) -> String {
    String::from_utf8_lossy(message.body()).into_owned()
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}
