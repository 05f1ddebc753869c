//! Whose count it is.

use super::Stage;
use super::stage::{bodies, numbers};
use hearken::Concurrency;
use hearken_core::dead_letter;
use hearken_core::history;
use hearken_core::message::{HeaderValue, Headers, Message};

/// Names that a count, or a part of the story, goes by here or elsewhere.
const NAMES: [&str; 21] = [
    history::ATTEMPTS,
    history::FIRST_FAILURE,
    history::LAST_FAILURE,
    history::ERROR_KIND,
    history::QUEUE,
    dead_letter::REASON,
    "hearken-hold-ms",
    "hearken-remaining-ms",
    "hearken-target-queue",
    "hearken-x-death",
    "hearken-of-a-stranger",
    "x-hearken-attempts",
    "x-death",
    "x-first-death-queue",
    "x-first-death-reason",
    "x-retry-count",
    "x-delivery-count",
    "x-acquired-count",
    "JMSXDeliveryCount",
    "JMSRedelivered",
    "redeliveryDelay",
];

fn values() -> Vec<HeaderValue> {
    let table = Headers::from_iter([("x", 1i64)]);
    vec![
        HeaderValue::from(0i64),
        HeaderValue::from(-1i64),
        HeaderValue::from(i64::MIN),
        HeaderValue::from(i64::MAX),
        HeaderValue::from("7"),
        HeaderValue::from("many"),
        HeaderValue::from(true),
        HeaderValue::Void,
        HeaderValue::from(vec![HeaderValue::from(3i64)]),
        HeaderValue::from(table),
    ]
}

/// Whatever a sender claims, in whatever type: three calls at the policy's pace, and the sender's own headers stay.
pub async fn forged_and_absurd_counters_change_nothing(stage: Stage) {
    for mode in ["client", "broker"] {
        let scene =
            stage.beside().mode(mode).non_blocking().delays(400, 400).maximum(2).start(|_| true).await;
        let values = values();
        let numbers = numbers(values.len() + 1);
        for (body, value) in numbers.iter().zip(&values) {
            let forged = NAMES
                .iter()
                .fold(Message::new(body.clone()), |message, name| message.with_header(*name, value.clone()));
            scene.send_message(forged).await;
        }
        scene.send(&[&numbers[values.len()]]).await;
        scene.journal.wait_for("dead", numbers.len()).await;
        scene.settles_at(3 * numbers.len()).await;
        for body in &numbers {
            assert_eq!(scene.attempts(body), [1, 2, 3], "{mode}: {body}");
            scene.assert_waits(body, &[400, 400]);
        }
        for letter in scene.letters() {
            let headers = letter.headers();
            assert_eq!(headers.integer(history::ATTEMPTS), Some(3), "{mode}: {headers:?}");
            assert_eq!(headers.text(history::QUEUE), Some(&*scene.queue));
            assert_eq!(headers.get("hearken-of-a-stranger"), None);
            let number: usize = String::from_utf8_lossy(letter.body()).parse().unwrap();
            assert_eq!(headers.get("JMSXDeliveryCount"), values.get(number - 1), "{mode}");
        }
        scene.end().await;
    }
}

/// More invokers, then fewer, while messages wait for their second and third attempt.
pub async fn the_count_is_kept_while_consumers_come_and_go(stage: Stage) {
    for mode in ["client", "broker"] {
        let stage = stage.beside().mode(mode).non_blocking().delays(2_000, 2_000).maximum(3);
        let scene = stage.start(|call| call.attempt <= 3).await;
        let numbers = numbers(20);
        scene.send_together(&bodies(&numbers)).await;
        let handle = scene.running().handle();
        for (round, invokers) in [4, 1, 3].into_iter().enumerate() {
            scene.journal.wait_for("call", 20 * (round + 1)).await;
            let concurrency = Concurrency::fixed(invokers).unwrap();
            handle.scale("probe", concurrency).await.unwrap_or_else(|error| panic!("{error}"));
        }
        scene.settles_at(80).await;
        for body in &numbers {
            assert_eq!(scene.attempts(body), [1, 2, 3, 4], "{mode}: {body}");
            scene.assert_waits(body, &[2_000, 2_000, 2_000]);
        }
        assert!(scene.letters().is_empty());
        scene.end().await;
    }
}
