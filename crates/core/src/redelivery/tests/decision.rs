use std::time::Duration;

use super::super::{Decision, RedeliveryPolicy, Still, ZeroDelay, take_up};
use super::flat;

/// The number of handler calls for a message that always fails.
fn calls(limit: i64) -> u64 {
    let policy = RedeliveryPolicy::default().maximum_redeliveries(limit);
    (1..100).find(|attempt| policy.decide(*attempt, &mut Still) == Decision::Exhausted).unwrap()
}

#[test]
fn a_limit_of_n_means_n_plus_one_handler_calls() {
    assert_eq!([0, 1, 2, 6].map(calls), [1, 2, 3, 7]);
}

#[test]
fn minus_one_never_exhausts_a_message() {
    let policy = RedeliveryPolicy::default().maximum_redeliveries(-1);
    for attempt in [1, 7, 1_000_000, u64::MAX] {
        assert_eq!(policy.decide(attempt, &mut Still), Decision::Redeliver { after: Duration::from_secs(1) });
    }
}

#[test]
fn a_limit_below_minus_one_exhausts_a_message_at_once() {
    assert_eq!([-2, i64::MIN].map(calls), [1, 1]);
}

#[test]
fn attempt_zero_is_read_as_the_first() {
    let none = RedeliveryPolicy::default().maximum_redeliveries(0);
    assert_eq!(none.decide(0, &mut Still), Decision::Exhausted);
}

#[test]
fn a_negative_wait_is_a_redelivery_at_once() {
    assert_eq!(flat(-5, 1000).decide(1, &mut Still), Decision::Redeliver { after: Duration::ZERO });
}

#[test]
fn the_longest_wait_is_not_shortened() {
    let after = Duration::from_millis(i64::MAX as u64);
    assert_eq!(flat(i64::MAX, 0).decide(1, &mut Still), Decision::Redeliver { after });
}

const MS: fn(u64) -> Duration = Duration::from_millis;

#[test]
fn the_container_takes_a_zero_up_after_the_shorter_of_its_intervals() {
    assert_eq!(take_up(ZeroDelay::Container, MS(0), MS(1000), MS(5000)), MS(1000));
    assert_eq!(take_up(ZeroDelay::Container, MS(0), MS(5000), MS(200)), MS(200));
}

#[test]
fn a_wait_that_is_not_zero_is_taken_up_when_it_is_over() {
    assert_eq!(take_up(ZeroDelay::Container, MS(1), MS(1000), MS(5000)), MS(1));
    assert_eq!(take_up(ZeroDelay::Immediate, MS(60_000), MS(1000), MS(5000)), MS(60_000));
}

#[test]
fn immediate_leaves_a_zero_a_zero() {
    assert_eq!(take_up(ZeroDelay::Immediate, MS(0), MS(1000), MS(5000)), MS(0));
}
