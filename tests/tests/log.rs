//! What is logged, and what never is.

use hearken::prelude::*;
use hearken_embedded::{Broker, EmbeddedTransport, Settings};
use hearken_testkit::Journal;
use hearken_tests::captured::Captured;
use std::sync::Arc;

#[listener(queue = "log.work")]
async fn logged(Text(body): Text, State(journal): State<Journal>) -> Result<(), BoxError> {
    journal.write(format!("call {body}"));
    if body.starts_with("bad") { Err("line one\nline two \u{1b}[31m".into()) } else { Ok(()) }
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_one_line_and_neither_payload_nor_control_characters_are_logged() {
    let captured = Captured::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(captured.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let journal = Journal::default();
    let broker = Broker::new(Settings::default());
    let running = Hearken::builder()
        .listen::<logged>()
        .transport(Arc::new(EmbeddedTransport::new(broker)))
        .state(journal.clone())
        .set("redelivery.default.maximumRedeliveries", 1)
        .build()
        .unwrap()
        .start()
        .await
        .unwrap();
    let publisher = running.publisher();
    for body in ["good canary-payload", "bad canary-payload"] {
        publisher.send("log.work", Message::new(body).with_id("id\r\n7")).await.unwrap();
    }
    journal.wait_for("call", 3).await;
    running.stop().await;
    let log = captured.text();
    assert!(!log.contains("canary-payload"), "{log}");
    assert!(!log.contains('\u{1b}'), "{log}");
    let failures: Vec<_> = log.lines().filter(|line| line.contains("failed;")).collect();
    assert_eq!(failures.len(), 2, "{log}");
    assert!(failures[0].contains("attempt 1 failed; again in 1s"), "{log}");
    assert!(failures[1].contains("attempt 2 failed; dead letter: the redelivery limit is reached"), "{log}");
    for field in [
        "messaging.system=\"embedded\"",
        "messaging.destination.name=\"log.work\"",
        "messaging.message.id=\"id  7\"",
        "messaging.operation.name=\"process\"",
        "hearken.listener=\"logged\"",
        "hearken.attempt=2",
        "error.type=\"error\"",
    ] {
        assert!(failures[1].contains(field), "no {field} in {}", failures[1]);
    }
}
