//! Paces attempts at something that keeps failing: the first at once, each later one a wait of the back-off after the
//! one before.

use crate::back_off::BackOff;
use std::time::Duration;
use tokio::time::Instant;

/// The most that chance adds to a wait.
const JITTER: Duration = Duration::from_millis(500);

/// One per thing that is attempted. Pure: time and chance are passed in.
#[derive(Debug)]
pub(crate) struct Pace {
    back_off: BackOff,
    /// Attempts since the last success.
    attempts: u32,
    last: Option<Instant>,
}

impl Pace {
    pub(crate) fn new(back_off: BackOff) -> Self {
        Self { back_off, attempts: 0, last: None }
    }

    /// When the next attempt may start; counts it as started then. `None`: the back-off has given up.
    ///
    /// A tenth of the wait, at most half a second, times `chance` (0 to 1) is added, so that the clients of a broker
    /// that comes back do not all arrive at once.
    pub(crate) fn next(&mut self, now: Instant, chance: f64) -> Option<Instant> {
        let at = match (self.last, self.attempts) {
            (None, _) => now,
            (Some(last), attempts) => {
                // After a success there is nothing yet to give up for.
                let limit = self.back_off.max_attempts.filter(|_| attempts > 0);
                let wait = BackOff { max_attempts: limit, ..self.back_off }.wait(attempts.max(1))?;
                let jitter = (wait / 10).min(JITTER).mul_f64(chance.clamp(0.0, 1.0));
                let at = last.checked_add(wait).unwrap_or(last);
                if at > now { at + jitter } else { now }
            }
        };
        self.attempts = self.attempts.saturating_add(1);
        self.last = Some(at);
        Some(at)
    }

    /// The longest wait between two attempts.
    pub(crate) fn longest(&self) -> Duration {
        self.back_off.max_interval
    }

    /// What was attempted works. The distance to the last attempt is still kept.
    pub(crate) fn succeeded(&mut self) {
        self.attempts = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn attempts_are_an_interval_apart_however_fast_they_fail() {
        let start = Instant::now();
        let mut pace = Pace::new(BackOff::fixed(5 * SECOND));
        assert_eq!(pace.next(start, 0.0), Some(start));
        assert_eq!(pace.next(start, 0.0), Some(start + 5 * SECOND));
        assert_eq!(pace.next(start + 6 * SECOND, 0.0), Some(start + 10 * SECOND));
        let later = start + 60 * SECOND;
        assert_eq!(pace.next(later, 1.0), Some(later), "a long healthy time is not held against it");
    }

    #[test]
    fn chance_adds_a_tenth_and_never_more_than_half_a_second() {
        let start = Instant::now();
        for (interval, most) in [(SECOND, 100), (60 * SECOND, 500)] {
            let mut pace = Pace::new(BackOff::fixed(interval));
            pace.next(start, 0.0);
            let at = pace.next(start, 1.0).unwrap();
            assert_eq!(at - start, interval + Duration::from_millis(most));
        }
    }

    #[test]
    fn only_a_success_starts_the_back_off_anew() {
        let start = Instant::now();
        let back_off = BackOff { max_attempts: Some(3), ..BackOff::exponential(SECOND, 2.0, 60 * SECOND) };
        let mut pace = Pace::new(back_off);
        let mut waits = Vec::new();
        let mut now = start;
        while let Some(at) = pace.next(now, 0.0) {
            waits.push((at - now).as_secs());
            now = at;
        }
        assert_eq!(waits, [0, 1, 2]);
        pace.succeeded();
        assert_eq!(pace.next(now, 0.0), Some(now + SECOND));
    }

    #[test]
    fn a_single_attempt_may_be_made_after_each_success() {
        let start = Instant::now();
        let mut pace = Pace::new(BackOff::fixed(SECOND).max_attempts(1));
        assert_eq!(pace.next(start, 0.0), Some(start));
        pace.succeeded();
        assert_eq!(pace.next(start, 0.0), Some(start + SECOND));
        assert_eq!(pace.next(start + SECOND, 0.0), None);
    }
}
