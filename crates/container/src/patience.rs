//! How long a delivery may stay with the process, and how long a policy would have it wait. Pure.

use hearken_core::redelivery::{RedeliveryPolicy, Response};
use std::time::Duration;

/// What is left of the time that a broker leaves a delivery unacknowledged goes to the calls between the holds, and to
/// whatever is slow.
const SHARE: u32 = 3;

/// The longest time of all holds of one delivery: what is asked for, as far as the broker has patience for it.
pub(crate) fn hold_limit(asked: Duration, longest_unacknowledged: Option<Duration>) -> Duration {
    longest_unacknowledged.map_or(asked, |longest| asked.min(longest / SHARE))
}

/// The longest wait that this policy or one of its rules can lead to.
pub(crate) fn longest_wait(policy: &RedeliveryPolicy) -> Duration {
    let of_rules = policy.rules.iter().map(|rule| match &rule.then {
        Response::Redeliver(amendment) => longest_of_chain(&amendment.apply(policy)),
        Response::Defer { after } => *after,
        Response::Pause { pause } => *pause,
        _ => Duration::ZERO,
    });
    of_rules.chain([longest_of_chain(policy)]).max().unwrap_or_default()
}

fn longest_of_chain(policy: &RedeliveryPolicy) -> Duration {
    // Chains settle or reach their cap early; a handful of far points bounds all others.
    let last = policy.limit().unwrap_or(u64::MAX);
    let longest = (1..=last.min(64)).chain([last]).filter(|k| *k > 0).map(|k| policy.bounds(k).max).max();
    Duration::from_millis(longest.and_then(|ms| u64::try_from(ms).ok()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_of_the_brokers_patience_bounds_what_is_asked_for() {
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        assert_eq!(hold_limit(minutes(10), None), minutes(10));
        assert_eq!(hold_limit(minutes(10), Some(minutes(30))), minutes(10));
        assert_eq!(hold_limit(minutes(20), Some(minutes(30))), minutes(10));
        assert_eq!(hold_limit(minutes(10), Some(Duration::from_secs(3))), Duration::from_secs(1));
    }

    #[test]
    fn the_longest_wait_is_that_of_the_last_step_of_a_ladder() {
        let policy = RedeliveryPolicy::aliyun("aliyun");
        assert_eq!(longest_wait(&policy), Duration::from_secs(7_200));
    }
}
