use crate::link::OpenLink;
use crate::shared::Shared;
use crate::state::{ConsumerId, Open};
use hearken_core::BoxFuture;
use hearken_core::delivery::{Delivery, Receipt, Settlement};
use hearken_core::transport::{Consumer, TransportError};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::task::coop::poll_proceed;

/// A consumer of an embedded broker. Dropped, it gives back what is unsettled.
pub(crate) struct EmbeddedConsumer {
    shared: Arc<Shared>,
    _link: Arc<OpenLink>,
    id: ConsumerId,
    queue: Arc<str>,
}

impl EmbeddedConsumer {
    pub(crate) fn new(shared: Arc<Shared>, link: Arc<OpenLink>, open: Open) -> Self {
        Self { shared, _link: link, id: open.id, queue: open.queue }
    }
}

impl Consumer for EmbeddedConsumer {
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Delivery, TransportError>>> {
        // As tokio's channels do: a consumer that always finds a message would keep its thread from everyone else.
        let budget = ready!(poll_proceed(context));
        let next = ready!(self.shared.look(|state| state.next(self.id, context.waker())));
        budget.made_progress();
        Poll::Ready(next.map(|handed| handed.map(|handed| handed.into_delivery(&self.queue))))
    }

    fn settle(&mut self, receipt: Receipt, settlement: Settlement) {
        let forgotten = self.shared.step(|state, now| state.settle(self.id, receipt.tag(), settlement, now));
        drop(forgotten);
    }

    fn cancel(&mut self) -> BoxFuture<'static, Result<(), TransportError>> {
        self.shared.step(|state, now| state.cancel(self.id, now));
        Box::pin(std::future::ready(Ok(())))
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, Result<(), TransportError>> {
        drop(self);
        Box::pin(std::future::ready(Ok(())))
    }
}

impl Drop for EmbeddedConsumer {
    fn drop(&mut self) {
        self.shared.step(|state, now| state.detach(self.id, now));
    }
}
