//! What a dead letter tells.

use super::{Bench, Rig};
use hearken_core::failure::Failure;
use hearken_core::message::{DeliveryMode, HeaderValue, Message};
use hearken_core::outcome::Outcome;
use hearken_core::{dead_letter, history};

const ONCE: &[(&str, &str)] =
    &[("redelivery.default.maximumRedeliveries", "1"), ("redelivery.default.initialRedeliveryDelay", "20")];

/// Where it came from, how often it was tried, why and when it failed, who gave up.
pub async fn a_dead_letter_tells_its_story(rig: Rig) {
    let bench = Bench::start(rig, ONCE, |call| {
        let secret = "amqp://u:hunter2@h";
        let text = format!("line one\r\n\u{1b}[31mattempt {} {secret} {}", call.attempt, "x".repeat(20_000));
        Box::pin(async move { Failure::from(text).code("busy").into() })
    })
    .await;
    bench.send(&["a"]).await;
    bench.journal.wait_for("dead", 1).await;
    bench.journal.wait_for("probe settle", 1).await;
    let letter = &bench.letters()[0];
    let headers = letter.headers();
    for (name, expected) in [
        (history::QUEUE, bench.queue.as_str()),
        (history::EXCHANGE, ""),
        (history::ROUTING_KEY, bench.queue.as_str()),
        (history::ERROR_KIND, "error"),
        (history::ERROR_CODE, "busy"),
        (dead_letter::REASON, "exhausted"),
        (dead_letter::POLICY, "default"),
        (dead_letter::LISTENER, "probe"),
        (dead_letter::SPRING_EXCHANGE, ""),
        (dead_letter::SPRING_ROUTING_KEY, bench.queue.as_str()),
    ] {
        assert_eq!(headers.text(name), Some(expected), "{name}");
    }
    assert!(headers.text(dead_letter::HOST).is_some_and(|host| !host.is_empty()));
    assert_eq!(headers.integer(history::ATTEMPTS), Some(2));
    let (first, last) = (headers.integer(history::FIRST_FAILURE), headers.integer(history::LAST_FAILURE));
    assert!(first > Some(1_600_000_000_000) && last >= first.map(|first| first + 20), "{first:?} {last:?}");
    let text = headers.text(history::ERROR_TEXT).unwrap_or_default();
    assert!(text.starts_with("line one   [31mattempt 2 amqp://u:***@h xxx"), "{text:.60}");
    assert_eq!(headers.text(dead_letter::SPRING_MESSAGE), Some(text));
    assert!(text.len() <= history::MAX_TEXT && text.ends_with("(cut)"));
    let settlements = bench.journal.matching("probe settle");
    assert_eq!(settlements, ["probe settle Moved"]);
    let lines = bench.journal.lines();
    let at = |line: &str| lines.iter().position(|written| written == line);
    assert!(at("move confirmed") < at("probe settle Moved"), "{lines:?}");
    bench.end().await;
}

/// What the sender wrote is in the dead letter, and the letter is persistent whatever the message was.
pub async fn body_id_and_headers_survive(rig: Rig) {
    let bench = Bench::start(rig, ONCE, |_| Box::pin(async { Failure::permanent("no").into() })).await;
    let mut message = Message::new("body")
        .with_id("id-1")
        .with_content_type("text/x-test")
        .with_header("text", "ü")
        .with_header("number", 7)
        .with_header("list", vec![HeaderValue::Boolean(true), HeaderValue::Void]);
    message.properties_mut().delivery_mode = DeliveryMode::NonPersistent;
    message.properties_mut().correlation_id = Some("c-1".to_owned());
    bench.send_message(message.clone()).await;
    bench.journal.wait_for("dead", 1).await;
    let letter = &bench.letters()[0];
    assert_eq!(letter.id(), Some("id-1"));
    assert_eq!(letter.properties().content_type.as_deref(), Some("text/x-test"));
    assert_eq!(letter.properties().correlation_id.as_deref(), Some("c-1"));
    assert_eq!(letter.properties().delivery_mode, DeliveryMode::Persistent);
    assert_eq!(letter.headers().text(dead_letter::ORIGINAL_DELIVERY_MODE), Some("NON_PERSISTENT"));
    for (name, value) in message.headers().iter() {
        assert_eq!(letter.headers().get(name), Some(value), "{name}");
    }
    bench.end().await;
}

/// `deadLetterStrategy = "individual"`: prefix and the name of the queue.
pub async fn an_individual_dead_letter_queue_is_used(rig: Rig) {
    let prefix = super::bench::unique("individual");
    let settings = [ONCE, &[("deadLetterStrategy", "individual"), ("deadLetterPrefix", &*prefix)]].concat();
    let mut bench =
        Bench::start(rig, &settings, |_| Box::pin(async { Failure::permanent("no").into() })).await;
    let individual = format!("{prefix}{}", bench.queue);
    bench.stop().await;
    let shared = std::mem::replace(&mut bench.dead, individual.clone());
    bench.restart().await;
    bench.send(&["a"]).await;
    bench.journal.wait_for("dead a", 1).await;
    let deleted = bench.running().delete_queue(&shared).await;
    deleted.unwrap_or_else(|error| panic!("{error}"));
    bench.end().await;
}

/// `deadLetterStrategy = "discarding"`: gone, and settled.
pub async fn discarding_drops_the_message(rig: Rig) {
    let settings = [ONCE, &[("deadLetterStrategy", "discarding")]].concat();
    let bench = Bench::start(rig, &settings, |call| {
        let good = call.message.body() == "good";
        Box::pin(async move { if good { Outcome::Acknowledge } else { Failure::permanent("no").into() } })
    })
    .await;
    bench.send(&["bad", "good"]).await;
    bench.journal.wait_for("probe settle", 2).await;
    assert_eq!(bench.journal.matching("probe settle"), ["probe settle Discard", "probe settle Acknowledge"]);
    assert_eq!(bench.letters(), []);
    bench.end().await;
}
