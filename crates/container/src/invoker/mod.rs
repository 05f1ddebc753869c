//! One invoker: one channel, one consumer, one handler call at a time.

mod call;
mod drain;
mod holds;
mod job;
mod placement;
mod settle;

pub(crate) use drain::HandedBack;
pub(crate) use job::{Job, Relocation};
pub(crate) use placement::Rule;

use crate::epoch::Epoch;
use crate::listener::ListenerRuntime;
use crate::observe;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use hearken_core::BoxFuture;
use hearken_core::delivery::Delivery;
use hearken_core::failure::{Failure, FailureKind};
use hearken_core::outcome::Outcome;
use hearken_core::transport::{Consumer, TransportError};
use holds::Holds;
use job::{Held, Relocated};
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// How an invoker ended.
pub(crate) enum End {
    /// It was told to stop, and handed back what it had.
    Stopped(HandedBack),
    /// Its channel or connection is gone; the broker takes back what was unsettled.
    Lost(TransportError),
}

enum Next {
    Stop,
    Delivery(Delivery),
    Due(Held),
    Lost(TransportError),
}

pub(crate) struct Invoker {
    listener: Arc<ListenerRuntime>,
    epoch: Epoch,
    consumer: Box<dyn Consumer>,
    /// Unacknowledged deliveries that wait for their time.
    holds: Holds<Held>,
    /// Copies on their way to the broker; each settles its original once it is confirmed.
    relocating: FuturesUnordered<BoxFuture<'static, Relocated>>,
    random: fastrand::Rng,
}

impl Invoker {
    pub(crate) fn new(listener: Arc<ListenerRuntime>, epoch: Epoch, consumer: Box<dyn Consumer>) -> Self {
        Self {
            listener,
            epoch,
            consumer,
            holds: Holds::default(),
            relocating: FuturesUnordered::new(),
            random: fastrand::Rng::new(),
        }
    }

    pub(crate) async fn run(mut self, mut stop: watch::Receiver<bool>) -> End {
        loop {
            match self.next(&mut stop).await {
                Next::Delivery(delivery) => self.admit(delivery).await,
                Next::Due(Held::Call(job)) => self.invoke(job).await,
                Next::Due(Held::Relocation(job, relocation)) => self.relocate(job, relocation),
                Next::Stop => return End::Stopped(self.drain().await),
                Next::Lost(error) => return End::Lost(error),
            }
        }
    }

    async fn next(&mut self, stop: &mut watch::Receiver<bool>) -> Next {
        // An ordered listener takes nothing new while a failed message waits.
        let receiving = self.listener.settings.non_blocking || self.holds.len() == 0;
        loop {
            let now = Instant::now();
            if self.epoch.is_alive()
                && let Some(held) = self.holds.take_due(now)
            {
                return Next::Due(held);
            }
            let due = self.holds.next_due();
            let Self { consumer, relocating, epoch, .. } = self;
            let relocated = tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => return Next::Stop,
                // Nothing that is held is called or moved once the broker has taken it back.
                () = epoch.lost(), if due.is_some() => return Next::Lost(lost()),
                Some(relocated) = relocating.next(), if !relocating.is_empty() => relocated,
                () = sleep_until(due.unwrap_or(now)), if due.is_some() => continue,
                received = poll_fn(|context| consumer.poll_receive(context)), if receiving => {
                    return match received {
                        Some(Ok(delivery)) => Next::Delivery(delivery),
                        Some(Err(error)) => Next::Lost(error),
                        None => Next::Lost(ended()),
                    };
                }
            };
            self.relocated(relocated);
        }
    }

    /// What a delivery must pass before a handler sees it.
    async fn admit(&mut self, delivery: Delivery) {
        let (hold, defect) = (delivery.hold, delivery.defect);
        let job = Job::from(delivery);
        if let Some(defect) = defect {
            let failure = Failure::new(FailureKind::Undecodable, defect);
            self.judge(job, Outcome::DeadLetter { failure });
        } else if self.is_over_limit(&job) {
            self.dead_letter_over_limit(job);
        } else if hold.is_zero() {
            self.invoke(job).await;
        } else {
            self.holds.insert(Instant::now(), hold, Held::Call(job));
        }
    }

    /// Calls the handler; meanwhile copies on their way go on.
    async fn invoke(&mut self, job: Job) {
        let span = observe::delivery(&self.listener, &job);
        let (job, outcome) = {
            let mut call = pin!(call::call(&self.listener, &self.epoch, job, &span));
            loop {
                let relocating = &mut self.relocating;
                let relocated = tokio::select! {
                    biased;
                    called = &mut call => break called,
                    Some(relocated) = relocating.next(), if !relocating.is_empty() => relocated,
                };
                settle::relocated_to(&self.listener, &mut *self.consumer, &mut self.holds, relocated);
            }
        };
        let _in_span = span.enter();
        if self.epoch.is_alive() {
            self.judge(job, outcome);
        } else {
            tracing::warn!(
                hearken.listener = &*self.listener.id,
                epoch = self.epoch.number,
                "the connection was lost during the call: its result is dropped, the message comes again"
            );
        }
    }
}

fn lost() -> TransportError {
    TransportError::new(
        hearken_core::transport::TransportErrorKind::ConnectionLost,
        "the connection was lost",
    )
}

fn ended() -> TransportError {
    let kind = hearken_core::transport::TransportErrorKind::ConsumerCancelled;
    TransportError::new(kind, "the consumer ended")
}
