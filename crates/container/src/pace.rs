//! Paces attempts at something that keeps failing: the first at once, each later one an interval after the one before.

use std::time::Duration;
use tokio::time::Instant;

/// One per thing that is attempted. Pure: the time is passed in.
#[derive(Debug)]
pub(crate) struct Pace {
    interval: Duration,
    last: Option<Instant>,
}

impl Pace {
    pub(crate) fn new(interval: Duration) -> Self {
        Self { interval, last: None }
    }

    /// When the next attempt may start; counts it as started then.
    pub(crate) fn next(&mut self, now: Instant) -> Instant {
        let at = self.last.map_or(now, |last| (last + self.interval).max(now));
        self.last = Some(at);
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_an_interval_apart_however_fast_they_fail() {
        let (start, second) = (Instant::now(), Duration::from_secs(1));
        let mut pace = Pace::new(5 * second);
        assert_eq!(pace.next(start), start);
        assert_eq!(pace.next(start), start + 5 * second);
        assert_eq!(pace.next(start + 6 * second), start + 10 * second);
        assert_eq!(
            pace.next(start + 60 * second),
            start + 60 * second,
            "a long healthy time is not held against it"
        );
    }
}
