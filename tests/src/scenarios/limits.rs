//! How often a message is tried, and what is known of it meanwhile.

use super::Stage;
use hearken_core::dead_letter;
use hearken_core::extract::{FromDelivery, RedeliveryInfo};
use hearken_core::failure::Failure;
use hearken_core::history;
use hearken_core::message::Message;
use hearken_core::outcome::Outcome;
use hearken_core::session::Destination;
use std::sync::{Arc, Mutex};

/// `JMSXDeliveryCount`, the redelivery counter, `JMSRedelivered`, and whether it is the last one: wherever it waited.
pub async fn a_handler_sees_the_counters_of_jms(stage: Stage) {
    for mode in ["client", "broker"] {
        let seen: Arc<Mutex<Vec<_>>> = Arc::default();
        let counters = Arc::clone(&seen);
        let scene = stage
            .beside()
            .mode(mode)
            .delays(100, 100)
            .maximum(2)
            .start_with(move |call| {
                let counters = Arc::clone(&counters);
                Box::pin(async move {
                    let info = RedeliveryInfo::from_delivery(call).await.unwrap_or_else(|_| unreachable!());
                    let seen = (info.attempt, info.redeliveries(), info.redelivered, info.is_last());
                    counters.lock().unwrap().push(seen);
                    Failure::from("as told").into()
                })
            })
            .await;
        scene.send(&["a"]).await;
        scene.journal.wait_for("dead", 1).await;
        let expected = [(1, 0, false, false), (2, 1, true, false), (3, 2, true, true)];
        assert_eq!(*seen.lock().unwrap(), expected, "{mode}");
        scene.end().await;
    }
}

/// The cause names policy and count. S4.
pub async fn after_the_last_attempt_the_next_message_follows_and_the_letter_tells_why(stage: Stage) {
    let scene = stage.delays(100, 1_000).maximum(2).start(|call| call.message.body() == "1st").await;
    scene.send(&["1st", "2nd"]).await;
    scene.journal.wait_for("call 2nd", 1).await;
    scene.journal.wait_for("dead", 1).await;
    assert_eq!(scene.calls(), ["1st 1", "1st 2", "1st 3", "2nd 1"]);
    let letters = scene.letters();
    let headers = letters[0].headers();
    assert_eq!(headers.text(dead_letter::REASON), Some("exhausted"));
    assert_eq!(
        (headers.text(dead_letter::POLICY), headers.integer(history::ATTEMPTS)),
        (Some("default"), Some(3))
    );
    assert_eq!((letters.len(), headers.text(history::ERROR_TEXT)), (1, Some("as told")));
    scene.end().await;
}

/// S5.
pub async fn without_a_limit_a_message_is_tried_until_it_succeeds(stage: Stage) {
    let scene = stage.delays(100, 100).maximum(-1).start(|call| call.attempt <= 5).await;
    scene.send(&["1st"]).await;
    scene.journal.wait_for("call 1st", 6).await;
    assert_eq!(scene.attempts("1st"), [1, 2, 3, 4, 5, 6]);
    assert!(scene.letters().is_empty());
    scene.end().await;
}

/// S7.
pub async fn without_redelivery_the_next_message_follows_at_once(stage: Stage) {
    let scene = stage.delays(0, 1_000).maximum(0).start(|call| call.message.body() == "1st").await;
    scene.send(&["1st", "2nd"]).await;
    scene.journal.wait_for("dead 1st", 1).await;
    scene.settles_at(2).await;
    assert_eq!(scene.calls(), ["1st 1", "2nd 1"]);
    scene.end().await;
}

/// S17, as far as it speaks of queues.
pub async fn several_messages_reach_the_limit_together_and_none_is_tried_once_more(stage: Stage) {
    let scene = stage.non_blocking().delays(0, 1_000).maximum(2).start(|_| true).await;
    scene.send_together(&["1st", "2nd"]).await;
    scene.journal.wait_for("dead", 2).await;
    scene.settles_at(6).await;
    assert_eq!((scene.attempts("1st"), scene.attempts("2nd")), (vec![1, 2, 3], vec![1, 2, 3]));
    scene.end().await;
}

/// S18: four calls at their times, then a message that succeeds, and nothing after it.
pub async fn a_message_that_was_given_up_leaves_no_trace_in_the_count_of_the_next(stage: Stage) {
    let stage = stage.delays(0, 1_000).doubling().maximum(3);
    let scene = stage.start(|call| call.message.body() == "bad").await;
    scene.send(&["bad"]).await;
    scene.journal.wait_for("dead bad", 1).await;
    scene.assert_waits("bad", &[0, 1_000, 2_000]);
    scene.send(&["good"]).await;
    scene.settles_at(5).await;
    assert_eq!(scene.calls(), ["bad 1", "bad 2", "bad 3", "bad 4", "good 1"]);
    scene.end().await;
}

/// S21, where ActiveMQ names the one before.
pub async fn the_letter_names_the_error_of_the_last_attempt(stage: Stage) {
    let scene = stage
        .delays(0, 0)
        .maximum(3)
        .start_with(|call| {
            let text = format!("attempt {} failed", call.attempt);
            Box::pin(async move { Failure::from(text).into() })
        })
        .await;
    scene.send(&["a"]).await;
    scene.journal.wait_for("dead", 1).await;
    assert_eq!(scene.letters()[0].headers().text(history::ERROR_TEXT), Some("attempt 4 failed"));
    scene.end().await;
}

/// S12: the copy has another id, and goes the way of its call.
pub async fn what_a_failed_call_forwards_is_not_sent_and_does_not_change_its_count(stage: Stage) {
    let scene = stage
        .delays(0, 0)
        .maximum(2)
        .start_with(|call| {
            Box::pin(async move {
                if call.message.body() == "forwarded" {
                    return Outcome::Acknowledge;
                }
                let copy = Message::new("forwarded").with_id("another");
                match call.session.send(Destination::queue(&*call.origin.queue), copy).await {
                    Ok(_) => Failure::from("as told").into(),
                    Err(error) => Failure::permanent(error).into(),
                }
            })
        })
        .await;
    scene.send_message(Message::new("a").with_id("one")).await;
    scene.journal.wait_for("dead", 1).await;
    scene.settles_at(3).await;
    assert_eq!(scene.calls(), ["a 1", "a 2", "a 3"]);
    assert_eq!(scene.letters()[0].id(), Some("one"));
    assert_eq!(scene.letters().len(), 1);
    scene.end().await;
}
