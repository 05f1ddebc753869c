//! Somebody sets policies on the broker while a listener works: they act on the broker's part, and the listener goes on.

mod chaos_support;

use chaos_support::{SOON, configured, id, start, stop};
use hearken::prelude::*;
use hearken::{EventKind, Events, ListenerState};
use hearken_tests::broker::unique;
use hearken_tests::chaos::{eventually, within};
use hearken_tests::dead_letters::DeadLetter;
use hearken_tests::inspect::Inspector;
use hearken_tests::ledger::Ledger;
use hearken_tests::vhost::{VirtualHost, ctl};
use lapin::BasicProperties;
use lapin::options::{BasicPublishOptions, QueueDeclareOptions};
use lapin::types::{AMQPValue, FieldTable};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::RwLock;

/// Handlers wait while a test has it to itself.
type Gate = Arc<RwLock<()>>;
/// This one fails.
const BAD: u64 = 1_000;
const ELSEWHERE: &str = r#""dead-letter-exchange":"","dead-letter-routing-key":"elsewhere""#;

#[listener(queue = "given by the test", concurrency = 1, prefetch = 1)]
async fn gated(
    message: Message,
    State(ledger): State<Ledger>,
    State(gate): State<Gate>,
) -> Result<(), BoxError> {
    let id = id(&message);
    ledger.started(id);
    let _open = gate.read().await;
    if id == BAD {
        return Err("as it was told".into());
    }
    ledger.completed(id);
    Ok(())
}

struct Scene {
    host: VirtualHost,
    inspector: Inspector,
    queue: String,
    ledger: Ledger,
    gate: Gate,
    next: u64,
}

impl Scene {
    async fn new() -> Self {
        let host = VirtualHost::create().await;
        let inspector = Inspector::connect(&host.url()).await;
        inspector.declare("elsewhere").await;
        let (queue, ledger) = (unique("policies"), Ledger::default());
        Self { host, inspector, queue, ledger, gate: Gate::default(), next: 1 }
    }

    /// A queue without any arguments but its type, as somebody else may have declared it.
    async fn declare(&self, queue_type: &str) {
        let options = QueueDeclareOptions { durable: true, ..Default::default() };
        let mut arguments = FieldTable::default();
        arguments.insert("x-queue-type".into(), AMQPValue::LongString(queue_type.into()));
        let declared =
            self.inspector.channel().queue_declare(self.queue.as_str().into(), options, arguments).await;
        declared.unwrap();
    }

    async fn policy(&self, definition: &str) {
        let name = self.host.name();
        ctl(&["set_policy", "-p", name, "--apply-to", "queues", "ours", "^test\\.policies", definition])
            .await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }

    async fn publish(&self, id: u64, time_to_live: Option<&str>) {
        let mut properties =
            BasicProperties::default().with_message_id(id.to_string().into()).with_delivery_mode(2);
        if let Some(millis) = time_to_live {
            properties = properties.with_expiration(millis.into());
        }
        self.ledger.published(id);
        let (options, queue) = (BasicPublishOptions::default(), self.queue.as_str().into());
        let sent = self.inspector.channel().basic_publish("".into(), queue, options, b"x", properties).await;
        sent.unwrap();
    }

    /// Publishes so many while the only call does not end; the first is the one in hand.
    async fn publish_behind(&mut self, count: u64, time_to_live: Option<&str>) {
        let calls = self.ledger.starts();
        self.send(1, None).await;
        eventually(SOON, "the call", async || self.ledger.starts() > calls).await;
        self.send(count, time_to_live).await;
    }

    async fn send(&mut self, count: u64, time_to_live: Option<&str>) {
        for _ in 0..count {
            self.publish(self.next, time_to_live).await;
            self.next += 1;
        }
    }

    async fn ready(&self, queue: &str, count: u32) {
        eventually(SOON, queue, async || self.inspector.depth(queue).await.ready == count).await;
    }

    /// Enters so many that the broker put here for this reason.
    async fn dropped_to(&self, queue: &str, count: u32, reason: &str) {
        self.ready(queue, count).await;
        while let Some(letter) = self.inspector.get(queue).await {
            let headers = letter.properties.headers().clone().unwrap_or_default();
            let said = headers.inner().get("x-first-death-reason").and_then(|said| said.as_long_string());
            assert_eq!(said.map(ToString::to_string).as_deref(), Some(reason), "{headers:?}");
            self.ledger.dead_lettered(DeadLetter::read(&letter).id.parse().unwrap());
        }
    }

    async fn completed(&self, count: usize) {
        let what = format!("{count} to be completed");
        eventually(SOON, &what, async || self.ledger.verdict().completed.len() == count).await;
    }
}

/// The calls go on without a new consumer, and nothing is lost but what a policy without a target drops.
async fn policies(queue_type: &str, topology: &str) {
    let mut scene = Scene::new().await;
    // The arguments of our own declaration stand above any policy: what the broker drops is a dead letter of ours.
    let ours = topology == "declare";
    let target = if ours { "dead" } else { "elsewhere" };
    if !ours {
        scene.declare(queue_type).await;
        scene.inspector.declare("dead").await;
    }
    let builder = configured(&scene.host.url())
        .listen::<gated>()
        .state(scene.ledger.clone())
        .state(scene.gate.clone())
        .set("transport.topology", topology)
        .set("transport.queueType", queue_type)
        .set("container.deadLetter", "dead")
        .set("container.concurrency", 1)
        .set("container.prefetch", 1)
        .set("redelivery.default.maximumRedeliveries", 1)
        .set("redelivery.default.initialRedeliveryDelay", "100ms")
        .set("listeners.gated.queue", scene.queue.as_str());
    let running = start(builder).await;
    let events = running.handle().events();
    scene.send(5, None).await;
    scene.completed(5).await;

    scene.policy(&format!("{{{ELSEWHERE}}}")).await;
    scene.publish(BAD, None).await;
    scene.ready("dead", 1).await;
    let letter = DeadLetter::read(&scene.inspector.get("dead").await.unwrap());
    assert_eq!((letter.attempts, &*letter.reason, &*letter.queue), (2, "exhausted", &*scene.queue));
    scene.ledger.dead_lettered(BAD);
    let closed = scene.gate.clone().write_owned().await;
    scene.publish_behind(3, Some("200")).await;
    scene.dropped_to(target, 3, "expired").await;
    drop(closed);
    scene.completed(6).await;

    scene.policy(&format!(r#"{{{ELSEWHERE},"max-length":10}}"#)).await;
    let closed = scene.gate.clone().write_owned().await;
    scene.publish_behind(30, None).await;
    scene.dropped_to(target, 20, "maxlen").await;
    drop(closed);
    scene.completed(17).await;

    scene.policy(&format!(r#"{{{ELSEWHERE},"message-ttl":300}}"#)).await;
    let closed = scene.gate.clone().write_owned().await;
    scene.publish_behind(10, None).await;
    scene.dropped_to(target, 10, "expired").await;
    drop(closed);
    scene.completed(18).await;

    scene.policy(r#"{"max-length":5}"#).await;
    let closed = scene.gate.clone().write_owned().await;
    scene.publish_behind(20, None).await;
    scene.ready(&scene.queue, 5).await;
    if ours {
        scene.dropped_to(target, 15, "maxlen").await;
    }
    drop(closed);
    scene.completed(24).await;
    assert_eq!(running.state("gated"), Some(ListenerState::Running));
    let new_consumers = consumers(events).await;

    // What was declared under other policies is the same queue to a connection that comes later.
    let mut events = running.handle().events();
    scene.host.close_connections().await;
    // The state may be back before anybody looks at it; the event stays.
    within(SOON, "the cut to be noticed", async {
        while !matches!(events.next().await.map(|event| event.kind), None | Some(EventKind::Recovering)) {}
    })
    .await;
    ctl(&["clear_policy", "-p", scene.host.name(), "ours"]).await;
    scene.inspector = Inspector::connect(&scene.host.url()).await;
    scene.send(20, None).await;
    scene.completed(44).await;
    assert_eq!(scene.inspector.drain("dead").await, [0; 0]);
    let verdict = scene.ledger.verdict();
    println!("B14 {queue_type}, {topology}: {new_consumers} new consumers; {verdict}");
    assert_eq!((new_consumers, verdict.duplicates()), (0, 0), "{verdict}");
    assert_eq!(verdict.lost.len(), if ours { 0 } else { 15 }, "only what the policy drops: {verdict}");
    stop(running).await;
    scene.inspector.close().await;
}

/// How many consumers were lost or opened so far.
async fn consumers(mut events: Events) -> usize {
    let mut count = 0;
    while let Ok(Some(event)) = tokio::time::timeout(Duration::from_millis(100), events.next()).await {
        let opened = matches!(event.kind, EventKind::ConsumerStarted | EventKind::Recovering);
        count += usize::from(opened);
    }
    count
}

#[tokio::test(flavor = "multi_thread")]
async fn policies_change_under_a_listener_of_a_quorum_queue_of_its_own() {
    policies("quorum", "declare").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn policies_change_under_a_listener_of_a_classic_queue_of_its_own() {
    policies("classic", "declare").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn policies_change_under_a_listener_of_a_quorum_queue_of_somebody_else() {
    policies("quorum", "assume").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn policies_change_under_a_listener_of_a_classic_queue_of_somebody_else() {
    policies("classic", "assume").await;
}
