//! One invoker's place: it opens a consumer, runs it, and opens another when that one is gone.

use crate::epoch::{Epoch, Epochs, chain, living};
use crate::invoker::{End, HandedBack, Invoker};
use crate::listener::ListenerRuntime;
use crate::pace::Pace;
use futures_util::FutureExt;
use hearken_core::transport::TransportError;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep_until};

/// Runs until stopped.
pub(crate) struct Slot {
    pub(crate) listener: Arc<ListenerRuntime>,
    pub(crate) epochs: Epochs,
    pub(crate) stop: watch::Receiver<bool>,
    /// Told how the first try to open a consumer ended. An error that waiting cannot mend ends the slot.
    pub(crate) first: Option<oneshot::Sender<Result<(), TransportError>>>,
}

impl Slot {
    pub(crate) async fn run(mut self) -> HandedBack {
        let mut pace = Pace::new(self.listener.settings.recovery_interval);
        loop {
            let Some(epoch) = self.epoch(&mut pace).await else { return HandedBack::default() };
            let opened = tokio::select! {
                opened = epoch.link.subscribe(&self.listener.subscription) => opened,
                _ = self.stop.wait_for(|stop| *stop) => return HandedBack::default(),
            };
            let consumer = match opened {
                Ok(consumer) => consumer,
                Err(error) => {
                    self.failed(&error);
                    if let Some(first) = self.first.take() {
                        let fatal = error.is_fatal_at_start();
                        if fatal {
                            self.listener.state.failed(chain(&error));
                        }
                        let _ = first.send(if fatal { Err(error) } else { Ok(()) });
                        if fatal {
                            return HandedBack::default();
                        }
                    }
                    continue;
                }
            };
            if let Some(first) = self.first.take() {
                let _ = first.send(Ok(()));
            }
            self.listener.state.consumer_opened();
            let invoker = Invoker::new(Arc::clone(&self.listener), epoch, consumer);
            let end = AssertUnwindSafe(invoker.run(self.stop.clone())).catch_unwind().await;
            self.listener.state.consumer_gone();
            match end {
                Ok(End::Stopped(handed_back)) => return handed_back,
                Ok(End::Lost(error)) => self.failed(&error),
                // What the invoker had in hand went back with its channel.
                Err(_panic) => tracing::error!(
                    hearken.listener = &*self.listener.id,
                    "an invoker was lost to a panic outside of the handler; it is replaced"
                ),
            }
        }
    }

    async fn epoch(&mut self, pace: &mut Pace) -> Option<Epoch> {
        let Self { epochs, stop, .. } = self;
        let opening = async {
            living(epochs).await?;
            sleep_until(pace.next(Instant::now())).await;
            living(epochs).await
        };
        tokio::select! {
            epoch = opening => epoch,
            _ = stop.wait_for(|stop| *stop) => None,
        }
    }

    fn failed(&self, error: &TransportError) {
        tracing::warn!(
            hearken.listener = &*self.listener.id,
            messaging.destination.name = self.listener.settings.queue,
            error = %chain(error),
            "no consumer; trying again every {:?}",
            self.listener.settings.recovery_interval
        );
    }
}
