//! The port to brokers. An adapter implements [`Transport`], [`Link`] and [`Consumer`]; the container drives them.
//!
//! A transport is configured once; [`Transport::connect`] opens one link, which lives for one connection epoch and
//! never recovers by itself: the container notices its loss, waits, and connects anew.

mod error;
mod outgoing;
mod subscription;
mod topology;

pub use error::{PublishError, TransportError, TransportErrorKind};
pub use outgoing::Outgoing;
pub use subscription::{Binding, BindingKind, QueueLifetime, QueueType, Subscription};
pub use topology::Topology;

use crate::BoxFuture;
use crate::delivery::{Delivery, Receipt, Settlement};
use crate::message::Message;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

/// What a transport offers beyond the common ground. The conformance suite says "not offered" for the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// Messages outlive the process.
    pub durable: bool,
    /// How long the broker lets one delivery stay unacknowledged; `None` for ever.
    pub longest_unacknowledged: Option<Duration>,
}

impl Capabilities {
    /// These capabilities.
    pub const fn new(durable: bool, longest_unacknowledged: Option<Duration>) -> Self {
        Self { durable, longest_unacknowledged }
    }
}

/// What the container will ask of a link.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Plan {
    /// The longest wait that [`Link::redeliver`] can be asked for; zero if it will not be called.
    pub longest_delay: Duration,
}

impl Plan {
    /// A plan.
    pub const fn new(longest_delay: Duration) -> Self {
        Self { longest_delay }
    }
}

/// A broker, as configured.
pub trait Transport: Send + Sync + 'static {
    /// The value of OpenTelemetry's `messaging.system`.
    fn system(&self) -> &'static str;

    /// Where it connects to, without any secret: for logs and errors.
    fn address(&self) -> String;

    /// What it offers.
    fn capabilities(&self) -> Capabilities;

    /// The queue for deliveries of this subscription that may have ended a process. `None` where the broker does not
    /// count returns, so that nothing can be suspected.
    fn suspect_queue(&self, subscription: &Subscription) -> Option<String> {
        let _ = subscription;
        None
    }

    /// Opens one link. Bounded in time by the adapter.
    ///
    /// # Errors
    /// [`TransportError`], naming host, virtual host or user, never a secret.
    fn connect<'a>(&'a self, plan: &'a Plan) -> BoxFuture<'a, Result<Arc<dyn Link>, TransportError>>;
}

/// One connection epoch. Every call is bounded in time.
pub trait Link: Send + Sync + 'static {
    /// Makes sure that the subscription's queues exist as the topology setting says, and starts a consumer on a
    /// channel of its own.
    fn subscribe<'a>(
        &'a self,
        subscription: &'a Subscription,
    ) -> BoxFuture<'a, Result<Box<dyn Consumer>, TransportError>>;

    /// Publishes with confirm and mandatory: resolves once the broker has the message in a queue.
    fn publish(&self, outgoing: Outgoing) -> BoxFuture<'_, Result<(), PublishError>>;

    /// Puts a copy back into `queue` after a wait, through the transport's own deliver exchange, so that the history in
    /// its headers is trusted when it comes back. Persistent and confirmed. Waits longer than the broker can hold are
    /// shortened; the rest travels with the message.
    fn redeliver<'a>(
        &'a self,
        queue: &'a str,
        copy: Message,
        after: Duration,
    ) -> BoxFuture<'a, Result<(), PublishError>>;

    /// Whether the queue exists.
    fn queue_exists<'a>(&'a self, queue: &'a str) -> BoxFuture<'a, Result<bool, TransportError>>;

    /// Deletes a queue and what is in it. Fine if it does not exist.
    fn delete_queue<'a>(&'a self, queue: &'a str) -> BoxFuture<'a, Result<(), TransportError>>;

    /// Resolves when the link is lost, with the reason. Never after [`close`](Self::close).
    fn lost(&self) -> BoxFuture<'static, TransportError>;

    /// Resolves with the next thing the broker says about the link as a whole. Asked for by one caller, one at a time;
    /// nothing is lost between two calls. Never for a broker that says nothing.
    fn notice(&self) -> BoxFuture<'_, Notice> {
        Box::pin(std::future::pending())
    }

    /// Closes the link in order. Consumers were closed before.
    fn close(&self) -> BoxFuture<'_, ()>;
}

/// What a broker says about a link that goes on living.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// The broker takes no more messages for now: an alarm. Consuming goes on.
    Blocked {
        /// The broker's word.
        reason: String,
    },
    /// The broker takes messages again.
    Unblocked,
}

/// One consumer on one channel.
///
/// Settling is synchronous and cheap: an adapter that talks to a broker queues it to its acker. Dropping a consumer
/// closes its channel: what is unsettled goes back to its queue.
pub trait Consumer: Send {
    /// The next delivery. `None` after [`cancel`](Self::cancel), when all buffered deliveries were handed out; an error
    /// when the channel or the consumer is gone, after which there is nothing more.
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Delivery, TransportError>>>;

    /// Settles a delivery of this consumer.
    fn settle(&mut self, receipt: Receipt, settlement: Settlement);

    /// Asks the broker for no more; what is buffered still comes. Called once.
    fn cancel(&mut self) -> BoxFuture<'static, Result<(), TransportError>>;

    /// Sends the last settlements and closes the channel. What is unsettled goes back to its queue, in order, together
    /// with the consumer if it was not cancelled.
    fn close(self: Box<Self>) -> BoxFuture<'static, Result<(), TransportError>>;
}

const _: fn(&dyn Transport, &dyn Link, &dyn Consumer) = |_, _, _| {};
