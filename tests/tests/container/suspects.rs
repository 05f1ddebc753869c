//! Messages that end the process, told apart from their neighbours. A process ends here by dropping its application.

use super::rig::Rig;
use super::*;
use hearken::EventKind;

#[listener(queue = "work", concurrency = 1)]
async fn deadly(Text(body): Text, attempt: Attempt, State(journal): State<Journal>) {
    journal.write(format!("call {body} {attempt}"));
    match body.as_str() {
        "deadly" => std::future::pending::<()>().await,
        "slow" => tokio::time::sleep(Duration::from_secs(10)).await,
        _ => {}
    }
    journal.write(format!("done {body}"));
}

async fn process(broker: &Broker, journal: &Journal) -> Running {
    let builder = Rig::new(broker).builder().listen::<deadly>().state(journal.clone());
    start(builder.set("redelivery.default.maximumRedeliveries", 1)).await
}

async fn settle() {
    tokio::time::sleep(Duration::from_secs(2)).await;
}

#[tokio::test(start_paused = true)]
async fn a_message_that_ends_the_process_becomes_a_dead_letter_and_its_neighbours_do_not() {
    let (broker, journal) = (broker(), Journal::default());
    let running = process(&broker, &journal).await;
    for body in ["deadly", "a", "b"] {
        running.publisher().send("work", body).await.unwrap();
    }
    settle().await;
    drop(running);
    for _ in 0..5 {
        let running = process(&broker, &journal).await;
        settle().await;
        drop(running);
    }
    let running = process(&broker, &journal).await;
    settle().await;
    // Two deaths make it a suspect; then one attempt and one redelivery, each a death.
    assert_eq!(
        journal.matching("call deadly"),
        ["call deadly 1", "call deadly 1", "call deadly 1", "call deadly 2"]
    );
    let letters = broker.peek("ActiveMQ.DLQ");
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0].headers().text("hearken-error-kind"), Some("crash"));
    assert_eq!(letters[0].headers().text("hearken-queue"), Some("work"));
    let mut done = journal.matching("done");
    done.sort();
    assert_eq!(done, ["done a", "done b"], "each once, unharmed");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn stops_and_cuts_that_the_process_lives_through_suspect_nobody() {
    let (broker, journal) = (broker(), Journal::default());
    let running = process(&broker, &journal).await;
    let mut events = running.handle().events();
    running.publisher().send("work", "slow").await.unwrap();
    for call in 1..=5 {
        journal.wait_for("call slow 1", call).await;
        broker.cut_links();
    }
    journal.wait_for("call slow 1", 6).await;
    running.stop().await;
    while let Some(event) = events.next().await {
        assert!(!matches!(event.kind, EventKind::Suspect { .. }), "{event:?}");
    }
    assert_eq!(broker.peek("ActiveMQ.DLQ").len(), 0);
}
