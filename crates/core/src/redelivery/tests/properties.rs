use std::time::Duration;

use proptest::prelude::*;

use super::super::{Decision, Ladder, RedeliveryPolicy, Still};
use super::{FORMULAS, Formula, growing};

/// Every i64, and often one near an edge of the arithmetic.
fn any_delay() -> impl Strategy<Value = i64> {
    let edges = [i64::MIN, i64::MIN + 1, -1000, -2, -1, 0, 1, 2, 1000, 1 << 53, (1 << 53) + 1, i64::MAX];
    prop_oneof![prop::sample::select(edges.to_vec()), any::<i64>(), -5000i64..5000]
}

fn any_multiplier() -> impl Strategy<Value = f64> {
    let edges = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -2.0, 0.0, 1.0, 1.0 + f64::EPSILON, f64::MAX];
    prop_oneof![prop::sample::select(edges.to_vec()), any::<f64>(), 1.0..10.0]
}

prop_compose! {
    fn any_policy()(
        (limit, initial, delay, cap) in (any_delay(), any_delay(), any_delay(), any_delay()),
        (exponential, multiplier) in (any::<bool>(), any_multiplier()),
        (avoid, percent) in (any::<bool>(), any::<i16>()),
        formula in prop::sample::select(FORMULAS.to_vec()),
        ladder in prop::option::weighted(0.2, any_delay()),
    ) -> RedeliveryPolicy {
        let policy = RedeliveryPolicy::new("any")
            .maximum_redeliveries(limit)
            .initial_redelivery_delay(initial)
            .redelivery_delay(delay)
            .maximum_redelivery_delay(cap)
            .use_exponential_back_off(exponential)
            .back_off_multiplier(multiplier)
            .use_collision_avoidance(avoid)
            .collision_avoidance_percent(percent)
            .formula(formula);
        match ladder {
            Some(times) => policy.ladder(Ladder::ALIYUN.max_reconsume_times(times)),
            None => policy,
        }
    }
}

fn any_redelivery() -> impl Strategy<Value = u64> {
    prop_oneof![0u64..100, any::<u64>(), Just(u64::MAX)]
}

proptest! {
    #[test]
    fn no_input_overflows_or_panics(policy in any_policy(), redelivery in any_redelivery(), seed: u64) {
        let mut random = fastrand::Rng::with_seed(seed);
        policy.wait(redelivery, &mut random);
        policy.decide(redelivery, &mut random);
        policy.schedule(50, &mut random).for_each(drop);
        let _ = policy.warnings().iter().map(ToString::to_string).collect::<String>();
    }

    #[test]
    fn every_wait_is_within_its_bounds(policy in any_policy(), redelivery in any_redelivery(), seed: u64) {
        let bounds = policy.bounds(redelivery);
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..20 {
            let wait = policy.wait(redelivery, &mut random);
            prop_assert!(bounds.min <= wait && wait <= bounds.max, "{wait} outside {bounds:?}");
        }
        prop_assert!(bounds.min <= bounds.plain && bounds.plain <= bounds.max);
    }

    #[test]
    fn the_first_wait_is_exact(policy in any_policy(), seed: u64) {
        prop_assume!(policy.ladder.is_none());
        prop_assert_eq!(policy.wait(1, &mut fastrand::Rng::with_seed(seed)), policy.initial_redelivery_delay);
    }

    #[test]
    fn growing_waits_never_shrink_after_the_second(
        (initial, delay) in (0i64.., 0i64..),
        multiplier in (1.0 + f64::EPSILON)..20.0,
        cap in prop_oneof![Just(-1i64), 0i64..],
        later: bool,
    ) {
        let policy = growing(initial, delay, multiplier)
            .maximum_redelivery_delay(cap)
            .formula(if later { Formula::V5_10 } else { Formula::Classic });
        let waits: Vec<i64> = (2..80).map(|k| policy.wait(k, &mut Still)).collect();
        prop_assert!(waits.is_sorted(), "{waits:?}");
        if cap != -1 && initial > 0 {
            prop_assert!(waits.iter().all(|wait| *wait <= cap.max(delay)), "{waits:?}");
        }
    }

    #[test]
    fn both_formulas_agree_while_positive_waits_grow(
        (initial, delay) in (1i64..1_000_000, 1i64..1_000_000),
        multiplier in 1.01..20.0,
    ) {
        let policy = growing(initial, delay, multiplier);
        for k in 1..40 {
            let later = policy.clone().formula(Formula::V5_10);
            prop_assert_eq!(policy.wait(k, &mut Still), later.wait(k, &mut Still));
        }
    }

    #[test]
    fn stopping_early_changes_no_wait(policy in any_policy(), redelivery in 1u64..300) {
        prop_assume!(policy.ladder.is_none());
        let chain = (1..redelivery).fold(policy.initial_redelivery_delay, |wait, _| policy.step(wait));
        prop_assert_eq!(policy.bounds(redelivery).plain, chain);
    }

    #[test]
    fn a_schedule_is_what_the_single_waits_are(policy in any_policy(), seed: u64) {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut same = fastrand::Rng::with_seed(seed);
        for step in policy.schedule(40, &mut random) {
            prop_assert_eq!(step.delay_ms, policy.wait(step.redelivery, &mut same));
            let bounds = policy.bounds(step.redelivery);
            prop_assert_eq!((step.min_ms, step.max_ms), (bounds.min, bounds.max));
        }
    }

    #[test]
    fn a_limit_of_n_grants_exactly_n_redeliveries(policy in any_policy(), limit in 0u32..200, seed: u64) {
        let mut policy = policy.maximum_redeliveries(i64::from(limit));
        policy.ladder = policy.ladder.map(|ladder| ladder.max_reconsume_times(i64::from(limit)));
        let mut random = fastrand::Rng::with_seed(seed);
        let mut granted = 0;
        for attempt in 1..=u64::from(limit) + 5 {
            match policy.decide(attempt, &mut random) {
                Decision::Redeliver { after } => {
                    prop_assert!(after <= Duration::from_millis(i64::MAX as u64));
                    prop_assert_eq!(granted + 1, attempt, "nothing is granted after the end");
                    granted += 1;
                }
                Decision::Exhausted => prop_assert!(attempt > u64::from(limit)),
            }
        }
        prop_assert_eq!(granted, u64::from(limit));
    }
}
