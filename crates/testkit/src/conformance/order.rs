//! Who overtakes whom.

use super::{Bench, Rig};
use hearken_core::failure::Failure;
use hearken_core::outcome::Outcome;

async fn bench(rig: Rig, non_blocking: &str) -> Bench {
    let settings =
        [("redelivery.default.initialRedeliveryDelay", "200"), ("nonBlockingRedelivery", non_blocking)];
    Bench::start(rig, &settings, |call| {
        Box::pin(async move {
            if call.message.body() == "1" && call.attempt == 1 {
                return Failure::from("not yet").into();
            }
            Outcome::Acknowledge
        })
    })
    .await
}

/// `nonBlockingRedelivery = false`: the invoker waits with its message.
pub async fn an_ordered_listener_is_never_overtaken(rig: Rig) {
    let bench = bench(rig, "false").await;
    bench.send(&["1", "2", "3"]).await;
    bench.journal.wait_for("call", 4).await;
    assert_eq!(bench.journal.matching("call"), ["call 1 1", "call 1 2", "call 2 1", "call 3 1"]);
    bench.end().await;
}

/// `nonBlockingRedelivery = true`, the default.
pub async fn a_non_blocking_listener_is_overtaken(rig: Rig) {
    let bench = bench(rig, "true").await;
    bench.send(&["1", "2", "3"]).await;
    bench.journal.wait_for("call", 4).await;
    assert_eq!(bench.journal.matching("call"), ["call 1 1", "call 2 1", "call 3 1", "call 1 2"]);
    bench.end().await;
}
