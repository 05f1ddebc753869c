use crate::Journal;
use hearken_core::BoxFuture;
use hearken_core::delivery::{Delivery, Receipt, Settlement};
use hearken_core::message::Message;
use hearken_core::transport::{
    Capabilities, Consumer, Link, Notice, Outgoing, Plan, PublishError, Subscription, Transport,
    TransportError,
};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

/// A transport that writes down what the container asks of it: `settle …`, `publish …`, `redeliver …`.
pub struct RecordingTransport {
    inner: Arc<dyn Transport>,
    journal: Journal,
}

impl RecordingTransport {
    /// Writes what is asked of `inner` into `journal`.
    pub fn new(inner: Arc<dyn Transport>, journal: Journal) -> Self {
        Self { inner, journal }
    }
}

impl Transport for RecordingTransport {
    fn system(&self) -> &'static str {
        self.inner.system()
    }

    fn address(&self) -> String {
        self.inner.address()
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn suspect_queue(&self, subscription: &Subscription) -> Option<String> {
        self.inner.suspect_queue(subscription)
    }

    fn connect<'a>(&'a self, plan: &'a Plan) -> BoxFuture<'a, Result<Arc<dyn Link>, TransportError>> {
        Box::pin(async move {
            let inner = self.inner.connect(plan).await?;
            Ok(Arc::new(RecordedLink { inner, journal: self.journal.clone() }) as Arc<dyn Link>)
        })
    }
}

struct RecordedLink {
    inner: Arc<dyn Link>,
    journal: Journal,
}

impl Link for RecordedLink {
    fn subscribe<'a>(
        &'a self,
        subscription: &'a Subscription,
    ) -> BoxFuture<'a, Result<Box<dyn Consumer>, TransportError>> {
        Box::pin(async move {
            let inner = self.inner.subscribe(subscription).await?;
            let consumer = RecordedConsumer {
                inner,
                journal: self.journal.clone(),
                listener: subscription.listener.clone(),
            };
            Ok(Box::new(consumer) as Box<dyn Consumer>)
        })
    }

    fn publish(&self, outgoing: Outgoing) -> BoxFuture<'_, Result<(), PublishError>> {
        Box::pin(async move {
            let word = if outgoing.relayed { "move" } else { "publish" };
            let result = self.inner.publish(outgoing).await;
            self.journal.write(format!("{word} {}", if result.is_ok() { "confirmed" } else { "failed" }));
            result
        })
    }

    fn redeliver<'a>(
        &'a self,
        queue: &'a str,
        copy: Message,
        after: Duration,
    ) -> BoxFuture<'a, Result<(), PublishError>> {
        Box::pin(async move {
            let result = self.inner.redeliver(queue, copy, after).await;
            self.journal.write(format!("redeliver {}", if result.is_ok() { "confirmed" } else { "failed" }));
            result
        })
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

struct RecordedConsumer {
    inner: Box<dyn Consumer>,
    journal: Journal,
    listener: String,
}

impl Consumer for RecordedConsumer {
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Delivery, TransportError>>> {
        self.inner.poll_receive(context)
    }

    fn settle(&mut self, receipt: Receipt, settlement: Settlement) {
        self.journal.write(format!("{} settle {settlement:?}", self.listener));
        self.inner.settle(receipt, settlement);
    }

    fn cancel(&mut self) -> BoxFuture<'static, Result<(), TransportError>> {
        self.inner.cancel()
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, Result<(), TransportError>> {
        self.inner.close()
    }
}
