//! Messages that cannot be handled: each harms itself only, and none is lost.

mod chaos_support;

use chaos_support::{CONCURRENCY, RECOVERY, SOON, configured, id, start, stop};
use hearken::prelude::*;
use hearken::{Builder, ListenerState, Running};
use hearken_tests::broker::unique;
use hearken_tests::chaos::eventually;
use hearken_tests::inspect::Inspector;
use hearken_tests::ledger::Ledger;
use hearken_tests::load::Load;
use hearken_tests::vhost::VirtualHost;
use lapin::BasicProperties;
use lapin::options::{BasicPublishOptions, QueueDeleteOptions};
use lapin::types::{AMQPValue, FieldTable};
use std::time::Duration;

/// A virtual host with a queue and its dead letter queue.
struct Stage {
    host: VirtualHost,
    inspector: Inspector,
    queue: String,
    dead: String,
    ledger: Ledger,
}

impl Stage {
    async fn new() -> Self {
        let host = VirtualHost::create().await;
        let inspector = Inspector::connect(&host.url()).await;
        let [queue, dead] = ["messages", "dead"].map(unique);
        Self { host, inspector, queue, dead, ledger: Ledger::default() }
    }

    /// A service for this stage's queue; nothing is redelivered unless said otherwise.
    fn service(&self, listener: &str) -> Builder {
        configured(&self.host.url())
            .state(self.ledger.clone())
            .set(format!("listeners.{listener}.queue"), self.queue.as_str())
            .set("container.deadLetter", self.dead.as_str())
            .set("redelivery.default.maximumRedeliveries", 0)
    }

    async fn load(&self, count: u64) {
        Load::new(&self.host.url(), &self.queue, 100, self.ledger.clone()).send(count).await;
    }

    /// Publishes one message past hearken.
    async fn publish(&self, body: &[u8], properties: BasicProperties) {
        let (channel, options) = (self.inspector.channel(), BasicPublishOptions::default());
        channel
            .basic_publish("".into(), self.queue.as_str().into(), options, body, properties)
            .await
            .unwrap();
    }

    /// The headers of the next dead letter.
    async fn letter(&self) -> FieldTable {
        let mut letter = None;
        eventually(SOON, "a dead letter", async || {
            letter = self.inspector.get(&self.dead).await;
            letter.is_some()
        })
        .await;
        letter.and_then(|letter| letter.properties.headers().clone()).unwrap_or_default()
    }

    /// Enters what the dead letter queue holds.
    async fn enter_letters(&self) {
        for id in self.inspector.drain(&self.dead).await {
            self.ledger.dead_lettered(id);
        }
    }

    async fn end(self, running: Running) {
        stop(running).await;
        self.inspector.close().await;
    }
}

fn text(headers: &FieldTable, name: &str) -> String {
    match headers.inner().get(name) {
        Some(AMQPValue::LongString(text)) => String::from_utf8(text.as_bytes().to_vec()).unwrap(),
        other => panic!("{name}: {other:?} in {headers:?}"),
    }
}

#[listener(queue = "failing")]
async fn failing(message: Message, State(ledger): State<Ledger>) -> Result<(), BoxError> {
    ledger.started(id(&message));
    Err("it always fails".into())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_letter_that_no_queue_takes_is_kept_until_one_does() {
    let stage = Stage::new().await;
    let running = start(stage.service("failing").listen::<failing>()).await;
    // Whoever comes late would declare it again.
    chaos_support::consumers(&stage.inspector, &stage.queue, CONCURRENCY).await;
    let channel = stage.inspector.channel();
    channel.queue_delete(stage.dead.as_str().into(), QueueDeleteOptions::default()).await.unwrap();
    stage.load(20).await;
    eventually(SOON, "the calls", async || stage.ledger.starts() == 20).await;
    tokio::time::sleep(2 * RECOVERY).await;
    println!(
        "V05 without a dead letter queue: {:?}, calls {}",
        running.state("failing"),
        stage.ledger.starts()
    );
    assert_eq!(stage.ledger.starts(), 20, "a letter is tried again, not its handler");
    stage.inspector.declare(&stage.dead).await;
    let took = eventually(SOON, "20 letters", async || stage.inspector.depth(&stage.dead).await.ready == 20);
    let took = took.await;
    tokio::time::sleep(RECOVERY).await;
    stage.enter_letters().await;
    let verdict = stage.ledger.verdict();
    println!("V05 letters {took:.1?} after their queue; {verdict}");
    assert_eq!((verdict.lost.len(), verdict.dead_twice.len()), (0, 0), "{verdict}");
    assert_eq!(verdict.dead_lettered.len(), 20, "{verdict}");
    assert_eq!(stage.inspector.depth(&stage.queue).await.ready, 0);
    stage.end(running).await;
}

#[listener(queue = "typed", concurrency = 10)]
async fn typed(message: Message, Json(_): Json<serde_json::Value>, State(ledger): State<Ledger>) {
    ledger.started(id(&message));
    tokio::time::sleep(Duration::from_secs(2)).await;
    ledger.completed(id(&message));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_cannot_be_decoded_does_not_touch_its_neighbours() {
    let stage = Stage::new().await;
    let running = start(stage.service("typed").listen::<typed>().set("listeners.typed.prefetch", 2)).await;
    for number in 1..=20_u64 {
        let body = if number == 11 { "{" } else { "1" };
        stage.ledger.published(number);
        stage
            .publish(body.as_bytes(), BasicProperties::default().with_message_id(number.to_string().into()))
            .await;
    }
    let headers = stage.letter().await;
    stage.ledger.dead_lettered(11);
    eventually(SOON, "the others", async || stage.ledger.verdict().completed.len() == 19).await;
    let verdict = stage.ledger.verdict();
    println!("V22 {verdict}");
    assert_eq!((verdict.calls, verdict.duplicates(), verdict.lost.len()), (19, 0, 0), "{verdict}");
    assert_eq!(
        (text(&headers, "hearken-error-kind"), text(&headers, "hearken-queue")),
        ("undecodable".into(), stage.queue.clone())
    );
    stage.end(running).await;
}

#[listener(queue = "verbose")]
async fn verbose(message: Message) -> Result<(), BoxError> {
    let _ = message;
    Err("é".repeat(250_000).into())
}

/// Dead letters of messages whose own headers have these sizes, beside an error text of half a megabyte.
async fn bury(sizes: &[usize]) {
    let stage = Stage::new().await;
    let running = start(stage.service("verbose").listen::<verbose>()).await;
    for &size in sizes {
        let mut headers = FieldTable::default();
        headers.insert("large".into(), AMQPValue::LongString("x".repeat(size).into()));
        stage.publish(b"x", BasicProperties::default().with_headers(headers)).await;
        let letter = stage.letter().await;
        let error = text(&letter, "hearken-error-text");
        println!("V24 {size} bytes of headers: {} bytes of error text", error.len());
        assert!(error.len() <= 8 * 1_024 && error.starts_with('é'), "{}", error.len());
    }
    assert_eq!(running.state("verbose"), Some(ListenerState::Running));
    stage.end(running).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_error_text_is_cut_so_that_the_dead_letter_fits() {
    bury(&[0, 60_000, 100_000]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_that_fill_a_frame_still_become_a_dead_letter() {
    bury(&[125_000]).await;
}

#[listener(queue = "panicking", concurrency = 1)]
async fn panicking(message: Message, State(ledger): State<Ledger>) {
    ledger.started(id(&message));
    assert_ne!(id(&message), 3, "the third one panics");
    ledger.completed(id(&message));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_makes_its_handler_panic_takes_no_consumer_with_it() {
    let stage = Stage::new().await;
    let builder = stage.service("panicking").listen::<panicking>();
    let running = start(builder.set("redelivery.default.maximumRedeliveries", 1)).await;
    stage.load(10).await;
    let letter = stage.letter().await;
    stage.ledger.dead_lettered(3);
    eventually(SOON, "the others", async || stage.ledger.verdict().completed.len() == 9).await;
    let verdict = stage.ledger.verdict();
    println!("V25 {verdict}");
    assert_eq!((verdict.calls, verdict.lost.len()), (11, 0), "{verdict}");
    assert!(text(&letter, "hearken-error-text").contains("the third one panics"));
    assert_eq!(text(&letter, "hearken-error-kind"), "panic");
    chaos_support::consumers(&stage.inspector, &stage.queue, 1).await;
    stage.end(running).await;
}
