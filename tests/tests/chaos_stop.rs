//! A signal asks a process to stop, whatever it does: it ends in time, begins nothing new, and keeps nothing back. B17,
//! V15, V16, V20.

mod chaos_support;

use chaos_support::stage::Stage;
use chaos_support::{CONCURRENCY, SOON, consumers};
use hearken_tests::broker::amqp_address;
use hearken_tests::chaos::{eventually, pick};
use hearken_tests::inspect::Inspector;
use hearken_tests::ledger::Ledger;
use hearken_tests::load::Load;
use hearken_tests::process::Consumer;
use hearken_tests::proxy::Proxy;
use std::time::{Duration, Instant};

const SECOND: Duration = Duration::from_secs(1);
/// What a busy machine may add to the time of an exit.
const SLACK: Duration = Duration::from_secs(4);
/// How long a signal takes to be heard at most before a second one follows.
const HEARD: Duration = Duration::from_millis(300);
/// More than the calls that run at once, and no more than the broker hands out ahead.
const MESSAGES: u64 = 20;

async fn running(stage: &Stage, work: Duration, settings: &[(&str, &str)]) -> Consumer {
    let consumer = stage.consumer(work, settings);
    logged(&consumer, "listener is running").await;
    consumer
}

async fn logged(consumer: &Consumer, words: &str) {
    eventually(SOON, words, async || consumer.log().contains(words)).await;
}

/// A consumer with so many calls running, each for so long, and more messages handed out.
async fn busy(stage: &mut Stage, calls: u32, work: Duration, settings: &[(&str, &str)]) -> Consumer {
    let concurrency = calls.to_string();
    let settings = [&[("container.concurrency", &*concurrency)], settings].concat();
    let consumer = running(stage, work, &settings).await;
    Load::new(&stage.url, &stage.queue, 100, stage.ledger.clone()).send(MESSAGES).await;
    stage.until("all calls", |ledger| ledger.starts() == calls as usize).await;
    consumer
}

/// The status of a consumer that is asked to stop, and how long that took.
async fn terminated(consumer: &mut Consumer) -> (Option<i32>, Duration) {
    let begin = Instant::now();
    consumer.terminate();
    (consumer.wait(SOON).await.code(), begin.elapsed())
}

/// Enters what is left in the queue, of so many, once the broker has taken it all back. Only so many calls began: those
/// that ran before the signal.
async fn left(stage: &mut Stage, count: usize, calls: u32) {
    stage.until("the records", |_| true).await;
    let inspector = Inspector::connect(&stage.url).await;
    let what = format!("{count} messages left");
    let mut left = std::collections::BTreeSet::new();
    eventually(SOON, &what, async || {
        left.extend(inspector.drain(&stage.queue).await);
        left.len() >= count
    })
    .await;
    inspector.close().await;
    left.iter().for_each(|id| stage.ledger.left(*id));
    let verdict = stage.ledger.verdict();
    assert_eq!((left.len(), verdict.lost.len(), verdict.duplicates()), (count, 0, 0), "{verdict}");
    assert_eq!(verdict.calls, calls as usize, "{verdict}");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_end_in_time_are_waited_for_and_acknowledged() {
    let mut stage = Stage::new().await;
    let mut consumer =
        busy(&mut stage, CONCURRENCY, 2 * SECOND, &[("container.shutdownTimeout", "5s")]).await;
    let (status, took) = terminated(&mut consumer).await;
    left(&mut stage, MESSAGES as usize - CONCURRENCY as usize, CONCURRENCY).await;
    let verdict = stage.ledger.verdict();
    println!("B17a 2 s of work left of 5 s: exit {status:?} after {took:.2?}; {verdict}");
    assert_eq!((status, verdict.completed.len()), (Some(0), CONCURRENCY as usize), "{}", consumer.log());
    assert!(took < 2 * SECOND + SLACK, "{took:?}");
}

/// A hundred messages whose first attempt fails wait for their second while the process is replaced.
async fn replaced_while_they_wait(mode: &str) {
    const COUNT: u64 = 100;
    let delay = pick(15 * SECOND, 60 * SECOND);
    let mut stage = Stage::new().await;
    let after = delay.as_millis().to_string();
    let settings = [
        ("test.fails", "1"),
        ("container.redeliveryMode", mode),
        ("redelivery.default.initialRedeliveryDelay", &after),
    ];
    let mut consumer = running(&stage, Duration::ZERO, &settings).await;
    let first = Instant::now();
    Load::new(&stage.url, &stage.queue, 100, stage.ledger.clone()).send(COUNT).await;
    stage.until("a first attempt of all", |ledger| ledger.starts() == COUNT as usize).await;
    let failed = Instant::now();
    tokio::time::sleep(SECOND).await;
    let (status, took) = terminated(&mut consumer).await;
    assert_eq!(status, Some(0), "{}", consumer.log());
    let replaced = Instant::now();
    let _next = running(&stage, Duration::ZERO, &settings).await;
    stage.until("a second attempt of all", Ledger::is_done).await;
    let (again, last) = (stage.ledger.first_start_after(replaced).unwrap(), Instant::now());
    let verdict = stage.ledger.verdict();
    println!(
        "B17b {COUNT} waiting {delay:?} in mode {mode}: exit after {took:.2?}; came again {:.1?} after the first failure to \
         {:.1?} after the last; {verdict}",
        again - first,
        last - failed
    );
    // Whose count was forgotten would fail once more.
    assert_eq!(
        (verdict.calls, verdict.duplicates(), verdict.lost.len()),
        (2 * COUNT as usize, 0, 0),
        "{verdict}"
    );
    assert!(took < SECOND + SLACK, "{took:?}");
    assert!(again - first >= delay.mul_f64(0.9), "{:?}", again - first);
    assert!(last - failed < delay + SOON, "{:?}", last - failed);
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_that_wait_in_a_process_come_again_in_the_next_with_their_count() {
    replaced_while_they_wait("client").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_that_wait_at_the_broker_come_again_in_the_next_process_with_their_count() {
    replaced_while_they_wait("broker").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_waits_for_anything_ends_at_once() {
    let stage = Stage::new().await;
    let hour = [("container.receiveTimeout", "1h"), ("container.recoveryInterval", "5m")];
    let mut idle = running(&stage, Duration::ZERO, &hour).await;
    let other = Stage::new().await;
    let missing = [("transport.topology", "check"), ("container.recoveryInterval", "60s")];
    let mut missing = other.consumer(Duration::ZERO, &missing);
    logged(&missing, "no consumer; trying again").await;
    let idle = terminated(&mut idle).await;
    let missing = terminated(&mut missing).await;
    println!(
        "V15 idle with a receiveTimeout of 1 h: exit {idle:.2?}; B17c between tries for a queue, 60 s: {missing:.2?}"
    );
    for (status, took) in [idle, missing] {
        assert_eq!(status, Some(0));
        assert!(took < SECOND + SLACK, "{took:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_ends_a_busy_process_at_once() {
    let mut stage = Stage::new().await;
    let mut consumer =
        busy(&mut stage, CONCURRENCY, 60 * SECOND, &[("container.shutdownTimeout", "60s")]).await;
    consumer.terminate();
    tokio::time::sleep(HEARD).await;
    let (status, took) = terminated(&mut consumer).await;
    left(&mut stage, MESSAGES as usize, CONCURRENCY).await;
    println!("B17d second signal: exit {status:?} after {took:.2?}; {}", stage.ledger.verdict());
    assert_eq!(status, Some(1), "{}", consumer.log());
    assert!(took < SECOND + SLACK, "{took:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_never_end_are_given_up_at_the_deadline() {
    const PATIENCE: Duration = Duration::from_secs(2);
    let timeout = ("container.shutdownTimeout", "2s");
    // An async call is dropped; one that never awaits is left behind after a further second.
    for (how, calls, blocks, expected) in [("awaiting", 4, "false", 0), ("blocking", 1, "true", 1)] {
        let mut stage = Stage::new().await;
        let settings = [timeout, ("test.blocks", blocks)];
        let mut consumer = busy(&mut stage, calls, 3_600 * SECOND, &settings).await;
        let (status, took) = terminated(&mut consumer).await;
        left(&mut stage, MESSAGES as usize, calls).await;
        println!(
            "B17e {how} for ever: exit {status:?} after {took:.2?} of {PATIENCE:?}; {}",
            stage.ledger.verdict()
        );
        assert_eq!(status, Some(expected), "{}", consumer.log());
        assert!(took >= PATIENCE && took < PATIENCE + SECOND + SLACK, "{took:?}");
    }
}

/// How long a process of this patience takes to end whose broker is swallowed while it starts, is idle, or has all calls
/// running; the broker learns of the end afterwards.
async fn swallowed(phase: &str, patience: &str) -> Duration {
    let mut stage = Stage::new().await;
    let proxy = Proxy::start(amqp_address()).await;
    let behind = stage.url.replace(&amqp_address(), &proxy.address());
    let url = std::mem::replace(&mut stage.url, behind);
    let settings = [("container.shutdownTimeout", patience), ("transport.heartbeat", "30s")];
    let work = if phase == "busy" { 3_600 * SECOND } else { Duration::ZERO };
    let mut consumer = stage.consumer(work, &settings);
    // Its connection is there, its consumers are not.
    logged(&consumer, "listener is starting").await;
    stage.url = url;
    if phase != "starting" {
        logged(&consumer, "listener is running").await;
        let inspector = Inspector::connect(&stage.url).await;
        consumers(&inspector, &stage.queue, CONCURRENCY).await;
        inspector.close().await;
    }
    if phase == "busy" {
        Load::new(&stage.url, &stage.queue, 100, stage.ledger.clone()).send(MESSAGES).await;
        stage.until("all calls", |ledger| ledger.starts() == CONCURRENCY as usize).await;
    }
    proxy.freeze();
    let (status, took) = terminated(&mut consumer).await;
    proxy.cut().await;
    if phase == "busy" {
        left(&mut stage, MESSAGES as usize, CONCURRENCY).await;
    }
    println!("B17 broker swallowed, {phase}: exit {status:?} after {took:.2?}; {}", stage.ledger.verdict());
    assert_eq!(status, Some(0), "{}", consumer.log());
    took
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_whose_broker_is_swallowed_stops_in_order_and_in_bounded_time() {
    // Calls are waited for, then the connection gets its time to close.
    const LIMIT: Duration = Duration::from_secs(2 + 7);
    let [starting, idle, busy] = ["starting", "idle", "busy"].map(|phase| swallowed(phase, "2s"));
    let (starting, idle, busy) = tokio::join!(starting, idle, busy);
    for took in [starting, idle, busy] {
        assert!(took < LIMIT + SLACK, "{took:?}");
    }
}
