//! Calls that do not come to their end. ActiveMQ counts them as redeliveries; here they burn no attempt.

use super::{Scene, Stage};
use hearken_core::failure::Failure;
use hearken_core::outcome::Outcome;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Notify;

/// More than the policy would allow.
const ROUNDS: u64 = 5;

async fn start(stage: Stage, told: Arc<Notify>) -> Scene {
    let calls = AtomicU64::new(0);
    let stage = stage.maximum(1).set("shutdownTimeout", "100ms").set("container.recoveryInterval", "100ms");
    stage
        .start_with(move |_| {
            let (ends, told) = (calls.fetch_add(1, Ordering::SeqCst) >= ROUNDS, Arc::clone(&told));
            Box::pin(async move {
                if !ends {
                    told.notified().await;
                }
                Outcome::Acknowledge
            })
        })
        .await
}

async fn has_burned_none(scene: Scene) {
    scene.settles_at(ROUNDS as usize + 1).await;
    assert_eq!(scene.attempts("a"), [1; ROUNDS as usize + 1]);
    assert!(scene.letters().is_empty());
    scene.end().await;
}

/// S8: a new consumer each time, for a message whose call was dropped with the last one.
pub async fn a_consumer_that_closes_during_its_call_burns_no_attempt(stage: Stage) {
    let scene = start(stage, Arc::default()).await;
    scene.send(&["a"]).await;
    let handle = scene.running().handle();
    for round in 1..=ROUNDS {
        scene.journal.wait_for("call a", round as usize).await;
        let report = handle.stop("probe").await.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(report.aborted, 1);
        handle.start("probe").await.unwrap_or_else(|error| panic!("{error}"));
    }
    has_burned_none(scene).await;
}

/// S9, S11, and S10 whatever is checked before a call: the late success of each is dropped.
pub async fn a_connection_that_is_cut_during_a_call_burns_no_attempt(stage: Stage) {
    let told = Arc::new(Notify::new());
    let scene = start(stage, Arc::clone(&told)).await;
    scene.send(&["a"]).await;
    for round in 1..=ROUNDS {
        scene.journal.wait_for("call a", round as usize).await;
        scene.cut().await;
        scene.running().wait_for_state("probe", |state| !state.is_consuming()).await;
        told.notify_one();
    }
    has_burned_none(scene).await;
}

/// The broker does not know of attempts since it last held the message.
pub async fn what_was_counted_before_a_cut_in_this_process_may_be_counted_again(stage: Stage) {
    let stage =
        stage.mode("client").delays(6_000, 6_000).maximum(2).set("container.recoveryInterval", "100ms");
    let scene = stage.start(|call| call.attempt == 1).await;
    scene.send(&["a"]).await;
    scene.journal.wait_for("call a", 1).await;
    scene.cut().await;
    scene.journal.wait_for("call a", 2).await;
    scene.settles_at(3).await;
    assert_eq!(scene.attempts("a"), [1, 1, 2]);
    assert!(scene.letters().is_empty());
    scene.end().await;
}

/// A copy would come back behind what is newer; whether the message waits or its call still runs when the stop comes.
pub async fn an_ordered_listener_hands_back_the_message_itself_and_counts_anew(stage: Stage) {
    for work in [0, 2_000] {
        let told = Arc::new(Notify::new());
        let begun = Arc::clone(&told);
        let pause = Duration::from_millis(work / stage.pace());
        let mut scene = stage
            .beside()
            .delays(6_000, 6_000)
            .maximum(2)
            .start_with(move |call| {
                let failed = call.message.body() == "1" && call.attempt == 1;
                let begun = Arc::clone(&begun);
                Box::pin(async move {
                    if !failed {
                        return Outcome::Acknowledge;
                    }
                    begun.notify_one();
                    tokio::time::sleep(pause).await;
                    Failure::from("as told").into()
                })
            })
            .await;
        scene.send_together(&["1", "2", "3"]).await;
        told.notified().await;
        // All is handed out, and what fails at once waits.
        scene.sleep(1_000).await;
        scene.restart().await;
        scene.settles_at(5).await;
        assert_eq!(scene.calls(), ["1 1", "1 1", "1 2", "2 1", "3 1"], "{pause:?}");
        scene.end().await;
    }
}
