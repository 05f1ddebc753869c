use crate::acker::Settler;
use crate::convert;
use crate::error::transport_error;
use crate::hop;
use crate::io::within;
use crate::link::Core;
use futures_core::Stream;
use hearken_core::BoxFuture;
use hearken_core::delivery::{Defect, Delivery, Origin, Receipt, Settlement};
use hearken_core::history::History;
use hearken_core::message::Message;
use hearken_core::transport::{TransportError, TransportErrorKind};
use lapin::Channel;
use lapin::options::BasicCancelOptions;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::oneshot;

/// How long a delivery is kept whose next round could not be published.
const PAUSE: Duration = Duration::from_secs(1);

/// One consumer on one channel.
pub(crate) struct Consumer {
    core: Arc<Core>,
    channel: Channel,
    stream: lapin::Consumer,
    settler: Settler,
    // The acker's complaint, while it may still come.
    fault: Option<oneshot::Receiver<TransportError>>,
    queue: Arc<str>,
    cancelled: bool,
    ended: bool,
}

impl Consumer {
    pub(crate) fn new(
        core: Arc<Core>,
        channel: Channel,
        stream: lapin::Consumer,
        (settler, fault): (Settler, oneshot::Receiver<TransportError>),
        queue: &str,
    ) -> Self {
        let fault = Some(fault);
        Self { core, channel, stream, settler, fault, queue: queue.into(), cancelled: false, ended: false }
    }

    fn poll_fault(&mut self, cx: &mut Context<'_>) -> Option<TransportError> {
        let fault = self.fault.as_mut()?;
        let Poll::Ready(result) = Pin::new(fault).poll(cx) else { return None };
        self.fault = None;
        result.ok()
    }

    /// What is handed out of a delivery: nothing if it is to wait on, or was moved before.
    fn take(&self, delivery: lapin::message::Delivery) -> Option<Delivery> {
        let tag = delivery.delivery_tag;
        let repaired = self.core.consume.repairs().take(self.channel.id(), tag);
        let bytes = delivery.data.len() as u64;
        let defect = match self.core.settings.max_message_bytes {
            Some(limit) if bytes > limit => Some(Defect::TooLarge { bytes, limit }),
            _ => repaired.then_some(Defect::Repaired),
        };
        let mut message = convert::message(delivery.data, &delivery.properties);
        hop::strip_counts(message.headers_mut());
        let arrived = self.core.names.is_own(delivery.exchange.as_str());
        let (history, origin, hold, rest) = if arrived {
            self.arrive(&mut message)
        } else {
            let origin = Origin {
                queue: self.queue.clone(),
                exchange: delivery.exchange.as_str().into(),
                routing_key: delivery.routing_key.as_str().into(),
            };
            (None, origin, Duration::ZERO, Duration::ZERO)
        };
        let attempts = history.as_ref().map_or(0, |history| history.attempts);
        let identity = self.core.identities.of(&self.queue, attempts, &message);
        if delivery.redelivered && identity.is_some_and(|identity| self.core.memory.take(identity)) {
            let (queue, id) = (&*self.queue, message.id());
            tracing::info!(
                target: "hearken::rabbitmq", queue, message.id = id,
                "acknowledged: moved before, its acknowledgement was lost"
            );
            self.settler.settle(tag, Settlement::Acknowledge, None);
            return None;
        }
        if !rest.is_zero() {
            self.send_on(message, rest, tag, identity);
            return None;
        }
        if arrived {
            History::strip(message.headers_mut());
        }
        let receipt = Receipt::new(tag, identity);
        Some(Delivery {
            message,
            origin,
            history,
            redelivered: delivery.redelivered,
            delivery_count: 0,
            hold,
            defect,
            receipt,
        })
    }

    /// Reads what a copy carries that came through the deliver exchange.
    fn arrive(&self, message: &mut Message) -> (Option<History>, Origin, Duration, Duration) {
        let arrival = hop::unpack(message);
        let queue = &*self.queue;
        if arrival.target.as_deref() != Some(queue) {
            tracing::warn!(
                target: "hearken::rabbitmq", queue, meant_for = arrival.target,
                "a copy came through the deliver exchange that is not meant for this queue: its history is not trusted"
            );
            History::strip(message.headers_mut());
            let (history, origin) = hop::story(message.headers(), queue);
            return (history, origin, Duration::ZERO, Duration::ZERO);
        }
        let (history, origin) = hop::story(message.headers(), queue);
        (history, origin, arrival.hold, arrival.rest)
    }

    /// Another round through the levels, without a handler call.
    fn send_on(&self, copy: Message, rest: Duration, tag: u64, identity: Option<u64>) {
        let (core, settler, queue) = (self.core.clone(), self.settler.clone(), self.queue.clone());
        self.core.io.spawn(async move {
            match core.clone().redeliver(&queue, copy, rest).await {
                Ok(()) => settler.settle(tag, Settlement::Moved, identity),
                Err(error) => {
                    tracing::warn!(
                        target: "hearken::rabbitmq", queue = &*queue, %error,
                        "a waiting message could not be sent on; it is tried again"
                    );
                    tokio::time::sleep(PAUSE).await;
                    settler.settle(tag, Settlement::HandBack, None);
                }
            }
        });
    }

    fn end(&mut self, error: TransportError) -> Poll<Option<Result<Delivery, TransportError>>> {
        self.ended = true;
        Poll::Ready(Some(Err(error)))
    }
}

impl hearken_core::transport::Consumer for Consumer {
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Delivery, TransportError>>> {
        while !self.ended {
            if let Some(error) = self.poll_fault(cx) {
                return self.end(error);
            }
            match std::task::ready!(Pin::new(&mut self.stream).poll_next(cx)) {
                // Deliveries that lapin buffered before the channel was lost come again on the next one.
                Some(Ok(_)) if !self.channel.status().connected() => {}
                Some(Ok(delivery)) => {
                    if let Some(delivery) = self.take(delivery) {
                        return Poll::Ready(Some(Ok(delivery)));
                    }
                }
                Some(Err(error)) => {
                    self.settler.broken();
                    return self.end(transport_error(&format!("consuming from `{}`", self.queue), &error));
                }
                None if self.cancelled => self.ended = true,
                None => {
                    let message = format!("the broker ended the consumer of `{}`", self.queue);
                    return self.end(TransportError::new(TransportErrorKind::ConsumerCancelled, message));
                }
            }
        }
        Poll::Ready(None)
    }

    fn settle(&mut self, receipt: Receipt, settlement: Settlement) {
        self.settler.settle(receipt.tag(), settlement, receipt.identity());
    }

    fn cancel(&mut self) -> BoxFuture<'static, Result<(), TransportError>> {
        self.cancelled = true;
        let (channel, tag, limit) =
            (self.channel.clone(), self.stream.tag(), self.core.settings.call_timeout);
        let what = format!("cancelling the consumer of `{}`", self.queue);
        let io = self.core.io.clone();
        Box::pin(async move {
            io.run(async move {
                within(limit, &what, channel.basic_cancel(tag, BasicCancelOptions::default())).await
            })
            .await
        })
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, Result<(), TransportError>> {
        Box::pin(self.settler.close())
    }
}
