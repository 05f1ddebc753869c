//! How long redeliveries wait. The text of the policies is ActiveMQ's.

use super::Stage;
use super::stage::{ROUNDING, bodies, numbers};
use hearken::EventKind;
use std::time::Duration;

/// One message that fails until its waits are over.
async fn waits(stage: Stage, expected: &[u64]) {
    let last = expected.len() as u64;
    let scene = stage.start(move |call| call.attempt <= last).await;
    scene.send(&["1st", "2nd"]).await;
    scene.journal.wait_for("call 2nd", 1).await;
    scene.assert_waits("1st", expected);
    scene.end().await;
}

/// First waits of 0 and more, fixed and exponential. S1, S3, S14, S15, S16, S18, S28.
pub async fn waits_are_those_of_the_policy(stage: Stage) {
    waits(stage.beside().delays(0, 500).doubling(), &[0, 500, 1_000]).await;
    waits(stage.beside().delays(0, 500), &[0, 500, 500, 500]).await;
    waits(stage.beside().delays(0, 1_000).maximum(1), &[0]).await;
    waits(stage.beside().delays(1_000, 1_000).maximum(1), &[1_000]).await;
    waits(stage.beside().delays(0, 1_000).maximum(2), &[0, 1_000]).await;
    waits(stage.beside().delays(0, 1_000).doubling().maximum(3), &[0, 1_000, 2_000]).await;
    waits(stage.delays(6_000, 1_000), &[6_000]).await;
}

/// The cap is reached and stays. S6.
pub async fn an_exponential_chain_stops_at_its_cap(stage: Stage) {
    let stage = stage.delays(80, 40).doubling().cap(1_000).maximum(-1);
    waits(stage, &[80, 160, 320, 640, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000]).await;
}

/// Ten messages in a row, none of which sees the waits of the others. S2.
pub async fn each_message_has_a_chain_of_its_own(stage: Stage) {
    let scene = stage.non_blocking().delays(0, 100).doubling().maximum(4).start(|_| true).await;
    let numbers = numbers(10);
    scene.send_together(&bodies(&numbers)).await;
    scene.journal.wait_for("dead", 10).await;
    scene.settles_at(50).await;
    for body in &numbers {
        assert_eq!(scene.attempts(body), [1, 2, 3, 4, 5]);
        scene.assert_waits(body, &[0, 100, 200, 400]);
    }
    scene.end().await;
}

/// A back-off that is the consumer's instead of the message's would multiply with each of them: AMQ-8617.
pub async fn a_hundred_poison_messages_do_not_lengthen_the_waits_of_one_another(stage: Stage) {
    let scene = stage.non_blocking().delays(100, 100).doubling().maximum(6).start(|_| true).await;
    let numbers = numbers(100);
    scene.send_together(&bodies(&numbers)).await;
    scene.journal.wait_for("dead", 100).await;
    for body in &numbers {
        scene.assert_waits(body, &[100, 200, 400, 800, 1_600, 3_200]);
    }
    let (first, last) = (scene.journal.times("call")[0], scene.journal.times("dead")[99]);
    let (took, waits) = (last - first, Duration::from_millis(6_300 / scene.pace()));
    println!("V18: all dead letters {took:?} after the first call, {:?} more than their waits", took - waits);
    assert!(took <= waits + scene.tolerance() + 7 * ROUNDING, "{took:?}");
    scene.end().await;
}

/// A handler that fails at once makes calls at the policy's pace, and not one new consumer.
pub async fn a_handler_that_fails_at_once_is_called_at_the_pace_of_the_policy_over_one_channel(stage: Stage) {
    for mode in ["client", "broker"] {
        let second = 1_000 * stage.pace();
        let scene =
            stage.beside().mode(mode).non_blocking().delays(second, second).maximum(3).start(|_| true).await;
        let mut events = scene.running().handle().events();
        scene.send(&["a"]).await;
        scene.journal.wait_for("dead", 1).await;
        scene.settles_at(4).await;
        assert_eq!(scene.attempts("a"), [1, 2, 3, 4]);
        scene.assert_waits("a", &[second; 3]);
        let times = scene.journal.times("call");
        println!("V10 {mode}: calls after {:?}", times.iter().map(|at| *at - times[0]).collect::<Vec<_>>());
        scene.end().await;
        let opened = async {
            while let Some(event) = events.next().await {
                let opened = matches!(event.kind, EventKind::ConsumerStarted | EventKind::Recovering);
                assert!(!opened, "{mode}: {event:?}");
            }
        };
        let all = tokio::time::timeout(Duration::from_secs(10), opened).await;
        assert!(all.is_ok(), "events go on after the end");
    }
}
