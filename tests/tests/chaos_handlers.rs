//! Handlers that panic, block, spin, never return or cannot read their message: they harm their own message only. B16,
//! V10, V22, V25.

mod chaos_support;

use chaos_support::{SOON, configured, consumers, id, start, stop};
use hearken::prelude::*;
use hearken::{Builder, EventKind, Handle, ListenerState, Running};
use hearken_tests::broker::amqp_address;
use hearken_tests::chaos::{eventually, pick};
use hearken_tests::dead_letters::DeadLetter;
use hearken_tests::inspect::Inspector;
use hearken_tests::ledger::Ledger;
use hearken_tests::load::Load;
use hearken_tests::proxy::Proxy;
use hearken_tests::vhost::VirtualHost;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const SECOND: Duration = Duration::from_secs(1);

/// A service of a virtual host, with one listener of this name; failures come again after a tenth of a second.
fn service(host: &VirtualHost, listener: &str, queue: &str) -> Builder {
    configured(&host.url())
        .set(format!("listeners.{listener}.queue"), queue)
        .set("container.deadLetter", "dead")
        .set("redelivery.default.initialRedeliveryDelay", "100ms")
}

/// Sends what a queue is to hold, in order.
async fn send(running: &Running, queue: &str, messages: impl IntoIterator<Item = Message>) {
    for message in messages {
        running.publisher().send(queue, message).await.unwrap();
    }
}

/// All dead letters by their ids, as soon as there are so many.
async fn letters(host: &VirtualHost, count: usize) -> BTreeMap<String, DeadLetter> {
    let inspector = Inspector::connect(&host.url()).await;
    let mut letters = Vec::new();
    eventually(SOON, "the dead letters", async || {
        letters.extend(DeadLetter::drain(&inspector, "dead").await);
        letters.len() >= count
    })
    .await;
    inspector.close().await;
    assert_eq!(letters.len(), count, "{letters:?}");
    letters.into_iter().map(|letter| (letter.id.clone(), letter)).collect()
}

/// How many consumers are opened, and connections or consumers lost, until this is told to stop.
struct Churn {
    count: Arc<Mutex<usize>>,
    task: tokio::task::JoinHandle<()>,
}

impl Churn {
    fn of(handle: &Handle) -> Self {
        let (count, mut events) = (Arc::new(Mutex::new(0)), handle.events());
        let counting = count.clone();
        let task = tokio::spawn(async move {
            while let Some(event) = events.next().await {
                if let EventKind::ConsumerStarted
                | EventKind::ConsumerCancelled { .. }
                | EventKind::Recovering = event.kind
                {
                    *counting.lock().unwrap() += 1;
                }
            }
        });
        Self { count, task }
    }

    fn stop(self) -> usize {
        self.task.abort();
        *self.count.lock().unwrap()
    }
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "a bomb in a drop");
    }
}

/// Fails as the body of the message says.
#[listener(queue = "panics", concurrency = 2, handler_timeout = "500ms")]
async fn panics(message: Message, State(ledger): State<Ledger>) {
    ledger.started(id(&message));
    match &message.body()[..] {
        b"at once" => panic!("a panic at once"),
        b"later" => {
            tokio::time::sleep(Duration::from_millis(10)).await;
            panic!("a panic, {}", "formatted");
        }
        b"number" => std::panic::panic_any(42),
        b"drop" => {
            let _bomb = Bomb;
            tokio::task::yield_now().await;
        }
        b"dropped" => {
            let _bomb = Bomb;
            std::future::pending::<()>().await;
        }
        _ => {}
    }
    ledger.completed(id(&message));
}

#[listener(queue = "plain")]
fn plainly(message: Message, State(ledger): State<Ledger>) {
    ledger.started(id(&message));
    panic!("a panic of a thread");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_wherever_it_happens_is_a_failed_attempt_told_in_the_dead_letter() {
    let (host, ledger) = (VirtualHost::create().await, Ledger::default());
    let builder =
        service(&host, "panics", "panics").listen::<panics>().listen::<plainly>().state(ledger.clone());
    let running = start(builder.set("redelivery.default.maximumRedeliveries", 1)).await;
    let churn = Churn::of(&running.handle());
    let bodies = ["at once", "later", "number", "drop", "dropped", "good"];
    let messages = bodies.iter().zip(1u64..).map(|(body, id)| Message::new(*body).with_id(id.to_string()));
    send(&running, "panics", messages).await;
    send(&running, "plain", [Message::new("x").with_id("7")]).await;
    let letters = letters(&host, 6).await;
    for letter in letters.values() {
        println!("B16 {} {}: {} ({} attempts)", letter.id, letter.kind, letter.text, letter.attempts);
    }
    let told = |id: &str| {
        let letter = &letters[id];
        assert_eq!((&*letter.reason, letter.attempts), ("exhausted", 2), "{letter:?}");
        (letter.kind.clone(), letter.text.clone())
    };
    let panic = |text: &str| ("panic".to_owned(), text.to_owned());
    assert_eq!(told("1"), panic("a panic at once"));
    assert_eq!(told("2"), panic("a panic, formatted"));
    assert_eq!(told("3"), panic("a panic without a text"));
    assert_eq!(told("4"), panic("a bomb in a drop"));
    assert_eq!(told("5"), panic("a bomb in a drop"));
    assert_eq!(told("7"), panic("a panic of a thread"));
    let inspector = Inspector::connect(&host.url()).await;
    consumers(&inspector, "panics", 2).await;
    inspector.close().await;
    let verdict = ledger.verdict();
    assert_eq!((verdict.calls, verdict.completed), (6 * 2 + 1, BTreeSet::from([6])));
    assert_eq!(churn.stop(), 0, "no channel is lost to a panic");
    stop(running).await;
}

#[listener(queue = "third", concurrency = 1)]
async fn third(message: Message, State(ledger): State<Ledger>) {
    ledger.started(id(&message));
    assert!(id(&message) != 3, "the third is not to my taste");
    ledger.completed(id(&message));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_panics_leaves_the_only_consumer_to_the_others() {
    let (host, ledger) = (VirtualHost::create().await, Ledger::default());
    let builder = service(&host, "third", "third").listen::<third>().state(ledger.clone());
    let running = start(builder.set("redelivery.default.maximumRedeliveries", 1)).await;
    Load::new(&host.url(), "third", 10, ledger.clone()).send(10).await;
    let letters = letters(&host, 1).await;
    ledger.dead_lettered(3);
    eventually(SOON, "the others", async || ledger.verdict().completed.len() == 9).await;
    let inspector = Inspector::connect(&host.url()).await;
    consumers(&inspector, "third", 1).await;
    inspector.close().await;
    let verdict = ledger.verdict();
    println!("V25 {verdict}; {:?}", letters["3"]);
    assert!(letters["3"].text.contains("not to my taste"), "{letters:?}");
    assert_eq!((verdict.calls, verdict.duplicates(), verdict.lost.len()), (11, 0, 0), "{verdict}");
    stop(running).await;
}

#[derive(Clone, Default)]
struct Redelivered(Arc<Mutex<usize>>);

#[listener(queue = "numbers", concurrency = 10, prefetch = 20)]
async fn numbers(
    Json(number): Json<u64>,
    info: RedeliveryInfo,
    State(ledger): State<Ledger>,
    State(Redelivered(redelivered)): State<Redelivered>,
) {
    ledger.started(number);
    *redelivered.lock().unwrap() += usize::from(info.redelivered || info.attempt > 1);
    tokio::time::sleep(pick(SECOND / 2, 2 * SECOND)).await;
    ledger.completed(number);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_message_that_cannot_be_decoded_is_the_only_dead_letter_among_many_in_work() {
    let (host, ledger, redelivered) =
        (VirtualHost::create().await, Ledger::default(), Redelivered::default());
    let builder = service(&host, "numbers", "numbers").listen::<numbers>();
    let running = start(builder.state(ledger.clone()).state(redelivered.clone())).await;
    let churn = Churn::of(&running.handle());
    let body = |n: u64| if n == 11 { "{\"eleven\"".to_owned() } else { n.to_string() };
    send(&running, "numbers", (1..=20).map(|n| Message::new(body(n)).with_id(n.to_string()))).await;
    (1..=20).for_each(|n| ledger.published(n));
    let letters = letters(&host, 1).await;
    ledger.dead_lettered(11);
    eventually(SOON, "the others", async || ledger.verdict().completed.len() == 19).await;
    tokio::time::sleep(SECOND).await;
    let (verdict, redelivered) = (ledger.verdict(), *redelivered.0.lock().unwrap());
    println!("V22 {verdict}, redelivered {redelivered}; {:?}", letters["11"]);
    let letter = &letters["11"];
    assert_eq!((&*letter.kind, &*letter.reason), ("undecodable", "undecodable"), "{letter:?}");
    assert_eq!(
        (verdict.calls, verdict.duplicates(), verdict.lost.len(), redelivered),
        (19, 0, 0, 0),
        "{verdict}"
    );
    assert_eq!(churn.stop(), 0);
    stop(running).await;
}

#[derive(Clone, Default)]
struct Times(Arc<Mutex<Vec<Instant>>>);

impl Times {
    fn enter(&self) {
        self.0.lock().unwrap().push(Instant::now());
    }

    /// The waits between one and the next.
    fn gaps(&self) -> Vec<Duration> {
        self.0.lock().unwrap().windows(2).map(|pair| pair[1] - pair[0]).collect()
    }
}

#[listener(queue = "fails", concurrency = 1)]
async fn fails(State(times): State<Times>) -> Result<(), BoxError> {
    times.enter();
    Err("at once".into())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_that_fails_at_once_is_called_at_the_policys_pace_on_one_channel() {
    let (host, times) = (VirtualHost::create().await, Times::default());
    let builder = service(&host, "fails", "fails")
        .listen::<fails>()
        .state(times.clone())
        .set("redelivery.default.initialRedeliveryDelay", "1s")
        .set("redelivery.default.maximumRedeliveries", 3);
    let running = start(builder).await;
    let churn = Churn::of(&running.handle());
    send(&running, "fails", [Message::new("x").with_id("1")]).await;
    let letters = letters(&host, 1).await;
    let (gaps, churn) = (times.gaps(), churn.stop());
    println!("V10 waits {gaps:.3?}, channels opened or lost {churn}; {:?}", letters["1"]);
    assert_eq!((gaps.len(), letters["1"].attempts, churn), (3, 4, 0), "{gaps:?}");
    // A hold is never early by more than the clock's resolution.
    assert!(
        gaps.iter().all(|gap| *gap >= SECOND - Duration::from_millis(5) && *gap < 3 * SECOND),
        "{gaps:?}"
    );
    stop(running).await;
}

/// Blocks its worker, by sleeping or by computing.
#[listener(queue = "blocks", concurrency = 2)]
async fn blocks(message: Message, State(ledger): State<Ledger>, State(time): State<Duration>) {
    ledger.started(id(&message));
    if id(&message) > 4 {
        let begin = Instant::now();
        while begin.elapsed() < SECOND {
            std::hint::spin_loop();
        }
    } else {
        std::thread::sleep(time);
    }
    ledger.completed(id(&message));
}

#[derive(Clone)]
struct Steady(Ledger, Times);

#[listener(queue = "steady", concurrency = 2)]
async fn steady(message: Message, State(Steady(ledger, times)): State<Steady>) {
    times.enter();
    ledger.started(id(&message));
    ledger.completed(id(&message));
}

#[tokio::test(flavor = "multi_thread")]
async fn handlers_that_block_every_worker_for_many_heartbeats_cost_no_connection() {
    const HEARTBEAT: Duration = SECOND;
    let (host, time) = (VirtualHost::create().await, pick(4 * HEARTBEAT, 30 * HEARTBEAT));
    let proxy = Proxy::start(amqp_address()).await;
    let (blocking, ledger, times) = (Ledger::default(), Ledger::default(), Times::default());
    // The workers of the application are not those of the test.
    let workers = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let builder = configured(&host.url_at(&proxy.address()))
        .listen::<blocks>()
        .listen::<steady>()
        .state(blocking.clone())
        .state(time)
        .state(Steady(ledger.clone(), times.clone()))
        .set("transport.heartbeat", "1s");
    let running = workers.spawn(start(builder)).await.unwrap();
    let churn = Churn::of(&running.handle());
    let connections = proxy.connections();
    let load = Load::new(&host.url(), "steady", 10, ledger.clone()).run(100);
    eventually(SOON, "some calls", async || ledger.starts() > 100).await;
    let begin = Instant::now();
    // Four that sleep, by two, and two that compute.
    Load::new(&host.url(), "blocks", 10, blocking.clone()).send(6).await;
    eventually(3 * time + SOON, "the blocking calls", async || blocking.is_done()).await;
    let took = begin.elapsed();
    let before = ledger.starts();
    tokio::time::sleep(2 * SECOND).await;
    let rate = (ledger.starts() - before) as f64 / 2.0;
    load.stop().await;
    eventually(SOON, "all of the others", async || ledger.is_done()).await;
    let (longest, churn) = (times.gaps().into_iter().max().unwrap(), churn.stop());
    let (verdict, blocked) = (ledger.verdict(), blocking.verdict());
    println!(
        "B16 all workers blocked for {time:?} twice (heartbeat {HEARTBEAT:?}), {took:.1?} in all; the others waited \
         {longest:.1?} at most, then {rate:.0} calls a second of 100; lost consumers {churn}; {verdict}"
    );
    assert_eq!((churn, proxy.connections()), (0, connections), "the connection is kept");
    assert_eq!((verdict.lost.len(), verdict.duplicates()), (0, 0), "{verdict}");
    assert_eq!((blocked.calls, blocked.lost.len(), blocked.duplicates()), (6, 0, 0), "{blocked}");
    assert!(rate > 50.0, "{rate}");
    let inspector = Inspector::connect(&host.url()).await;
    consumers(&inspector, "blocks", 2).await;
    assert_eq!(inspector.depth("steady").await.consumers, 2);
    inspector.close().await;
    workers.spawn(stop(running)).await.unwrap();
    workers.shutdown_background();
}

#[listener(queue = "never", concurrency = 2, handler_timeout = "1s")]
async fn never(message: Message, State(times): State<Times>) {
    if message.id() == Some("1") {
        times.enter();
        std::future::pending::<()>().await;
    }
}

#[listener(queue = "never-plain", concurrency = 2, handler_timeout = "1s")]
fn never_plain(message: Message) {
    while message.id() == Some("2") {
        std::thread::park();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_that_never_returns_fails_at_its_timeout_and_leaves_its_place() {
    let (host, times) = (VirtualHost::create().await, Times::default());
    let builder =
        service(&host, "never", "never").listen::<never>().listen::<never_plain>().state(times.clone());
    let running = start(builder.set("redelivery.default.maximumRedeliveries", 1)).await;
    let churn = Churn::of(&running.handle());
    send(&running, "never", [Message::new("x").with_id("1")]).await;
    send(&running, "never-plain", [Message::new("x").with_id("2")]).await;
    let letters = letters(&host, 2).await;
    let inspector = Inspector::connect(&host.url()).await;
    consumers(&inspector, "never", 2).await;
    assert_eq!(inspector.depth("never-plain").await.consumers, 2);
    let mut left = 0;
    for (listener, queue) in [("never", "never"), ("never_plain", "never-plain")] {
        let handle = running.handle();
        let received = || handle.listener(listener).unwrap().received;
        let before = received();
        send(&running, queue, (10..20).map(|id: u64| Message::new("x").with_id(id.to_string()))).await;
        eventually(SOON, "the messages behind", async || received() == before + 10).await;
        left += inspector.depth(queue).await.ready;
        assert_eq!(running.state(listener), Some(ListenerState::Running));
    }
    let lasted = times.gaps()[0].saturating_sub(Duration::from_millis(100));
    println!("B16 a call that never returns lasted {lasted:.2?} of 1 s; {letters:?}");
    assert!(lasted >= SECOND - Duration::from_millis(10) && lasted < 3 * SECOND, "{lasted:?}");
    for letter in letters.values() {
        assert_eq!(
            (&*letter.kind, &*letter.reason, letter.attempts),
            ("timeout", "exhausted", 2),
            "{letter:?}"
        );
    }
    assert_eq!((left, churn.stop()), (0, 0));
    inspector.close().await;
    stop(running).await;
}
