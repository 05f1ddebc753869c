use crate::consumer::EmbeddedConsumer;
use crate::publish::{answered, publish};
use crate::shared::Shared;
use crate::state::LinkId;
use hearken_core::BoxFuture;
use hearken_core::message::Message;
use hearken_core::transport::Topology;
use hearken_core::transport::{
    Consumer, Link, Notice, Outgoing, PublishError, Subscription, TransportError, TransportErrorKind,
};
use std::future::{pending, poll_fn};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::watch;

/// A link to an embedded broker: a number the broker knows until it is cut or closed.
pub(crate) struct EmbeddedLink {
    shared: Arc<Shared>,
    open: Arc<OpenLink>,
    topology: Topology,
    /// As it was when the link was opened: a change is a cut.
    cuts: watch::Receiver<u64>,
    closed: Arc<AtomicBool>,
}

/// Keeps a link open. Its consumers hold it too: a link that is dropped unclosed lives on while one of them does.
pub(crate) struct OpenLink {
    shared: Arc<Shared>,
    id: LinkId,
}

impl Drop for OpenLink {
    fn drop(&mut self) {
        self.shared.step(|state, now| state.close_link(self.id, now));
    }
}

impl EmbeddedLink {
    pub(crate) fn open(shared: &Arc<Shared>, topology: Topology) -> Result<Self, TransportError> {
        let (id, cuts) = shared.step(|state, _| (state.open_link(), shared.cuts().subscribe()));
        let closed = Arc::new(AtomicBool::new(false));
        let open = Arc::new(OpenLink { shared: Arc::clone(shared), id: id? });
        Ok(Self { shared: Arc::clone(shared), open, topology, cuts, closed })
    }
}

impl Link for EmbeddedLink {
    fn subscribe<'a>(
        &'a self,
        subscription: &'a Subscription,
    ) -> BoxFuture<'a, Result<Box<dyn Consumer>, TransportError>> {
        Box::pin(async move {
            let open = self
                .shared
                .step(|state, now| state.subscribe(self.open.id, subscription, self.topology, now))?;
            let consumer: Box<dyn Consumer> =
                Box::new(EmbeddedConsumer::new(Arc::clone(&self.shared), Arc::clone(&self.open), open));
            Ok(consumer)
        })
    }

    fn publish(&self, outgoing: Outgoing) -> BoxFuture<'_, Result<(), PublishError>> {
        Box::pin(publish(Arc::clone(&self.shared), Some(self.open.id), outgoing))
    }

    fn redeliver<'a>(
        &'a self,
        queue: &'a str,
        copy: Message,
        after: Duration,
    ) -> BoxFuture<'a, Result<(), PublishError>> {
        Box::pin(async move {
            let link = Some(self.open.id);
            let attempt = self.shared.step(|state, now| state.redeliver(link, queue, copy, after, now));
            answered(Arc::clone(&self.shared), attempt).await
        })
    }

    fn queue_exists<'a>(&'a self, queue: &'a str) -> BoxFuture<'a, Result<bool, TransportError>> {
        Box::pin(async move {
            self.shared.step(|state, _| {
                state.check_open(self.open.id)?;
                Ok(state.find_for(self.open.id, queue)?.is_some())
            })
        })
    }

    fn delete_queue<'a>(&'a self, queue: &'a str) -> BoxFuture<'a, Result<(), TransportError>> {
        Box::pin(async move {
            self.shared.step(|state, now| {
                state.check_open(self.open.id)?;
                if state.find_for(self.open.id, queue)?.is_some() {
                    state.delete_queue(queue, now);
                }
                Ok(())
            })
        })
    }

    fn lost(&self) -> BoxFuture<'static, TransportError> {
        let (mut cuts, closed) = (self.cuts.clone(), Arc::clone(&self.closed));
        Box::pin(async move {
            if cuts.changed().await.is_err() || closed.load(Ordering::Acquire) {
                pending::<()>().await;
            }
            let text = "the connection to the embedded broker was cut, as it was told to be";
            TransportError::new(TransportErrorKind::ConnectionLost, text)
        })
    }

    fn notice(&self) -> BoxFuture<'_, Notice> {
        Box::pin(poll_fn(|context| {
            self.shared.look(|state| state.next_notice(self.open.id, context.waker()))
        }))
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.closed.store(true, Ordering::Release);
            self.shared.step(|state, now| state.close_link(self.open.id, now));
        })
    }
}
