//! The broker has an alarm and takes no messages: consuming goes on, publishing fails into redelivery, and nothing is lost.
//! B18, V13.

mod chaos_support;

use chaos_support::{SOON, configured, id, start, stop};
use hearken::prelude::*;
use hearken::{Event, EventKind, FailedDelivery, ListenerState, Running};
use hearken_tests::broker::unique;
use hearken_tests::chaos::{eventually, pick};
use hearken_tests::dead_letters::DeadLetter;
use hearken_tests::inspect::Inspector;
use hearken_tests::ledger::Ledger;
use hearken_tests::load::Load;
use hearken_tests::node::{Lease, Node, SETTLED};
use hearken_tests::process::{Consumer, Job};
use hearken_tests::records::Reader;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const SECOND: Duration = Duration::from_secs(1);
/// `publishTimeout`.
const PATIENCE: Duration = Duration::from_secs(3);
/// How many messages the publishing and the failing listener have when the alarm comes.
const MESSAGES: u64 = 20;
/// How many the consuming one has: more than it can handle meanwhile.
const SUPPLY: u64 = 3_000;

const LISTENERS: [&str; 3] = ["consuming", "publishing", "failing"];

#[derive(Clone, Copy, Debug)]
enum Alarm {
    Memory,
    Disk,
}

impl Alarm {
    async fn set(self, node: &Node, on: bool) {
        match self {
            Self::Memory => node.memory_alarm(on).await,
            Self::Disk => node.disk_alarm(on).await,
        }
    }
}

#[derive(Clone, Default)]
struct Ledgers {
    consuming: Ledger,
    publishing: Ledger,
    failing: Ledger,
    target: String,
    /// When the running call of a message of the publishing listener began.
    began: Arc<Mutex<BTreeMap<u64, Instant>>>,
    /// How long its failed calls took.
    failed: Arc<Mutex<Vec<Duration>>>,
}

#[listener(queue = "consuming", concurrency = 2)]
async fn consuming(message: Message, State(ledgers): State<Ledgers>) {
    ledgers.consuming.started(id(&message));
    tokio::time::sleep(pick(SECOND / 50, SECOND / 25)).await;
    ledgers.consuming.completed(id(&message));
}

#[listener(queue = "publishing", error_handler = "failures")]
async fn publishing(
    message: Message,
    session: Session,
    State(ledgers): State<Ledgers>,
) -> Result<(), BoxError> {
    let id = id(&message);
    ledgers.publishing.started(id);
    ledgers.began.lock().unwrap().insert(id, Instant::now());
    let _buffered = session.send(ledgers.target.as_str(), Message::new("x").with_id(id.to_string())).await?;
    Ok(())
}

#[listener(queue = "failing")]
async fn failing(message: Message, State(ledgers): State<Ledgers>) -> Result<(), Failure> {
    ledgers.failing.started(id(&message));
    Err(Failure::permanent("never to be mended"))
}

/// A call of the publishing listener failed.
fn failed(ledgers: &Ledgers, failed: &FailedDelivery<'_>) {
    let began = ledgers.began.lock().unwrap().get(&id(failed.message)).map(Instant::elapsed);
    ledgers.failed.lock().unwrap().extend(began);
}

/// The queues of one run, and what fills them.
struct Queues {
    inspector: Inspector,
    names: [String; 3],
    target: String,
    dead: String,
    loads: [Load; 3],
}

impl Queues {
    /// So many are in the target queue, and in that of the dead letters.
    async fn depths(&self) -> [u32; 2] {
        [self.inspector.depth(&self.target).await.ready, self.inspector.depth(&self.dead).await.ready]
    }
}

async fn service(node: &Node) -> (Running, Ledgers, Queues) {
    let names = LISTENERS.map(unique);
    let [target, dead] = ["target", "dead"].map(unique);
    let ledgers = Ledgers { target: target.clone(), ..Ledgers::default() };
    let inspector = Inspector::connect(node.url()).await;
    inspector.declare(&target).await;
    let hook = ledgers.clone();
    let builder = configured(node.url())
        .listen::<consuming>()
        .listen::<publishing>()
        .listen::<failing>()
        .state(ledgers.clone())
        .error_handler("failures", move |delivery| failed(&hook, delivery))
        .set("listeners.consuming.queue", names[0].as_str())
        .set("listeners.publishing.queue", names[1].as_str())
        .set("listeners.publishing.prefetch", 1)
        .set("listeners.failing.queue", names[2].as_str())
        .set("container.deadLetter", dead.as_str())
        .set("transport.publishTimeout", "3s")
        .set("redelivery.default.maximumRedeliveries", -1)
        .set("redelivery.default.initialRedeliveryDelay", "500ms");
    let running = start(builder).await;
    let of = [&ledgers.consuming, &ledgers.publishing, &ledgers.failing];
    let loads = std::array::from_fn(|n| Load::new(node.url(), &names[n], 100, of[n].clone()));
    (running, ledgers, Queues { inspector, names, target, dead, loads })
}

/// The events so far.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<Event>>>);

impl Heard {
    fn listen(running: &Running) -> Self {
        let (heard, mut events) = (Self::default(), running.handle().events());
        let hearing = heard.clone();
        tokio::spawn(async move {
            while let Some(event) = events.next().await {
                hearing.0.lock().unwrap().push(event);
            }
        });
        heard
    }

    fn count(&self, listener: &str, wanted: impl Fn(&EventKind) -> bool) -> usize {
        let heard = self.0.lock().unwrap();
        heard.iter().filter(|event| &*event.listener == listener && wanted(&event.kind)).count()
    }

    async fn wait(&self, what: &str, wanted: impl Fn(&EventKind) -> bool) -> Duration {
        let all = LISTENERS.iter();
        eventually(SOON, what, async || all.clone().all(|listener| self.count(listener, &wanted) > 0)).await
    }
}

/// Calls a second over this time.
async fn rate(ledger: &Ledger, time: Duration) -> f64 {
    let (begin, calls) = (Instant::now(), ledger.starts());
    tokio::time::sleep(time).await;
    (ledger.starts() - calls) as f64 / begin.elapsed().as_secs_f64()
}

/// What one alarm comes to.
async fn weather(alarm: Alarm, node: &Node, running: &Running, ledgers: &Ledgers, queues: &Queues) {
    let (handle, heard) = (running.handle(), Heard::listen(running));
    // Nobody can publish to them once the alarm is there.
    for listener in ["publishing", "failing"] {
        handle.pause(listener).await.unwrap();
    }
    for (load, count) in queues.loads.iter().zip([SUPPLY, MESSAGES, MESSAGES]) {
        load.send(count).await;
    }
    let (before, failures) = (queues.depths().await, ledgers.failed.lock().unwrap().len());
    let clean = rate(&ledgers.consuming, 2 * SECOND).await;
    alarm.set(node, true).await;
    for listener in ["publishing", "failing"] {
        handle.resume(listener).await.unwrap();
    }
    let begin = Instant::now();
    let blocked = heard.wait("the block", |kind| matches!(kind, EventKind::Blocked { .. })).await;
    let degraded = |listener: &str| match handle.state(listener) {
        Some(ListenerState::Degraded { reason }) => reason,
        other => panic!("{listener}: {other:?}"),
    };
    let states = LISTENERS.map(degraded);
    let during =
        rate(&ledgers.consuming, pick(8 * SECOND, 30 * SECOND).saturating_sub(begin.elapsed())).await;
    let held = queues.depths().await;
    let clearing = Instant::now();
    alarm.set(node, false).await;
    let command = clearing.elapsed();
    heard.wait("the end of the block", |kind| *kind == EventKind::Unblocked).await;
    let told = clearing.elapsed();
    let all = before.map(|depth| depth + MESSAGES as u32);
    eventually(2 * SOON, "all that waited", async || {
        let now = queues.depths().await;
        now[0] >= all[0] && now[1] >= all[1]
    })
    .await;
    let recovered = clearing.elapsed();
    for listener in LISTENERS {
        let running = |state: &ListenerState| *state == ListenerState::Running;
        tokio::time::timeout(SOON, handle.wait_for_state(listener, running)).await.expect("it runs again");
    }
    let after = rate(&ledgers.consuming, 2 * SECOND).await;
    let failed = ledgers.failed.lock().unwrap()[failures..].to_vec();
    let (shortest, longest) =
        (failed.iter().min().copied(), failed.iter().max().copied().unwrap_or_default());
    println!(
        "B18 {alarm:?}: told after {blocked:.1?}; consuming {clean:.0}/s before, {during:.0}/s meanwhile, {after:.0}/s after; \
         {} calls failed after {shortest:.1?} to {longest:.1?} of {PATIENCE:?}; published meanwhile {:?}\n  \
         end of the alarm: command {command:.1?}, told {told:.1?}, all published {recovered:.1?}; states: {states:?}",
        failed.len(),
        [held[0] - before[0], held[1] - before[1]],
    );
    assert!(during > 0.7 * clean && after > 0.7 * clean, "{clean} {during} {after}");
    assert!(states.iter().all(|reason| reason.contains("takes no messages")), "{states:?}");
    assert!(!failed.is_empty() && longest < PATIENCE + 3 * SECOND, "{failed:?}");
    let lost = |kind: &EventKind| matches!(kind, EventKind::ConsumerCancelled { .. } | EventKind::Recovering);
    assert!(LISTENERS.iter().all(|listener| heard.count(listener, lost) == 0), "consumers are kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_alarm_stops_no_consumer_and_what_cannot_be_published_waits_for_its_end() {
    let node = Lease::take().await;
    let (running, ledgers, queues) = service(&node).await;
    tokio::time::sleep(SETTLED).await;
    for alarm in [Alarm::Memory, Alarm::Disk] {
        weather(alarm, &node, &running, &ledgers, &queues).await;
    }
    stop(running).await;
    // What was published without an answer was published again.
    let published = queues.inspector.drain(&queues.target).await;
    published.iter().for_each(|id| ledgers.publishing.completed(*id));
    let letters = DeadLetter::drain(&queues.inspector, &queues.dead).await;
    for letter in &letters {
        assert_eq!((&*letter.reason, letter.attempts), ("permanent", 1), "{letter:?}");
        ledgers.failing.dead_lettered(letter.id.parse().unwrap());
    }
    let of = [&ledgers.consuming, &ledgers.publishing, &ledgers.failing];
    for ((listener, queue), ledger) in LISTENERS.iter().zip(&queues.names).zip(of) {
        queues.inspector.drain(queue).await.into_iter().for_each(|id| ledger.left(id));
        let verdict = ledger.verdict();
        println!("B18 {listener}: {verdict}, dead letters twice {}", verdict.dead_twice.len());
        assert!(verdict.lost.is_empty() && verdict.unexpected.is_empty(), "{verdict}");
        assert!(verdict.duplicates() + verdict.dead_twice.len() <= 2 * MESSAGES as usize, "{verdict}");
    }
    assert_eq!(ledgers.consuming.verdict().duplicates(), 0);
    queues.inspector.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_waits_to_publish_under_an_alarm_ends_at_its_deadline() {
    const COUNT: u64 = 500;
    let node = Lease::take().await;
    let (ledger, folder) = (Ledger::default(), tempfile::tempdir().unwrap());
    let records = folder.path().join("records");
    let [queue, target] = ["alarmed", "published"].map(unique);
    let inspector = Inspector::connect(node.url()).await;
    inspector.declare(&target).await;
    let settings = [
        ("test.publishes", &*target),
        ("container.transactionManager", "none"),
        ("container.concurrency", "4"),
        ("container.shutdownTimeout", "5s"),
    ];
    let work = Duration::from_millis(200);
    let mut consumer = Consumer::start(&Job {
        program: env!("CARGO_BIN_EXE_consumer"),
        url: node.url(),
        queue: &queue,
        work,
        records: &records,
        settings: &settings,
    });
    eventually(SOON, "the queue", async || consumer.log().contains("listener is running")).await;
    Load::new(node.url(), &queue, 100, ledger.clone()).send(COUNT).await;
    eventually(SOON, "some sends", async || inspector.depth(&target).await.ready > 4).await;
    node.memory_alarm(true).await;
    eventually(SOON, "the block", async || consumer.log().contains("takes no messages")).await;
    tokio::time::sleep(pick(3 * SECOND, 20 * SECOND)).await;
    let begin = Instant::now();
    consumer.terminate();
    let status = consumer.wait(SOON).await;
    let took = begin.elapsed();
    node.memory_alarm(false).await;
    Reader::new(&records, ledger.clone()).unwrap().read().unwrap();
    let sent = inspector.drain(&target).await;
    let handled = ledger.verdict().completed;
    assert!(handled.iter().all(|id| sent.contains(id)), "who was told that it is sent was told the truth");
    // Sent, but its call did not come to its end: it is in its queue as well.
    eventually(SOON, "the rest", async || {
        inspector.drain(&queue).await.iter().for_each(|id| ledger.left(*id));
        ledger.verdict().lost.is_empty()
    })
    .await;
    inspector.close().await;
    let verdict = ledger.verdict();
    println!("V13 exit {status:?} after {took:.1?} of 5 s under an alarm; sent {}; {verdict}", sent.len());
    assert!(status.success(), "{status}\n{}", consumer.log());
    assert!(took < Duration::from_secs(6) + 5 * SECOND, "{took:?}");
    assert_eq!(verdict.duplicates(), 0, "{verdict}");
}
