use crate::acker::Settler;
use crate::convert;
use crate::error::transport_error;
use crate::hop;
use crate::io::within;
use crate::link::Core;
use crate::open::Open;
use futures_core::Stream;
use hearken_core::BoxFuture;
use hearken_core::delivery::{Defect, Delivery, Origin, Receipt, Settlement};
use hearken_core::history::History;
use hearken_core::message::Message;
use hearken_core::transport::{TransportError, TransportErrorKind};
use lapin::Channel;
use lapin::options::BasicCancelOptions;
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::sync::oneshot;

/// How long a delivery is kept whose next round could not be published.
const PAUSE: Duration = Duration::from_secs(1);

/// A consumer that was cancelled sooner than this after a delivery was not cancelled for holding it.
const SHORTEST_CONSUMER_TIMEOUT: Duration = Duration::from_secs(1);

/// One consumer on one channel.
pub(crate) struct Consumer {
    core: Arc<Core>,
    channel: Channel,
    stream: lapin::Consumer,
    settler: Settler,
    // The acker's complaint, while it may still come.
    fault: Option<oneshot::Receiver<TransportError>>,
    queue: Arc<str>,
    // What lapin has delivered, taken over so that the end behind it shows at once.
    buffer: VecDeque<lapin::message::Delivery>,
    // lapin says so once.
    exhausted: bool,
    open: Open,
    // The search for the reason of a cancel that was the broker's.
    reason: Option<oneshot::Receiver<TransportError>>,
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
        Self {
            core,
            channel,
            stream,
            settler,
            fault: Some(fault),
            queue: queue.into(),
            buffer: VecDeque::new(),
            exhausted: false,
            open: Open::default(),
            reason: None,
            cancelled: false,
            ended: false,
        }
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
        let delivery_count = hop::take_count(message.headers_mut(), delivery.redelivered);
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
            delivery_count,
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

    /// The broker cancelled the consumer, which may be all that RabbitMQ 4.3 does when a delivery stays unacknowledged for
    /// too long. Earlier versions close the channel and say why; this one does not, and takes the late ones back.
    fn cancelled_by_the_broker(&mut self) {
        self.buffer.clear();
        self.settler.doubtful();
        let (core, queue, open) = (self.core.clone(), self.queue.clone(), self.open.longest());
        let (tell, reason) = oneshot::channel();
        self.reason = Some(reason);
        self.core.io.spawn(async move {
            let exists = core.exists(&queue).await;
            // Nobody may be waiting any more.
            let _ = tell.send(why_cancelled(&queue, exists, open));
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
            if let Some(reason) = &mut self.reason {
                let error = ready!(Pin::new(reason).poll(cx)).unwrap_or_else(|_| {
                    let message = format!("the broker cancelled the consumer of `{}`", self.queue);
                    TransportError::new(TransportErrorKind::ConsumerCancelled, message)
                });
                return self.end(error);
            }
            while !self.exhausted {
                match Pin::new(&mut self.stream).poll_next(cx) {
                    Poll::Ready(Some(Ok(delivery))) => self.buffer.push_back(delivery),
                    Poll::Ready(Some(Err(error))) => {
                        self.settler.broken();
                        let what = format!("consuming from `{}`", self.queue);
                        return self.end(transport_error(&what, &error));
                    }
                    Poll::Ready(None) => self.exhausted = true,
                    Poll::Pending => break,
                }
            }
            if self.exhausted && !self.cancelled {
                self.cancelled_by_the_broker();
                continue;
            }
            while let Some(delivery) = self.buffer.pop_front() {
                // Deliveries that lapin buffered before the channel was lost come again on the next one.
                if !self.channel.status().connected() {
                    continue;
                }
                if let Some(delivery) = self.take(delivery) {
                    self.open.handed_out(delivery.receipt.tag());
                    return Poll::Ready(Some(Ok(delivery)));
                }
            }
            match self.exhausted {
                true => self.ended = true,
                false => return Poll::Pending,
            }
        }
        Poll::Ready(None)
    }

    fn settle(&mut self, receipt: Receipt, settlement: Settlement) {
        self.open.settled(receipt.tag());
        self.settler.settle(receipt.tag(), settlement, receipt.identity());
    }

    fn cancel(&mut self) -> BoxFuture<'static, Result<(), TransportError>> {
        self.cancelled = true;
        self.settler.cancelled();
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

fn why_cancelled(
    queue: &str,
    exists: Result<bool, TransportError>,
    open: Option<Duration>,
) -> TransportError {
    let cancelled = format!("the broker cancelled the consumer of `{queue}`");
    let (kind, message) = match (exists, open) {
        (Ok(false), _) => (TransportErrorKind::ConsumerCancelled, format!("{cancelled}: the queue is gone")),
        (Ok(true), Some(open)) if open >= SHORTEST_CONSUMER_TIMEOUT => (
            TransportErrorKind::ConsumerTimeout,
            format!("{cancelled}: a delivery was not acknowledged in time (for {open:.0?} now)"),
        ),
        (Ok(true), _) => (TransportErrorKind::ConsumerCancelled, cancelled),
        (Err(error), _) => (TransportErrorKind::ConsumerCancelled, format!("{cancelled} ({error})")),
    };
    TransportError::new(kind, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_consumer_that_held_a_delivery_of_a_living_queue_was_too_slow() {
        let kind = |exists, open: Option<u64>| {
            why_cancelled("q", exists, open.map(Duration::from_secs)).kind().clone()
        };
        let lost = || Err(TransportError::new(TransportErrorKind::ConnectionLost, "lost"));
        assert_eq!(kind(Ok(true), Some(1_800)), TransportErrorKind::ConsumerTimeout);
        for (exists, open) in
            [(Ok(true), None), (Ok(true), Some(0)), (Ok(false), Some(1_800)), (lost(), Some(1_800))]
        {
            assert_eq!(kind(exists, open), TransportErrorKind::ConsumerCancelled);
        }
    }
}
