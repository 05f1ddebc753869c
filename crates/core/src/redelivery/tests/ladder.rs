use super::super::{Decision, Ladder, RedeliveryPolicy, Still};

fn aliyun(max_reconsume_times: i64) -> RedeliveryPolicy {
    RedeliveryPolicy::new("aliyun").ladder(Ladder::ALIYUN.max_reconsume_times(max_reconsume_times))
}

fn seconds(policy: &RedeliveryPolicy) -> Vec<i64> {
    policy.schedule(100, &mut Still).map(|step| step.delay_ms / 1000).collect()
}

const TABLE: [i64; 16] = [10, 30, 60, 120, 180, 240, 300, 360, 420, 480, 540, 600, 1200, 1800, 3600, 7200];

#[test]
fn the_ladder_has_sixteen_steps_by_default() {
    assert_eq!(seconds(&RedeliveryPolicy::aliyun("a")), TABLE);
    assert_eq!(seconds(&aliyun(-1)), TABLE);
    assert_eq!(seconds(&aliyun(16)), TABLE);
}

#[test]
fn the_whole_ladder_lasts_four_hours_and_almost_forty_six_minutes() {
    let last = RedeliveryPolicy::aliyun("a").schedule(100, &mut Still).last().unwrap();
    assert_eq!(last.at_ms, 17_140_000);
}

#[test]
fn a_smaller_limit_takes_a_prefix_of_the_ladder() {
    assert_eq!(seconds(&aliyun(3)), TABLE[..3]);
}

#[test]
fn each_retry_beyond_the_ladder_waits_two_hours() {
    let waits = seconds(&aliyun(20));
    assert_eq!(waits[..16], TABLE);
    assert_eq!(waits[16..], [7200; 4]);
}

#[test]
fn no_retry_is_granted_for_zero_or_below_minus_one() {
    for times in [0, -2, i64::MIN] {
        assert_eq!(aliyun(times).decide(1, &mut Still), Decision::Exhausted);
    }
}

#[test]
fn the_ladder_sets_the_other_delays_and_the_limit_aside() {
    let policy =
        aliyun(16).maximum_redeliveries(1).use_exponential_back_off(true).maximum_redelivery_delay(5);
    assert_eq!(seconds(&policy), TABLE);
    assert_eq!(policy.limit(), Some(16));
}

#[test]
fn collision_avoidance_spreads_a_ladder_from_its_second_step() {
    let policy = aliyun(16).use_collision_avoidance(true);
    let (first, second) = (policy.bounds(1), policy.bounds(2));
    assert_eq!((first.min, first.max), (10_000, 10_000));
    assert_eq!((second.min, second.max), (25_500, 34_500));
}

#[test]
fn any_redelivery_has_a_wait() {
    assert_eq!([0, 1, 16, 17, u64::MAX].map(|k| Ladder::ALIYUN.wait(k) / 1000), [10, 10, 7200, 7200, 7200]);
}
