//! Stopping: nothing new, running calls have ended, what is left goes back.

use super::Invoker;
use super::job::{Held, Relocated, Relocation};
use crate::epoch::chain;
use futures_util::StreamExt;
use hearken_core::delivery::Settlement;
use std::future::poll_fn;
use tokio::time::Instant;

/// What went back to the broker when an invoker stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HandedBack {
    /// Deliveries that no handler had seen.
    pub(crate) unhandled: u64,
    /// Held deliveries, with their count and what was left of their wait.
    pub(crate) held: u64,
}

impl Invoker {
    pub(super) async fn drain(mut self) -> HandedBack {
        let mut handed_back = HandedBack::default();
        if let Err(error) = self.consumer.cancel().await {
            tracing::debug!(hearken.listener = &*self.listener.id, error = %chain(&error), "cancel failed");
        }
        for (left, held) in self.holds.drain(Instant::now()) {
            match held {
                // A count that rose travels with a copy; order can be kept only by handing the delivery back itself.
                Held::Call(job) if job.count_rose() && self.listener.settings.non_blocking => {
                    self.relocate(job, Relocation::Later(left));
                    handed_back.held += 1;
                }
                Held::Call(job) => {
                    self.consumer.settle(job.receipt, Settlement::HandBack);
                    handed_back.held += 1;
                }
                Held::Relocation(job, relocation) => self.relocate(job, relocation),
            }
        }
        while let Some(Ok(delivery)) = poll_fn(|context| self.consumer.poll_receive(context)).await {
            self.consumer.settle(delivery.receipt, Settlement::HandBack);
            handed_back.unhandled += 1;
        }
        while let Some(Relocated { job, result, .. }) = self.relocating.next().await {
            let settlement = match result {
                Ok(()) => Settlement::Moved,
                Err(error) => {
                    tracing::warn!(
                        hearken.listener = &*self.listener.id,
                        error = %chain(&error),
                        "a copy was not taken while stopping: the message goes back as it came"
                    );
                    Settlement::HandBack
                }
            };
            self.consumer.settle(job.receipt, settlement);
        }
        if let Err(error) = self.consumer.close().await {
            tracing::warn!(
                hearken.listener = &*self.listener.id,
                error = %chain(&error),
                "the channel did not close in order: its last acknowledgements may be lost, and those messages come again"
            );
        }
        handed_back
    }
}
