//! A handler takes longer than RabbitMQ leaves a delivery unacknowledged (`consumer_timeout`). B15, V21.

mod chaos_support;

use chaos_support::{SOON, configured, id, start, stop};
use hearken::prelude::*;
use hearken::{Builder, EventKind, ListenerState};
use hearken_tests::broker::unique;
use hearken_tests::chaos::{eventually, pick};
use hearken_tests::dead_letters::DeadLetter;
use hearken_tests::inspect::Inspector;
use hearken_tests::ledger::Ledger;
use hearken_tests::load::Load;
use hearken_tests::node::{Node, SETTLED};
use hearken_tests::proxy::Proxy;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};
use tokio::sync::OnceCell;

/// `consumer_timeout` of the node, in milliseconds; what takes longer is noticed within a tick.
const TIMEOUT: u64 = 3_000;
const TICK: u64 = 1_000;
/// The message whose calls take too long.
const SLOW: u64 = 1;
const CALLS: usize = 3;

/// One node for all tests of this binary; it goes with the last of them.
async fn node() -> Arc<OnceCell<Node>> {
    static SHARED: Mutex<Weak<OnceCell<Node>>> = Mutex::new(Weak::new());
    let shared = {
        let mut known = SHARED.lock().unwrap();
        known.upgrade().unwrap_or_else(|| {
            let new = Arc::default();
            *known = Arc::downgrade(&new);
            new
        })
    };
    let advanced =
        format!("[{{rabbit, [{{consumer_timeout, {TIMEOUT}}}, {{channel_tick_interval, {TICK}}}]}}].");
    shared.get_or_init(|| async { Node::start_advanced(&[], &advanced).await }).await;
    shared
}

#[derive(Clone)]
struct Calls {
    ledger: Ledger,
    /// How long a call of the slow message takes.
    time: Duration,
    /// When each such call began, and its number.
    slow: Arc<Mutex<Vec<(Instant, u64)>>>,
}

impl Calls {
    fn new(ledger: &Ledger) -> Self {
        let time = pick(Duration::from_secs(6), Duration::from_secs(10));
        Self { ledger: ledger.clone(), time, slow: Arc::default() }
    }

    fn begin(&self, message: &Message, attempt: Attempt) -> bool {
        self.ledger.started(id(message));
        if id(message) == SLOW {
            self.slow.lock().unwrap().push((Instant::now(), attempt.number()));
        }
        id(message) == SLOW
    }
}

#[listener(queue = "patient", concurrency = 1)]
async fn awaiting(message: Message, attempt: Attempt, State(calls): State<Calls>) {
    if calls.begin(&message, attempt) {
        tokio::time::sleep(calls.time).await;
    }
    calls.ledger.completed(id(&message));
}

#[listener(queue = "patient", concurrency = 1)]
fn blocking(message: Message, attempt: Attempt, State(calls): State<Calls>) {
    if calls.begin(&message, attempt) {
        std::thread::sleep(calls.time);
    }
    calls.ledger.completed(id(&message));
}

/// What three calls that take too long come to; tells how often the slow message's handler came to its end.
async fn outlast(listener: &'static str, with: impl FnOnce(Builder) -> Builder) -> usize {
    let node = node().await;
    let node = node.get().expect("started");
    let (ledger, queue, dead) = (Ledger::default(), unique(listener), unique("dead"));
    let calls = Calls::new(&ledger);
    let proxy = Proxy::start(node.address().to_owned()).await;
    let builder = with(configured(&node.url_at(&proxy.address())).state(calls.clone()))
        .set(format!("listeners.{listener}.queue"), queue.as_str())
        .set(format!("listeners.{listener}.deadLetter"), dead.as_str())
        .set("redelivery.default.maximumRedeliveries", CALLS as u32 - 1)
        .set("redelivery.default.initialRedeliveryDelay", "200ms");
    let running = start(builder).await;
    let mut events = running.handle().events();
    tokio::time::sleep(SETTLED).await;
    let load = Load::new(node.url(), &queue, 10, ledger.clone());
    load.send(2).await;

    let (mut cancelled, mut started, mut suspects) = (Vec::new(), 0, 0);
    let ending = async {
        loop {
            match events.next().await.unwrap().kind {
                EventKind::ConsumerCancelled { reason } => cancelled.push((Instant::now(), reason)),
                EventKind::ConsumerStarted => started += 1,
                EventKind::Suspect { .. } => suspects += 1,
                EventKind::DeadLettered { attempts, .. } => return attempts,
                _ => {}
            }
        }
    };
    let limit = 3 * SOON;
    let attempts = tokio::time::timeout(limit, ending).await.expect("a dead letter");
    // Late results of blocking calls come now, and whatever they would break.
    tokio::time::sleep(calls.time + Duration::from_secs(1)).await;
    load.send(1).await;
    eventually(SOON, "the message behind", async || ledger.verdict().completed.contains(&3)).await;

    let slow = calls.slow.lock().unwrap().clone();
    let lasted = slow.iter().zip(&cancelled).map(|((begin, _), (end, _))| end.duration_since(*begin));
    let lasted: Vec<_> = lasted.collect();
    let again =
        cancelled.iter().zip(slow.iter().skip(1)).map(|((end, _), (begin, _))| begin.duration_since(*end));
    let inspector = Inspector::connect(node.url()).await;
    let letters = DeadLetter::drain(&inspector, &dead).await;
    let depth = inspector.depth(&queue).await;
    inspector.close().await;
    letters.iter().for_each(|letter| ledger.dead_lettered(letter.id.parse().unwrap()));
    let verdict = ledger.verdict();
    println!(
        "B15 {listener}: noticed {lasted:.1?} after the calls' begin (timeout {TIMEOUT} ms, tick {TICK} ms), called again \
         after {:.1?}, consumers opened again {started}; {verdict}; {letters:?}\n  named: {}",
        again.collect::<Vec<_>>(),
        cancelled[0].1
    );
    assert_eq!(slow.iter().map(|(_, attempt)| *attempt).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!((cancelled.len(), started, suspects, attempts), (CALLS, CALLS, 0, 3));
    // The words are RabbitMQ's up to 4.2 and ours from 4.3 on, which says nothing.
    let named = |reason: &str| ["timeout", "timed out", "in time"].iter().any(|word| reason.contains(word));
    assert!(cancelled.iter().all(|(_, reason)| named(reason)), "{cancelled:?}");
    assert!(lasted.iter().all(|time| *time < Duration::from_millis(TIMEOUT + TICK) + Duration::from_secs(2)));
    let [letter] = &letters[..] else { panic!("{letters:?}") };
    assert_eq!(
        (&*letter.id, &*letter.kind, &*letter.reason, letter.attempts),
        ("1", "timeout", "exhausted", 3)
    );
    assert!(verdict.lost.is_empty(), "{verdict}");
    assert_eq!((depth.ready, depth.consumers), (0, 1));
    assert_eq!(proxy.connections(), 2, "one to consume and one to publish, from begin to end");
    assert_eq!(running.state(listener), Some(ListenerState::Running));
    stop(running).await;
    verdict.duplicated.get(&SLOW).map_or(0, |more| more + 1)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_async_call_that_the_broker_outlasts_is_dropped_and_counted() {
    let ended = outlast("awaiting", |builder| builder.listen::<awaiting>()).await;
    assert_eq!(ended, 0, "its future is dropped");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blocking_call_that_the_broker_outlasts_is_counted_and_its_late_result_dropped() {
    let ended = outlast("blocking", |builder| builder.listen::<blocking>()).await;
    assert_eq!(ended, CALLS, "nothing can stop a thread");
}

#[listener(queue = "held", concurrency = 1)]
async fn held(message: Message, attempt: Attempt, State(calls): State<Calls>) -> Result<(), BoxError> {
    calls.ledger.started(id(&message));
    calls.slow.lock().unwrap().push((Instant::now(), attempt.number()));
    if attempt.number() < CALLS as u64 {
        return Err("as it was told".into());
    }
    calls.ledger.completed(id(&message));
    Ok(())
}

/// V21.
#[tokio::test(flavor = "multi_thread")]
async fn waits_beyond_the_brokers_patience_are_not_held_and_cost_no_consumer_and_no_attempt() {
    const COUNT: u64 = 10;
    let wait = Duration::from_secs(10);
    let node = node().await;
    let node = node.get().expect("started");
    let (ledger, queue) = (Ledger::default(), unique("held"));
    let calls = Calls::new(&ledger);
    let builder = configured(node.url())
        .listen::<held>()
        .state(calls.clone())
        .set("transport.consumerTimeout", u32::try_from(TIMEOUT).unwrap())
        .set("listeners.held.queue", queue.as_str())
        .set("listeners.held.redeliveryMode", "client")
        .set("redelivery.default.initialRedeliveryDelay", u32::try_from(wait.as_millis()).unwrap());
    let running = start(builder).await;
    let mut events = running.handle().events();
    tokio::time::sleep(SETTLED).await;
    Load::new(node.url(), &queue, 10, ledger.clone()).send(COUNT).await;
    eventually(3 * SOON, "the last attempts", async || ledger.is_done()).await;
    stop(running).await;
    let mut attempts: Vec<_> = calls.slow.lock().unwrap().iter().map(|(_, attempt)| *attempt).collect();
    attempts.sort_unstable();
    let verdict = ledger.verdict();
    println!("V21 waits of {wait:?}, timeout {TIMEOUT} ms: {verdict}");
    let each = |attempt| std::iter::repeat_n(attempt, COUNT as usize);
    assert_eq!(attempts, each(1).chain(each(2)).chain(each(3)).collect::<Vec<_>>());
    assert!(verdict.lost.is_empty() && verdict.duplicates() == 0, "{verdict}");
    while let Some(event) = events.next().await {
        assert!(!matches!(event.kind, EventKind::ConsumerCancelled { .. }), "{event:?}");
    }
}
