//! The embedded broker as a transport that writes down what leaves, and tells of every settlement.

use super::record::Record;
use hearken_core::BoxFuture;
use hearken_core::delivery::{Delivery, Receipt, Settlement};
use hearken_core::message::Message;
use hearken_core::transport::{
    Capabilities, Consumer, Link, Notice, Outgoing, Plan, PublishError, Subscription, Transport,
    TransportError,
};
use hearken_embedded::EmbeddedTransport;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

pub(super) struct Watched {
    pub(super) inner: EmbeddedTransport,
    pub(super) record: Arc<Record>,
}

impl Transport for Watched {
    fn system(&self) -> &'static str {
        self.inner.system()
    }

    fn address(&self) -> String {
        self.inner.address()
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn connect<'a>(&'a self, plan: &'a Plan) -> BoxFuture<'a, Result<Arc<dyn Link>, TransportError>> {
        Box::pin(async move {
            let link =
                WatchedLink { inner: self.inner.connect(plan).await?, record: Arc::clone(&self.record) };
            Ok(Arc::new(link) as Arc<dyn Link>)
        })
    }
}

struct WatchedLink {
    inner: Arc<dyn Link>,
    record: Arc<Record>,
}

impl Link for WatchedLink {
    fn subscribe<'a>(
        &'a self,
        subscription: &'a Subscription,
    ) -> BoxFuture<'a, Result<Box<dyn Consumer>, TransportError>> {
        Box::pin(async move {
            let inner = self.inner.subscribe(subscription).await?;
            Ok(Box::new(WatchedConsumer { inner, record: Arc::clone(&self.record) }) as Box<dyn Consumer>)
        })
    }

    fn publish(&self, mut outgoing: Outgoing) -> BoxFuture<'_, Result<(), PublishError>> {
        Box::pin(async move {
            if outgoing.relayed {
                self.inner.publish(outgoing.clone()).await?;
                self.record.dead_letter(&outgoing);
                return Ok(());
            }
            self.record.name(&mut outgoing);
            let own = self.record.expects(&outgoing);
            match self.inner.publish(outgoing.clone()).await {
                Ok(()) => {}
                // What listeners send may be for other services, which are no part of the test.
                Err(error) if !own && goes_nowhere(&outgoing, &error) => {}
                Err(error) => return Err(error),
            }
            self.record.published(&outgoing);
            Ok(())
        })
    }

    fn redeliver<'a>(
        &'a self,
        queue: &'a str,
        copy: Message,
        after: Duration,
    ) -> BoxFuture<'a, Result<(), PublishError>> {
        self.inner.redeliver(queue, copy, after)
    }

    fn queue_exists<'a>(&'a self, queue: &'a str) -> BoxFuture<'a, Result<bool, TransportError>> {
        self.inner.queue_exists(queue)
    }

    fn delete_queue<'a>(&'a self, queue: &'a str) -> BoxFuture<'a, Result<(), TransportError>> {
        self.inner.delete_queue(queue)
    }

    fn lost(&self) -> BoxFuture<'static, TransportError> {
        self.inner.lost()
    }

    fn notice(&self) -> BoxFuture<'_, Notice> {
        self.inner.notice()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.inner.close()
    }
}

/// Whether the embedded broker has no place for the message.
fn goes_nowhere(outgoing: &Outgoing, error: &PublishError) -> bool {
    match error {
        PublishError::Returned { .. } => true,
        PublishError::Refused { reason } => {
            *reason == format!("no exchange `{}`", outgoing.destination.exchange)
        }
        _ => false,
    }
}

struct WatchedConsumer {
    inner: Box<dyn Consumer>,
    record: Arc<Record>,
}

impl Consumer for WatchedConsumer {
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Delivery, TransportError>>> {
        self.inner.poll_receive(context)
    }

    fn settle(&mut self, receipt: Receipt, settlement: Settlement) {
        self.inner.settle(receipt, settlement);
        self.record.change();
    }

    fn cancel(&mut self) -> BoxFuture<'static, Result<(), TransportError>> {
        self.inner.cancel()
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, Result<(), TransportError>> {
        let closed = self.inner.close();
        self.record.change();
        closed
    }
}
