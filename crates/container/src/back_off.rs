//! The waits between attempts to recover what is lost.

use std::time::Duration;

/// How long to wait after each failure in a row to connect or to consume, and when to give up. Pure: it knows no clock.
///
/// A success ends the row; the next loss begins with the first wait again.
///
/// ```
/// use hearken_container::BackOff;
/// use std::time::Duration;
///
/// let seconds = Duration::from_secs;
/// let back_off = BackOff::exponential(seconds(2), 1.5, seconds(30)).max_attempts(3);
/// assert_eq!(back_off.wait(1), Some(seconds(2)));
/// assert_eq!(back_off.wait(2), Some(seconds(3)));
/// assert_eq!(back_off.wait(3), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BackOff {
    /// The wait after the first failure.
    pub interval: Duration,
    /// The factor from one wait to the next. What is not above 1, NaN too, does not grow.
    pub multiplier: f64,
    /// The longest wait; it caps the first one as well.
    pub max_interval: Duration,
    /// How many attempts may fail in a row; `None` for any number.
    pub max_attempts: Option<u32>,
}

impl BackOff {
    /// Always the same wait, without end.
    pub const fn fixed(interval: Duration) -> Self {
        Self { interval, multiplier: 1.0, max_interval: interval, max_attempts: None }
    }

    /// Each wait the one before times `multiplier`, up to `max_interval`, without end.
    pub const fn exponential(interval: Duration, multiplier: f64, max_interval: Duration) -> Self {
        Self { interval, multiplier, max_interval, max_attempts: None }
    }

    /// Gives up once so many attempts failed in a row.
    #[must_use]
    pub const fn max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = Some(attempts);
        self
    }

    /// The wait after so many failures in a row, the first being 1; `None` to give up. Without a failure there is none.
    pub fn wait(&self, failures: u32) -> Option<Duration> {
        if self.max_attempts.is_some_and(|most| failures >= most) {
            return None;
        }
        let Some(grown) = failures.checked_sub(1) else {
            return Some(Duration::ZERO);
        };
        let grows = self.multiplier > 1.0;
        if grown == 0 || !grows {
            return Some(self.interval.min(self.max_interval));
        }
        let factor = self.multiplier.powi(i32::try_from(grown).unwrap_or(i32::MAX));
        // Beyond what a Duration holds is beyond every cap; rounding must not take anything off the first wait.
        let wait = Duration::try_from_secs_f64(self.interval.as_secs_f64() * factor);
        Some(wait.map_or(self.max_interval, |wait| wait.max(self.interval).min(self.max_interval)))
    }
}

#[cfg(test)]
mod tests {
    use super::BackOff;
    use proptest::prelude::*;
    use std::time::Duration;

    fn millis(back_off: &BackOff, failures: std::ops::RangeInclusive<u32>) -> Vec<u128> {
        failures.map(|failures| back_off.wait(failures).unwrap().as_millis()).collect()
    }

    #[test]
    fn a_fixed_one_waits_always_the_same() {
        let back_off = BackOff::fixed(Duration::from_millis(4_999));
        assert_eq!(millis(&back_off, 1..=3), [4_999; 3]);
        assert_eq!(back_off.wait(u32::MAX), Some(Duration::from_millis(4_999)));
    }

    #[test]
    fn an_exponential_one_grows_as_springs_does() {
        let back_off = BackOff::exponential(Duration::from_secs(2), 1.5, Duration::from_secs(30));
        let expected = [2_000, 3_000, 4_500, 6_750, 10_125, 15_187, 22_781, 30_000, 30_000];
        assert_eq!(millis(&back_off, 1..=9), expected);
    }

    #[test]
    fn it_gives_up_once_all_attempts_failed() {
        let back_off = BackOff::fixed(Duration::from_secs(1));
        assert_eq!(back_off.max_attempts(1).wait(1), None);
        let three = back_off.max_attempts(3);
        assert_eq!(
            [1, 2, 3, u32::MAX].map(|failures| three.wait(failures).is_some()),
            [true, true, false, false]
        );
    }

    fn any_multiplier() -> impl Strategy<Value = f64> {
        prop_oneof![
            1.0..10.0,
            prop::num::f64::ANY,
            Just(f64::INFINITY),
            Just(f64::NAN),
            Just(f64::MAX),
            Just(1.0 + f64::EPSILON)
        ]
    }

    fn any_duration() -> impl Strategy<Value = Duration> {
        prop_oneof![
            (0..100_000_u64).prop_map(Duration::from_millis),
            any::<(u64, u32)>().prop_map(|(s, n)| Duration::new(s, n % 1_000_000_000)),
            Just(Duration::MAX),
        ]
    }

    proptest! {
        #[test]
        fn it_never_shrinks_never_passes_its_cap_and_never_overflows(
            interval in any_duration(),
            multiplier in any_multiplier(),
            max_interval in any_duration(),
            failures in prop_oneof![0..100_u32, any::<u32>()],
        ) {
            let back_off = BackOff::exponential(interval, multiplier, max_interval);
            let wait = back_off.wait(failures).unwrap();
            let next = back_off.wait(failures.saturating_add(1)).unwrap();
            prop_assert!(wait <= next);
            prop_assert!(next <= max_interval);
        }

        #[test]
        fn the_first_wait_is_the_interval(
            interval in (0..10_000_000_u64).prop_map(Duration::from_millis),
            multiplier in 1.0..10.0,
        ) {
            let back_off = BackOff::exponential(interval, multiplier, Duration::MAX);
            prop_assert_eq!(back_off.wait(1), Some(interval));
        }

        #[test]
        fn a_limit_grants_one_wait_less_than_attempts(attempts in 1..50_u32) {
            let back_off = BackOff::fixed(Duration::from_secs(1)).max_attempts(attempts);
            let waits = (1..).map_while(|failures| back_off.wait(failures)).count();
            prop_assert_eq!(waits, attempts as usize - 1);
        }
    }
}
