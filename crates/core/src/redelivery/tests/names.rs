use super::super::{Formula, Ladder, RedeliveryPolicy, ZeroDelay};

#[test]
fn every_listed_name_is_known_and_comes_back() {
    for name in Formula::NAMES {
        assert_eq!(Formula::from_name(name).map(Formula::name), Some(*name));
    }
    for name in ZeroDelay::NAMES {
        assert_eq!(ZeroDelay::from_name(name).map(ZeroDelay::name), Some(*name));
    }
    for name in Ladder::NAMES {
        assert_eq!(Ladder::from_name(name).map(|ladder| ladder.name()), Some(*name));
    }
}

#[test]
fn other_names_are_not_known() {
    for name in ["", "5.1", "5.5 ", "classic", "Container", "ALIYUN"] {
        assert_eq!(Formula::from_name(name), None);
        assert_eq!(ZeroDelay::from_name(name), None);
        assert_eq!(Ladder::from_name(name), None);
    }
}

#[test]
fn the_defaults_are_those_of_activemq() {
    let policy = RedeliveryPolicy::default();
    assert_eq!(policy.name, "default");
    assert_eq!((policy.maximum_redeliveries, policy.limit()), (6, Some(6)));
    assert_eq!((policy.initial_redelivery_delay, policy.redelivery_delay), (1000, 1000));
    assert_eq!(policy.maximum_redelivery_delay, -1);
    assert_eq!((policy.use_exponential_back_off, policy.use_collision_avoidance), (false, false));
    assert_eq!((policy.back_off_multiplier, policy.collision_avoidance_percent), (5.0, 15));
    assert_eq!((policy.formula, policy.ladder), (Formula::Classic, None));
    assert_eq!(ZeroDelay::default(), ZeroDelay::Container);
}

#[test]
fn a_policy_takes_a_name_from_a_configuration() {
    assert_eq!(RedeliveryPolicy::default().named(String::from("patient")).name, "patient");
}
