//! How long a redelivery waits.

use super::{Bench, Rig};
use hearken_core::failure::Failure;
use std::time::Duration;

/// tokio's timer rounds up to the next millisecond, at each of the few timers on a way.
const ROUNDING: Duration = Duration::from_millis(4);

async fn waits(rig: Rig, settings: &[(&str, &str)], expected: &[u64]) {
    let limit = expected.len().to_string();
    let settings = [settings, &[("redelivery.default.maximumRedeliveries", &*limit)]].concat();
    let bench = Bench::start(rig, &settings, |_| Box::pin(async { Failure::from("never").into() })).await;
    bench.send(&["a"]).await;
    bench.journal.wait_for("dead", 1).await;
    let times = bench.journal.times("call a");
    assert_eq!(times.len(), expected.len() + 1);
    for (gap, expected) in times.windows(2).map(|pair| pair[1] - pair[0]).zip(expected) {
        let expected = Duration::from_millis(*expected);
        let latest = expected + bench.tolerance() + ROUNDING;
        assert!(gap >= expected && gap <= latest, "waited {gap:?} instead of {expected:?}; all: {times:?}");
    }
    bench.end().await;
}

const DOUBLING: [(&str, &str); 4] = [
    ("redelivery.default.initialRedeliveryDelay", "300"),
    ("redelivery.default.useExponentialBackOff", "true"),
    ("redelivery.default.backOffMultiplier", "2"),
    ("redelivery.default.maximumRedeliveryDelay", "1s"),
];

/// 300, 600, then the cap of 1000 ms, held in the client.
pub async fn waits_follow_the_policy_in_client_mode(rig: Rig) {
    waits(rig, &[&DOUBLING[..], &[("redeliveryMode", "client")]].concat(), &[300, 600, 1000]).await;
}

/// 600, 1200, 2400 ms, at the broker.
pub async fn waits_follow_the_policy_in_broker_mode(rig: Rig) {
    let settings = [
        ("redelivery.default.initialRedeliveryDelay", "600"),
        ("redelivery.default.useExponentialBackOff", "true"),
        ("redelivery.default.backOffMultiplier", "2"),
        ("redeliveryMode", "broker"),
    ];
    waits(rig, &settings, &[600, 1200, 2400]).await;
}

/// Waits below a second need no level of the broker.
pub async fn short_waits_in_broker_mode_are_exact_below_a_second(rig: Rig) {
    let settings = [
        ("redelivery.default.initialRedeliveryDelay", "40"),
        ("redelivery.default.redeliveryDelay", "40"),
        ("redeliveryMode", "broker"),
    ];
    waits(rig, &settings, &[40, 40, 40]).await;
}

const ZERO: [(&str, &str); 4] = [
    ("redelivery.default.initialRedeliveryDelay", "0"),
    ("redelivery.default.redeliveryDelay", "100"),
    ("receiveTimeout", "700ms"),
    ("recoveryInterval", "400ms"),
];

/// A first wait of zero is taken up after min(`receiveTimeout`, `recoveryInterval`); the chain goes on from zero.
pub async fn a_zero_wait_is_paced_by_the_container(rig: Rig) {
    waits(rig, &ZERO, &[400, 100]).await;
}

/// `zeroDelay = "immediate"` switches that off.
pub async fn an_immediate_zero_wait_is_immediate(rig: Rig) {
    waits(rig, &[&ZERO[..], &[("zeroDelay", "immediate")]].concat(), &[0, 100]).await;
}
