use hearken_core::delivery::{Delivery, Origin, Receipt};
use hearken_core::history::History;
use hearken_core::message::Message;
use hearken_core::transport::PublishError;
use std::time::Duration;

/// A delivery in the hands of an invoker.
pub(crate) struct Job {
    pub(crate) message: Message,
    pub(crate) origin: Origin,
    /// All failed attempts so far, those of this delivery included.
    pub(crate) history: Option<History>,
    pub(crate) redelivered: bool,
    pub(crate) receipt: Receipt,
    /// How long this delivery has been held, over all its holds.
    pub(crate) held: Duration,
    /// The attempts the broker's copy knows of.
    attempts_received: u64,
}

impl From<Delivery> for Job {
    fn from(delivery: Delivery) -> Self {
        Self {
            attempts_received: delivery.history.as_ref().map_or(0, |history| history.attempts),
            message: delivery.message,
            origin: delivery.origin,
            history: delivery.history,
            redelivered: delivery.redelivered,
            receipt: delivery.receipt,
            held: delivery.hold,
        }
    }
}

impl Job {
    /// Failed attempts so far.
    pub(crate) fn attempts(&self) -> u64 {
        self.history.as_ref().map_or(0, |history| history.attempts)
    }

    /// The number of the next handler call; the first is 1.
    pub(crate) fn attempt(&self) -> u64 {
        self.attempts().saturating_add(1)
    }

    /// Whether attempts failed that the broker's copy does not know of.
    pub(crate) fn count_rose(&self) -> bool {
        self.attempts() > self.attempts_received
    }
}

/// What waits in an invoker.
pub(crate) enum Held {
    /// A handler call.
    Call(Job),
    /// Another try to send a copy that the broker did not take.
    Relocation(Job, Relocation),
}

/// Where a copy goes before its original is acknowledged.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Relocation {
    /// Back to its queue after this time.
    Later(Duration),
    /// To the dead letter queue.
    DeadLetter {
        /// Whether the policy's limit was reached.
        exhausted: bool,
    },
}

/// What became of a copy.
pub(crate) struct Relocated {
    pub(crate) job: Job,
    pub(crate) relocation: Relocation,
    pub(crate) result: Result<(), PublishError>,
}
