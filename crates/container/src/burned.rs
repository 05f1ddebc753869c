//! Attempts that failed on a channel that was lost with them, remembered until their messages come again.

use hearken_core::history::History;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::time::Instant;

/// How many are remembered. Each costs a delivery that the broker took back, so there are few.
const CAPACITY: usize = 1024;

/// What is remembered of one message.
#[derive(Clone, Debug)]
pub(crate) struct Burned {
    /// Its attempts so far, the lost one included.
    pub(crate) history: History,
    /// When the next one may begin.
    pub(crate) due: Instant,
}

/// By message id; bounded, the oldest goes first. Lost with the process.
#[derive(Debug, Default)]
pub(crate) struct BurnedAttempts(Mutex<VecDeque<(String, Burned)>>);

impl BurnedAttempts {
    pub(crate) fn remember(&self, message: String, burned: Burned) {
        let mut entries = self.lock();
        entries.retain(|(id, _)| *id != message);
        if entries.len() == CAPACITY {
            entries.pop_front();
        }
        entries.push_back((message, burned));
    }

    /// What is remembered of this message; it is forgotten by that.
    pub(crate) fn take(&self, message: &str) -> Option<Burned> {
        let mut entries = self.lock();
        let at = entries.iter().position(|(id, _)| id == message)?;
        entries.remove(at).map(|(_, burned)| burned)
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(String, Burned)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
