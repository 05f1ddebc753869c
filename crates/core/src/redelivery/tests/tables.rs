//! The published waits of ActiveMQ, rows W1 to W20 and the single calls its own tests assert.

use super::super::{RedeliveryPolicy, Still};
use super::{FORMULAS, Formula, flat, growing};

#[track_caller]
fn waits(policy: RedeliveryPolicy, formula: Formula, expected: &[i64]) {
    let policy = policy.formula(formula);
    let waits: Vec<i64> = (1..=expected.len() as u64).map(|k| policy.wait(k, &mut Still)).collect();
    assert_eq!(waits, expected, "{formula:?}");
}

#[track_caller]
fn both(policy: &RedeliveryPolicy, expected: &[i64]) {
    for formula in FORMULAS {
        waits(policy.clone(), formula, expected);
    }
}

#[track_caller]
fn each(policy: &RedeliveryPolicy, classic: &[i64], later: &[i64]) {
    waits(policy.clone(), Formula::Classic, classic);
    waits(policy.clone(), Formula::V5_10, later);
}

#[test]
fn w1_the_defaults_wait_one_second_each_time() {
    both(&RedeliveryPolicy::default(), &[1000; 6]);
}

#[test]
fn w2_the_classic_formula_repeats_the_initial_delay() {
    each(&flat(500, 1000), &[500; 6], &[500, 1000, 1000, 1000, 1000, 1000]);
}

#[test]
fn w3_after_a_first_wait_of_zero_comes_the_redelivery_delay() {
    both(&flat(0, 1000), &[0, 1000, 1000, 1000, 1000, 1000]);
}

#[test]
fn w4_after_a_first_wait_of_zero_the_redelivery_delay_grows() {
    both(&growing(0, 500, 2.0), &[0, 500, 1000, 2000, 4000, 8000]);
}

#[test]
fn w5_the_default_multiplier_is_five() {
    let policy = RedeliveryPolicy::default().use_exponential_back_off(true);
    both(&policy, &[1000, 5000, 25000, 125_000, 625_000, 3_125_000]);
}

#[test]
fn w6_growth_ends_at_the_cap() {
    let policy = growing(10, 50, 2.0).maximum_redelivery_delay(1000);
    both(&policy, &[10, 20, 40, 80, 160, 320, 640, 1000, 1000, 1000, 1000]);
}

#[test]
fn w7_the_redelivery_delay_is_the_floor_of_the_cap() {
    both(&growing(1000, 1000, 2.0).maximum_redelivery_delay(500), &[1000; 6]);
}

#[test]
fn w8_growth_jumps_over_a_cap_below_the_redelivery_delay() {
    let policy = growing(10, 1000, 2.0).maximum_redelivery_delay(500);
    both(&policy, &[10, 20, 40, 80, 160, 320, 1000, 1000, 1000]);
}

#[test]
fn w9_a_multiplier_of_one_is_no_back_off() {
    each(&growing(300, 700, 1.0), &[300; 6], &[300, 700, 700, 700, 700, 700]);
}

#[test]
fn w10_a_multiplier_below_one_does_not_shrink_the_waits() {
    each(&growing(300, 700, 0.5), &[300; 6], &[300, 700, 700, 700, 700, 700]);
}

#[test]
fn w11_each_product_is_cut_to_whole_milliseconds() {
    both(&growing(1000, 1000, 1.5), &[1000, 1500, 2250, 3375, 5062, 7593]);
}

#[test]
fn w12_small_waits_lose_their_fractions_too() {
    both(&growing(3, 1000, 1.5), &[3, 4, 6, 9, 13, 19]);
}

#[test]
fn w13_a_millisecond_times_one_point_one_stays_a_millisecond() {
    both(&growing(1, 1000, 1.1), &[1; 6]);
}

#[test]
fn w14_nothing_times_anything_is_nothing() {
    both(&growing(0, 0, 2.0), &[0; 6]);
}

#[test]
fn w15_a_negative_redelivery_delay_is_not_used_while_waits_grow() {
    both(&growing(42, -100, 2.0), &[42, 84, 168, 336, 672, 1344]);
}

#[test]
fn w16_only_the_classic_formula_multiplies_a_negative_wait() {
    let policy = growing(-5, 1000, 2.0);
    each(&policy, &[-5, -10, -20, -40, -80, -160], &[-5, 1000, 2000, 4000, 8000, 16000]);
}

#[test]
fn w17_every_cap_but_minus_one_is_live() {
    for cap in [0, -2] {
        both(&growing(1000, 1000, 2.0).maximum_redelivery_delay(cap), &[1000; 6]);
    }
}

#[test]
fn w18_the_later_waits_may_be_shorter_under_the_later_formula() {
    each(&flat(4000, 2000), &[4000; 6], &[4000, 2000, 2000, 2000, 2000, 2000]);
}

#[test]
fn w19_cap_and_multiplier_are_ignored_without_back_off() {
    let policy = flat(60_000, 1000).back_off_multiplier(2.0).maximum_redelivery_delay(300_000);
    each(&policy, &[60_000; 6], &[60_000, 1000, 1000, 1000, 1000, 1000]);
}

#[test]
fn w20_unlimited_growth_saturates_at_the_end_of_i64() {
    for formula in FORMULAS {
        let policy = growing(1000, 1000, 5.0).maximum_redeliveries(-1).formula(formula);
        assert_eq!(policy.wait(21, &mut Still), 95_367_431_640_624_992);
        assert_eq!(policy.wait(23, &mut Still), 2_384_185_791_015_624_704);
        for redelivery in [24, 25, 1_000_000, u64::MAX] {
            assert_eq!(policy.wait(redelivery, &mut Still), i64::MAX);
        }
    }
}

#[test]
fn the_later_formula_steps_as_upstream_asserts() {
    let later = |policy: RedeliveryPolicy| policy.formula(Formula::V5_10);

    let plain = later(flat(500, 1000));
    assert_eq!((plain.step(500), plain.step(1000)), (1000, 1000));

    let doubling = later(growing(1000, 500, 2.0));
    assert_eq!([0, 500, 1000].map(|wait| doubling.step(wait)), [500, 1000, 2000]);
    assert_eq!(doubling.use_exponential_back_off(false).step(2000), 500);

    assert_eq!(later(growing(1000, 50, 2.0).maximum_redelivery_delay(1000)).step(i64::MAX), 1000);

    let negative = later(growing(1000, -100, 2.0));
    assert_eq!((negative.step(0), negative.step(123)), (-100, 246));
    assert_eq!(negative.use_exponential_back_off(false).step(123), -100);
}

#[test]
fn the_classic_formula_steps_as_the_article_writes_it() {
    assert_eq!(flat(500, 1000).step(500), 500);
    assert_eq!(flat(500, 1000).step(0), 1000);
    assert_eq!(growing(1000, 500, 2.0).step(-3), -6);
    assert_eq!(growing(1000, 50, 2.0).maximum_redelivery_delay(1000).step(i64::MAX), 1000);
}

#[test]
fn redelivery_zero_is_read_as_the_first() {
    assert_eq!(growing(7, 1000, 2.0).wait(0, &mut Still), 7);
}

#[test]
fn a_multiplier_barely_above_one_answers_quickly_for_any_redelivery() {
    let policy = growing(1_000_000_000_000, 1000, 1.000_000_001);
    assert_eq!(
        policy.wait(u64::MAX, &mut Still),
        policy.wait(super::super::chain::LONGEST_CHAIN, &mut Still)
    );
}
