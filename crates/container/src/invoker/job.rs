use crate::state::WaitingCopy;
use hearken_core::dead_letter::Reason;
use hearken_core::delivery::{Delivery, Origin, Receipt};
use hearken_core::failure::FailureKind;
use hearken_core::history::FailureRecord;
use hearken_core::history::History;
use hearken_core::message::Message;
use hearken_core::time::Timestamp;
use hearken_core::transport::PublishError;
use std::time::Duration;

/// A delivery in the hands of an invoker.
pub(crate) struct Job {
    pub(crate) message: Message,
    pub(crate) origin: Origin,
    /// All failed attempts so far, those of this delivery included.
    pub(crate) history: Option<History>,
    pub(crate) redelivered: bool,
    /// How often the broker took it back, by its own count.
    pub(crate) delivery_count: u64,
    pub(crate) receipt: Receipt,
    /// How long this delivery has been held, over all its holds.
    pub(crate) held: Duration,
    /// That its copy was not taken, and is to be tried again.
    pub(crate) waits: Option<WaitingCopy>,
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
            delivery_count: delivery.delivery_count,
            receipt: delivery.receipt,
            held: delivery.hold,
            waits: None,
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

    /// Adds attempts that ended with their process.
    pub(crate) fn count_deaths(&mut self, deaths: u64, now: Timestamp) {
        for _ in 0..deaths {
            let text = "the process ended during the call".to_owned();
            let record = FailureRecord { kind: FailureKind::Crash, code: None, text };
            self.history = Some(History::failed(self.history.as_ref(), record, now));
        }
    }

    /// Takes what the broker counted since the message was last published for failed attempts.
    pub(crate) fn count_returns(&mut self, now: Timestamp) {
        if self.delivery_count == 0 {
            return;
        }
        let text = "counted by the broker: the attempt failed in another process, or with it".to_owned();
        let record = FailureRecord { kind: FailureKind::Crash, code: None, text };
        let mut history = History::failed(self.history.as_ref(), record, now);
        history.attempts = self.attempts().saturating_add(self.delivery_count);
        self.attempts_received = history.attempts;
        self.history = Some(history);
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
    /// To the suspect queue of its listener.
    Suspect,
    /// To the dead letter queue.
    DeadLetter {
        /// Why.
        reason: Reason,
    },
}

/// What became of a copy.
pub(crate) struct Relocated {
    pub(crate) job: Job,
    pub(crate) relocation: Relocation,
    pub(crate) result: Result<(), PublishError>,
}
