//! What is acknowledged, and when.

use super::{Bench, Rig};
use hearken_core::extract::Attempt;
use hearken_core::failure::Failure;
use hearken_core::outcome::{Action, IntoOutcome, Outcome};
use std::time::Duration;

/// One call, one acknowledgement.
pub async fn success_is_acknowledged_once(rig: Rig) {
    let bench = Bench::start(rig, &[], |_| Box::pin(async { Outcome::Acknowledge })).await;
    bench.send(&["a", "b"]).await;
    bench.journal.wait_for("probe settle", 2).await;
    assert_eq!(bench.journal.matching("call"), ["call a 1", "call b 1"]);
    assert_eq!(bench.journal.matching("probe settle"), ["probe settle Acknowledge"; 2]);
    bench.end().await;
}

/// A failed attempt, a wait, a good attempt: the delivery is acknowledged once, by its last attempt.
pub async fn a_failure_comes_again_and_is_then_acknowledged(rig: Rig) {
    let bench = Bench::start(rig, &[("redelivery.default.initialRedeliveryDelay", "100")], |call| {
        Box::pin(async move {
            if call.attempt == 1 { Failure::from("not yet").into() } else { Outcome::Acknowledge }
        })
    })
    .await;
    bench.send(&["a"]).await;
    bench.journal.wait_for("probe settle", 1).await;
    assert_eq!(bench.journal.matching("call"), ["call a 1", "call a 2"]);
    assert_eq!(bench.journal.matching("probe settle"), ["probe settle Acknowledge"]);
    bench.end().await;
}

/// Each [`Action`], by the body of the message.
pub async fn actions_do_what_they_say(rig: Rig) {
    let bench = Bench::start(rig, &[("redelivery.default.initialRedeliveryDelay", "100")], |call| {
        Box::pin(async move {
            let first = call.attempt == Attempt::first().number();
            let action = match &call.message.body()[..] {
                b"later" if first => Some(Action::ReconsumeLater),
                b"after" if first => Some(Action::retry_after(Duration::from_millis(50))),
                b"none" if first => None,
                b"dead" => Some(Action::dead_letter("unwanted")),
                b"gone" => Some(Action::discard("stale")),
                _ => Some(Action::Commit),
            };
            action.into_outcome()
        })
    })
    .await;
    bench.send(&["commit", "later", "after", "none", "dead", "gone"]).await;
    bench.journal.wait_for("probe settle", 6).await;
    bench.journal.wait_for("dead", 1).await;
    for (body, calls) in [("commit", 1), ("later", 2), ("after", 2), ("none", 2), ("dead", 1), ("gone", 1)] {
        assert_eq!(bench.journal.matching(&format!("call {body}")).len(), calls, "{body}");
    }
    assert_eq!(bench.journal.matching("dead"), ["dead dead"]);
    assert_eq!(bench.letters()[0].headers().text("hearken-error-text"), Some("unwanted"));
    bench.end().await;
}

/// Deferred messages come again with the same attempt number.
pub async fn a_deferred_message_burns_no_attempt(rig: Rig) {
    let settings = [("redelivery.default.maximumRedeliveries", "0")];
    let seen = std::sync::atomic::AtomicU32::new(0);
    let bench = Bench::start(rig, &settings, move |_| {
        let first = seen.fetch_add(1, std::sync::atomic::Ordering::SeqCst) < 2;
        Box::pin(async move {
            if first { Action::defer(Duration::from_millis(20)).into_outcome() } else { Outcome::Acknowledge }
        })
    })
    .await;
    bench.send(&["a"]).await;
    bench.journal.wait_for("probe settle Acknowledge", 1).await;
    assert_eq!(bench.journal.matching("call"), ["call a 1"; 3]);
    bench.end().await;
}

/// Stop while one message is handled and others are buffered: they come again, in order, each as attempt 1.
pub async fn what_is_buffered_at_a_stop_is_handed_back_in_order(rig: Rig) {
    let mut bench = Bench::start(rig, &[], |call| {
        Box::pin(async move {
            if call.message.body() == "0" {
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
            Outcome::Acknowledge
        })
    })
    .await;
    bench.send(&["0", "1", "2", "3", "4"]).await;
    bench.journal.wait_for("call 0", 1).await;
    bench.stop().await;
    assert_eq!(bench.journal.matching("call"), ["call 0 1"]);
    bench.restart().await;
    bench.journal.wait_for("call", 5).await;
    assert_eq!(bench.journal.matching("call"), ["call 0 1", "call 1 1", "call 2 1", "call 3 1", "call 4 1"]);
    bench.end().await;
}
