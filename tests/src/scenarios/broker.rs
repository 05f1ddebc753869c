//! What ActiveMQ's redelivery plugin does, done by `redeliveryMode = "broker"`. There is no scheduler to refuse a start
//! without, and no shortest delay: S34.

use super::Stage;
use hearken_core::extract::{FromDelivery, RedeliveryInfo};
use hearken_core::failure::Failure;
use hearken_core::history;
use hearken_core::message::Message;
use hearken_core::outcome::Outcome;
use hearken_core::session::Destination;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// S31.
pub async fn the_broker_waits_as_the_policy_says_and_the_limit_ends_it(stage: Stage) {
    let scene =
        stage.mode("broker").delays(4_000, 2_000).set("redelivery.default.formula", "5.10").maximum(2);
    let scene = scene.start(|_| true).await;
    scene.send(&["a"]).await;
    scene.journal.wait_for("dead", 1).await;
    scene.settles_at(3).await;
    scene.assert_waits("a", &[4_000, 2_000]);
    assert_eq!(scene.letters()[0].headers().integer(history::ATTEMPTS), Some(3));
    scene.end().await;
}

/// S32.
pub async fn the_broker_redelivers_without_end_and_counts(stage: Stage) {
    let scene = stage.mode("broker").delays(2_000, 2_000).maximum(-1).start(|call| call.attempt < 9).await;
    scene.send(&["a"]).await;
    scene.settles_at(9).await;
    assert_eq!(scene.attempts("a"), (1..=9).collect::<Vec<_>>());
    assert!(scene.letters().is_empty());
    scene.end().await;
}

/// S33: its time is over before a call, so that it is a dead letter at once.
pub async fn what_expires_is_not_redelivered(stage: Stage) {
    let stage = stage.mode("broker").delays(4_000, 4_000).set("prefetch", 1);
    let scene = stage.start(|_| true).await;
    let handle = scene.running().handle();
    handle.pause("probe").await.unwrap_or_else(|error| panic!("{error}"));
    let soon = Duration::from_millis(1_500 / scene.pace());
    scene.send_message(Message::new("mortal").with_time_to_live(soon)).await;
    scene.journal.wait_for("dead mortal", 1).await;
    handle.resume("probe").await.unwrap_or_else(|error| panic!("{error}"));
    scene.settles_at(0).await;
    assert_eq!(scene.letters()[0].headers().integer(history::ATTEMPTS), None);
    scene.end().await;
}

/// S35: the flag is on the second delivery, and not on what that one sends on.
pub async fn a_copy_that_a_redelivered_call_forwards_is_a_new_message(stage: Stage) {
    let seen: Arc<Mutex<Vec<_>>> = Arc::default();
    let flags = Arc::clone(&seen);
    let scene = stage
        .mode("broker")
        .delays(500, 500)
        .start_with(move |call| {
            let flags = Arc::clone(&flags);
            Box::pin(async move {
                let info = RedeliveryInfo::from_delivery(call).await.unwrap_or_else(|_| unreachable!());
                let body = String::from_utf8_lossy(call.message.body()).into_owned();
                flags.lock().unwrap().push((body, info.attempt, info.redelivered, info.history.is_some()));
                if info.attempt == 1 && call.message.body() == "a" {
                    return Failure::from("as told").into();
                }
                if call.message.body() == "a" {
                    let mut copy = Message::new("copy");
                    *copy.headers_mut() = call.message.headers().clone();
                    let sent = call.session.send(Destination::queue(&*call.origin.queue), copy).await;
                    let _buffered = sent.unwrap_or_else(|error| panic!("{error}"));
                }
                Outcome::Acknowledge
            })
        })
        .await;
    scene.send(&["a"]).await;
    scene.settles_at(3).await;
    let seen: Vec<_> = seen.lock().unwrap().clone();
    let expected = [("a", 1, false, false), ("a", 2, true, true), ("copy", 1, false, false)];
    assert_eq!(seen, expected.map(|(body, attempt, again, story)| (body.to_owned(), attempt, again, story)));
    scene.end().await;
}
