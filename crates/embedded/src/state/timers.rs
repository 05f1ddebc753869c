use super::payload::Payload;
use super::slab::QueueId;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::time::Instant;

/// What happens when a timer is due.
pub(crate) enum Timer {
    /// A delayed copy arrives in its queue.
    Arrive { queue: QueueId, payload: Arc<Payload> },
    /// A ready message, named by the timer's sequence, expires.
    Expire { queue: QueueId },
}

/// All timers of a broker, in the order in which they fall due.
#[derive(Default)]
pub(crate) struct Timers {
    due: BTreeMap<(Instant, u64), Timer>,
    /// When the shell will look next by itself; `None` if it does not sleep towards a timer.
    armed: Option<Instant>,
}

impl Timers {
    pub(crate) fn insert(&mut self, due: Instant, sequence: u64, timer: Timer) {
        self.due.insert((due, sequence), timer);
    }

    pub(crate) fn cancel(&mut self, due: Instant, sequence: u64) {
        self.due.remove(&(due, sequence));
    }

    /// The next timer that is due at `now`, with its sequence.
    pub(crate) fn pop(&mut self, now: Instant) -> Option<(u64, Timer)> {
        let entry = self.due.first_entry()?;
        (entry.key().0 <= now).then(|| {
            let ((_, sequence), timer) = entry.remove_entry();
            (sequence, timer)
        })
    }

    /// Notes that the shell sleeps towards the first timer from now on, and says when that is.
    pub(crate) fn arm(&mut self) -> Option<Instant> {
        self.armed = self.first();
        self.armed
    }

    /// Notes that nobody sleeps towards the first timer any more.
    pub(crate) fn disarm(&mut self) {
        self.armed = None;
    }

    /// Whether the shell sleeps for too long.
    pub(crate) fn overslept(&self) -> bool {
        self.first().is_some_and(|first| self.armed.is_none_or(|armed| first < armed))
    }

    fn first(&self) -> Option<Instant> {
        self.due.first_key_value().map(|((due, _), _)| *due)
    }
}
