//! Begin, call, commit or roll back, settle: always in this order.

use super::{Bench, Rig};
use hearken_core::call::Call;
use hearken_core::failure::{Failure, FailureKind};
use hearken_core::outcome::Outcome;
use hearken_core::session::{Destination, Sent};
use hearken_core::{BoxFuture, history};

const QUICK: &[(&str, &str)] = &[
    ("redelivery.default.maximumRedeliveries", "1"),
    ("redelivery.default.initialRedeliveryDelay", "20"),
    ("handlerTimeout", "100ms"),
];

async fn transcript(
    rig: Rig,
    step: impl for<'a> Fn(&'a Call) -> BoxFuture<'a, Outcome> + Send + Sync + 'static,
    expected: &[&str],
) {
    let bench = Bench::start(rig, QUICK, step).await;
    bench.send(&["a"]).await;
    bench.journal.wait_for("probe settle", 1).await;
    assert_eq!(own(&bench), expected);
    bench.end().await;
}

/// The lines about `probe`: what it publishes and what the collector does is left out.
fn own(bench: &Bench) -> Vec<String> {
    let other = |line: &String| {
        line.starts_with("collector") || line.starts_with("dead") || line.starts_with("publish")
    };
    bench.journal.lines().into_iter().filter(|line| !other(line)).collect()
}

/// Begin, call, commit, acknowledge.
pub async fn success_commits_before_it_acknowledges(rig: Rig) {
    let expected = ["begin", "call a 1", "commit", "probe settle Acknowledge"];
    transcript(rig, |_| Box::pin(async { Outcome::Acknowledge }), &expected).await;
}

const FAILED: &[&str] = &[
    "begin",
    "call a 1",
    "rollback",
    "begin",
    "call a 2",
    "rollback",
    "move confirmed",
    "probe settle Moved",
];

/// Begin, call, roll back; again; then the dead letter before the settlement.
pub async fn an_error_rolls_back_before_it_redelivers(rig: Rig) {
    transcript(rig, |_| Box::pin(async { Failure::from("no").into() }), FAILED).await;
}

/// As an error.
pub async fn a_panic_rolls_back(rig: Rig) {
    transcript(rig, |_| Box::pin(async { panic!("as told") }), FAILED).await;
}

/// As an error.
pub async fn a_timeout_rolls_back(rig: Rig) {
    transcript(rig, |_| Box::pin(std::future::pending()), FAILED).await;
}

/// No transaction, no call; the attempt counts.
pub async fn a_failing_begin_is_a_failed_attempt_without_a_call(rig: Rig) {
    let bench = Bench::start(rig, QUICK, |_| Box::pin(async { Outcome::Acknowledge })).await;
    bench.transactions.fail_begins(1);
    bench.send(&["a"]).await;
    bench.journal.wait_for("probe settle", 1).await;
    assert_eq!(own(&bench), ["begin", "begin", "call a 2", "commit", "probe settle Acknowledge"]);
    bench.end().await;
}

/// The handler succeeded, the commit did not: redelivered by the policy, with its kind in the dead letter.
pub async fn a_failing_commit_is_a_failed_attempt(rig: Rig) {
    let bench = Bench::start(rig, QUICK, |_| Box::pin(async { Outcome::Acknowledge })).await;
    bench.transactions.fail_commits(2);
    bench.send(&["a"]).await;
    bench.journal.wait_for("dead", 1).await;
    bench.journal.wait_for("probe settle", 1).await;
    let expected = [
        "begin",
        "call a 1",
        "commit failed",
        "begin",
        "call a 2",
        "commit failed",
        "move confirmed",
        "probe settle Moved",
    ];
    assert_eq!(own(&bench), expected);
    let kind = bench.letters()[0].headers().text(history::ERROR_KIND).map(str::to_owned);
    assert_eq!(kind.as_deref(), Some(FailureKind::Transaction.as_str()));
    bench.end().await;
}

async fn send_twice(call: &Call) -> Result<(), Failure> {
    for body in ["out 1", "out 2"] {
        // The dead letter queue has a collector: what is sent shows in the journal.
        let queue = call.message.headers().text("to").unwrap_or_default();
        let sent = call.session.send(Destination::queue(queue), body).await?;
        if sent != Sent::Buffered {
            return Err(Failure::permanent("a send in a transacted call must be buffered"));
        }
    }
    Ok(())
}

/// All or nothing: here nothing.
pub async fn publishes_of_a_failed_call_are_never_sent(rig: Rig) {
    let bench = Bench::start(rig, QUICK, |call| {
        Box::pin(async move {
            match send_twice(call).await {
                Ok(()) => Failure::permanent("after sending").into(),
                Err(failure) => failure.into(),
            }
        })
    })
    .await;
    let message = hearken_core::message::Message::new("a").with_header("to", bench.dead.as_str());
    bench.send_message(message).await;
    bench.journal.wait_for("dead", 1).await;
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    assert_eq!(bench.journal.matching("dead"), ["dead a"]);
    bench.end().await;
}

/// All or nothing: here all, and before the input is acknowledged.
pub async fn publishes_of_a_successful_call_are_confirmed_before_the_acknowledgement(rig: Rig) {
    let bench = Bench::start(rig, QUICK, |call| {
        Box::pin(async move { send_twice(call).await.map_or_else(Outcome::from, |()| Outcome::Acknowledge) })
    })
    .await;
    let message = hearken_core::message::Message::new("a").with_header("to", bench.dead.as_str());
    bench.send_message(message).await;
    bench.journal.wait_for("dead", 2).await;
    bench.journal.wait_for("probe settle", 1).await;
    let mut lines = bench.journal.lines();
    lines.retain(|line| !line.starts_with("collector") && !line.starts_with("dead"));
    let expected =
        ["begin", "call a 1", "publish confirmed", "publish confirmed", "commit", "probe settle Acknowledge"];
    assert_eq!(lines, expected);
    assert_eq!(bench.journal.matching("dead"), ["dead out 1", "dead out 2"]);
    bench.end().await;
}
