//! Canaries on a real RabbitMQ: with the default filter neither a payload nor a password is printed, whatever fails.

use hearken::prelude::*;
use hearken_testkit::Journal;
use hearken_tests::broker;
use hearken_tests::captured::Captured;
use tracing_subscriber::EnvFilter;

#[listener(queue = "unused")]
async fn doomed(Text(body): Text, State(journal): State<Journal>) -> Result<(), BoxError> {
    journal.write(format!("call {}", body.len()));
    Err("no".into())
}

const PASSWORD: &str = "canary-password";
const PAYLOAD: &str = "canary-payload";

fn builder(url: &str, journal: &Journal, queue: &str) -> hearken::Builder {
    Hearken::builder()
        .listen::<doomed>()
        .state(journal.clone())
        .set("transport.url", url)
        .set("application.name", "canary")
        .set("listeners.doomed.queue", queue)
        .set("listeners.doomed.deadLetterStrategy", "discarding")
        .set("redelivery.default.maximumRedeliveries", 0)
}

#[tokio::test]
async fn neither_payload_nor_password_is_printed() {
    let captured = Captured::default();
    let writer = captured.clone();
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(hearken::log::DEFAULT_FILTER))
        .with_writer(move || writer.clone())
        .init();
    let journal = Journal::default();
    let queue = broker::unique("canary");

    let mut running = builder(&broker::amqp_url(), &journal, &queue).build().unwrap().start().await.unwrap();
    let publisher = running.publisher();
    let returned = publisher.send("no-such-queue.canary", PAYLOAD).await.unwrap_err();
    publisher.send(queue.as_str(), PAYLOAD).await.unwrap();
    journal.wait_for("call", 1).await;
    running.stop_listeners().await;
    running.delete_queue(&queue).await.unwrap();
    running.stop().await;

    let refused_url = broker::amqp_url().replace("guest:guest@", &format!("nobody:{PASSWORD}@"));
    let application = builder(&refused_url, &journal, &queue).build().unwrap();
    let shown =
        format!("{:?} {:?}", application.configuration(), application.configuration().transport().url);
    let Err(refused) = application.start().await else { panic!("a wrong password was accepted") };
    assert!(refused.to_string().contains("nobody"), "{refused}");

    let log = captured.text();
    assert!(log.contains("listener is running"), "the log was captured: {log}");
    let told = format!("{log}\n{returned}\n{returned:?}\n{refused}\n{refused:?}\n{shown}");
    let as_bytes = |text: &str| format!("{:?}", text.as_bytes()).trim_matches(['[', ']']).to_owned();
    for canary in [PASSWORD.to_owned(), PAYLOAD.to_owned(), as_bytes(PASSWORD), as_bytes(PAYLOAD)] {
        assert!(!told.contains(&canary), "{canary} in:\n{told}");
    }
}
