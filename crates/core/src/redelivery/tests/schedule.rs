use super::super::{RedeliveryPolicy, Step, Still};
use super::{flat, growing};

#[test]
fn a_schedule_lists_each_redelivery_with_its_time() {
    let steps: Vec<Step> =
        growing(1000, 1000, 2.0).maximum_redeliveries(3).schedule(10, &mut Still).collect();
    let step =
        |redelivery, wait, at_ms| Step { redelivery, delay_ms: wait, min_ms: wait, max_ms: wait, at_ms };
    assert_eq!(steps, [step(1, 1000, 1000), step(2, 2000, 3000), step(3, 4000, 7000)]);
}

#[test]
fn an_unlimited_policy_is_cut_at_the_count() {
    let policy = RedeliveryPolicy::default().maximum_redeliveries(-1);
    assert_eq!(policy.schedule(12, &mut Still).count(), 12);
}

#[test]
fn a_limited_policy_is_cut_at_the_count_too() {
    let policy = RedeliveryPolicy::default().maximum_redeliveries(i64::MAX);
    assert_eq!(policy.schedule(3, &mut Still).count(), 3);
}

#[test]
fn without_redeliveries_the_schedule_is_empty() {
    assert_eq!(RedeliveryPolicy::default().maximum_redeliveries(0).schedule(10, &mut Still).next(), None);
}

#[test]
fn the_same_seed_gives_the_same_schedule() {
    let policy = RedeliveryPolicy::default().use_collision_avoidance(true);
    let of = |seed| -> Vec<Step> { policy.schedule(6, &mut fastrand::Rng::with_seed(seed)).collect() };
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}

#[test]
fn a_negative_wait_does_not_turn_time_back() {
    let steps: Vec<Step> = flat(-5, -100).maximum_redeliveries(2).schedule(2, &mut Still).collect();
    assert_eq!(steps.iter().map(|step| (step.delay_ms, step.at_ms)).collect::<Vec<_>>(), [(-5, 0), (-5, 0)]);
}

#[test]
fn times_saturate_instead_of_overflowing() {
    let last = flat(i64::MAX, i64::MAX).schedule(6, &mut Still).last().unwrap();
    assert_eq!(last.at_ms, i64::MAX);
}
