//! Time for headers and waits: tokio's clock plus the wall clock at start, so that virtual time covers both.

use hearken_core::time::Timestamp;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// Tells the time of day by tokio's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    start: Instant,
    epoch: Timestamp,
}

impl Clock {
    /// A clock that is right now and runs with tokio's.
    pub(crate) fn start() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { start: Instant::now(), epoch: Timestamp::from_millis(0).saturating_add(since) }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.epoch.saturating_add(self.start.elapsed())
    }
}
