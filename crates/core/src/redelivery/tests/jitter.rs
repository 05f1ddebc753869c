use super::super::{Bounds, Random, RedeliveryPolicy, Still};
use super::{flat, growing};

/// Always the same coin and the same number.
struct Fixed(bool, f64);

impl Random for Fixed {
    fn coin(&mut self) -> bool {
        self.0
    }
    fn uniform(&mut self) -> f64 {
        self.1
    }
}

const ALMOST_ONE: f64 = 1.0 - f64::EPSILON / 2.0;

fn spreading(policy: RedeliveryPolicy) -> RedeliveryPolicy {
    policy.use_collision_avoidance(true)
}

#[test]
fn one_second_and_fifteen_percent_stay_within_850_to_1150() {
    let policy = spreading(RedeliveryPolicy::default());
    assert_eq!(policy.bounds(2), Bounds { plain: 1000, min: 850, max: 1150 });
    let mut random = fastrand::Rng::with_seed(15);
    let waits: Vec<i64> = (0..10_000).map(|_| policy.wait(2, &mut random)).collect();
    assert!(waits.iter().all(|wait| (850..=1150).contains(wait)));
    assert!(
        waits.iter().any(|wait| *wait < 870) && waits.iter().any(|wait| *wait > 1130),
        "both ends are reached"
    );
}

#[test]
fn the_first_wait_is_never_spread() {
    let policy = spreading(RedeliveryPolicy::default());
    assert_eq!(policy.bounds(1), Bounds { plain: 1000, min: 1000, max: 1000 });
    assert_eq!(policy.wait(1, &mut Fixed(true, 0.9)), 1000);
}

#[test]
fn heads_lengthens_a_wait_and_tails_shortens_it() {
    let policy = spreading(RedeliveryPolicy::default());
    assert_eq!(policy.wait(2, &mut Fixed(true, 0.5)), 1075);
    assert_eq!(policy.wait(2, &mut Fixed(false, 0.5)), 925);
    assert_eq!(policy.wait(2, &mut Still), 1000);
}

#[test]
fn a_spread_wait_is_cut_towards_zero() {
    let seven = spreading(flat(7, 7));
    assert_eq!(seven.bounds(2), Bounds { plain: 7, min: 5, max: 8 });
    assert_eq!(seven.wait(2, &mut Fixed(false, ALMOST_ONE)), 5);
    assert_eq!(seven.wait(2, &mut Fixed(true, ALMOST_ONE)), 8);
    assert_eq!(spreading(flat(1, 1)).bounds(2), Bounds { plain: 1, min: 0, max: 1 });
}

#[test]
fn spreads_do_not_compound_along_the_chain() {
    let policy = spreading(growing(1000, 1000, 2.0));
    assert_eq!(policy.bounds(6), Bounds { plain: 32_000, min: 27_200, max: 36_800 });
    assert_eq!(policy.wait(6, &mut Fixed(true, 0.5)), 34_400);
}

#[test]
fn the_spread_comes_after_the_cap_and_may_exceed_it() {
    let policy = spreading(growing(1000, 1000, 5.0).maximum_redelivery_delay(60_000));
    assert_eq!(policy.bounds(6), Bounds { plain: 60_000, min: 51_000, max: 69_000 });
}

#[test]
fn a_negative_percent_spreads_like_a_positive_one() {
    let policy = spreading(RedeliveryPolicy::default()).collision_avoidance_percent(-15);
    assert_eq!(policy.bounds(2), Bounds { plain: 1000, min: 850, max: 1150 });
}

#[test]
fn above_one_hundred_percent_a_wait_may_be_negative() {
    let policy = spreading(RedeliveryPolicy::default());
    assert_eq!(
        policy.clone().collision_avoidance_percent(100).bounds(2),
        Bounds { plain: 1000, min: 0, max: 2000 }
    );
    assert_eq!(
        policy.collision_avoidance_percent(150).bounds(2),
        Bounds { plain: 1000, min: -500, max: 2500 }
    );
}

#[test]
fn percent_is_ignored_without_collision_avoidance() {
    assert_eq!(RedeliveryPolicy::default().wait(2, &mut Fixed(true, 0.5)), 1000);
}

#[test]
fn percent_and_factor_convert_as_in_activemq() {
    let table = [(7, 0.07), (15, 0.15), (29, 0.29), (57, 0.570_000_000_000_000_1), (-15, -0.15), (100, 1.0)];
    for (percent, factor) in table {
        let policy = RedeliveryPolicy::default().collision_avoidance_percent(percent);
        assert_eq!(policy.collision_avoidance_factor().to_bits(), f64::to_bits(factor), "{percent}");
        assert_eq!(RedeliveryPolicy::percent_of_factor(factor), percent);
    }
}

#[test]
fn every_percent_survives_the_way_through_its_factor() {
    for percent in i16::MIN..=i16::MAX {
        let policy = RedeliveryPolicy::default().collision_avoidance_percent(percent);
        assert_eq!(RedeliveryPolicy::percent_of_factor(policy.collision_avoidance_factor()), percent);
    }
}
