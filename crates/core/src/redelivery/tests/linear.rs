use crate::redelivery::*;
use proptest::prelude::*;
use std::time::Duration;

fn reason(policy: &RedeliveryPolicy) -> String {
    policy.linear_waits().unwrap_err()
}

#[test]
fn a_fixed_wait_is_linear() {
    let five = Duration::from_secs(5);
    let policy = RedeliveryPolicy::new("fixed").initial_redelivery_delay(5_000).maximum_redeliveries(-1);
    assert_eq!(policy.linear_waits(), Ok(LinearWaits { first: five, longest: five }));
    // One doubling, and the same again, is one step and a half at most of a line that ends there.
    let policy =
        policy.use_exponential_back_off(true).back_off_multiplier(2.0).maximum_redelivery_delay(10_000);
    assert_eq!(policy.linear_waits(), Ok(LinearWaits { first: five, longest: 2 * five }));
}

#[test]
fn what_is_not_linear_is_told_with_the_reason() {
    let fixed = RedeliveryPolicy::new("fixed");
    assert!(reason(&fixed.clone().use_collision_avoidance(true)).contains("random"));
    assert!(reason(&fixed.clone().initial_redelivery_delay(0)).contains("below 1 ms"));
    let doubling = fixed.clone().use_exponential_back_off(true).back_off_multiplier(2.0);
    assert_eq!(
        reason(&doubling),
        "redelivery 3 waits 4000 ms; waits that grow evenly from 1000 ms would be 3000 ms"
    );
    assert!(reason(&RedeliveryPolicy::aliyun("aliyun")).contains("redelivery 2 waits 30000 ms"));
    const RULES: &[Rule] = &[Rule::new(
        Condition::code("busy"),
        Response::Redeliver(Amendment::new().initial_redelivery_delay(7)),
    )];
    assert_eq!(reason(&fixed.clone().rules(RULES)), "a rule has waits of its own");
    const LIMIT: &[Rule] =
        &[Rule::new(Condition::code("busy"), Response::Redeliver(Amendment::new().maximum_redeliveries(9)))];
    assert!(fixed.rules(LIMIT).linear_waits().is_ok());
}

proptest! {
    #[test]
    fn linear_waits_are_the_waits_of_the_policy(
        initial in 1i64..100_000, limit in 1i64..50, cap in 1i64..400_000, multiplier in 1.0f64..3.0, grows: bool,
    ) {
        let policy = RedeliveryPolicy::new("any")
            .initial_redelivery_delay(initial)
            .maximum_redeliveries(limit)
            .maximum_redelivery_delay(cap)
            .use_exponential_back_off(grows)
            .back_off_multiplier(multiplier);
        if let Ok(LinearWaits { first, longest }) = policy.linear_waits() {
            for k in 1..=limit as u32 {
                let wait = policy.wait(k.into(), &mut Still);
                prop_assert_eq!(u128::try_from(wait).unwrap(), (first * k).min(longest).as_millis());
            }
        }
    }
}
