//! Messages wait at the broker for their next attempt, and the broker has troubles of its own.

mod chaos_support;

use chaos_support::{RECOVERY, SOON, configured, id, start, stop};
use hearken::prelude::*;
use hearken::{ListenerState, Running};
use hearken_tests::broker::unique;
use hearken_tests::chaos::{eventually, pick};
use hearken_tests::inspect::Inspector;
use hearken_tests::ledger::Ledger;
use hearken_tests::load::Load;
use hearken_tests::node::{Lease, SETTLED};
use hearken_tests::vhost::{VirtualHost, ctl};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const SECOND: Duration = Duration::from_secs(1);
/// The part that lateness has in a wait on a machine that is busy with something else.
const SLACK: Duration = Duration::from_secs(10);

/// Attempts by their number, and when each began.
type Attempts = Vec<(u64, Instant)>;

/// When which attempt at a message began, in order.
#[derive(Clone)]
struct Calls {
    all: Arc<Mutex<BTreeMap<u64, Attempts>>>,
    fails: u64,
    ledger: Ledger,
}

impl Calls {
    /// The first `fails` attempts at each message fail.
    fn new(fails: u64) -> Self {
        Self { all: Arc::default(), fails, ledger: Ledger::default() }
    }

    fn attempts(&self, attempt: u64) -> usize {
        self.all.lock().unwrap().values().flatten().filter(|(number, _)| *number == attempt).count()
    }

    /// How long after attempt `one` the next one began, for every message.
    fn waits(&self, one: u64) -> Vec<Duration> {
        let all = self.all.lock().unwrap();
        let at =
            |calls: &[(u64, Instant)], wanted| calls.iter().find(|(n, _)| *n == wanted).map(|call| call.1);
        all.values().map(|calls| at(calls, one + 1).unwrap() - at(calls, one).unwrap()).collect()
    }
}

#[listener(queue = "patient")]
async fn patient(message: Message, attempt: Attempt, State(calls): State<Calls>) -> Result<(), BoxError> {
    let id = id(&message);
    calls.ledger.started(id);
    calls.all.lock().unwrap().entry(id).or_default().push((attempt.number(), Instant::now()));
    if attempt.number() <= calls.fails {
        return Err("as it was told".into());
    }
    calls.ledger.completed(id);
    Ok(())
}

/// A service with a queue of this type, whose waits are spent at the broker and last so long.
async fn service(url: &str, kind: &str, queue: &str, calls: &Calls, wait: Duration) -> Running {
    let builder = configured(url)
        .listen::<patient>()
        .state(calls.clone())
        .set("listeners.patient.queue", queue)
        .set("listeners.patient.queueType", kind)
        .set("container.redeliveryMode", "broker")
        .set("transport.publishTimeout", "3s")
        .set("redelivery.default.initialRedeliveryDelay", u32::try_from(wait.as_millis()).unwrap());
    start(builder).await
}

/// Nothing lost, and each message called for attempts 1 and 2, once each.
fn twice_each(calls: &Calls, count: usize, what: &str) {
    let verdict = calls.ledger.verdict();
    println!("{what}: {verdict}");
    assert!(verdict.lost.is_empty() && verdict.unexpected.is_empty(), "{verdict}");
    for (id, calls) in &*calls.all.lock().unwrap() {
        assert_eq!(calls.iter().map(|(n, _)| *n).collect::<Vec<_>>(), [1, 2], "{what}: message {id}");
    }
    assert_eq!(verdict.completed.len(), count);
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_that_wait_in_a_broker_that_is_killed_come_at_their_time() {
    const COUNT: u64 = 60;
    let node = Lease::take().await;
    let wait = pick(15 * SECOND, 60 * SECOND);
    let mut services = Vec::new();
    for kind in ["quorum", "classic"] {
        let (calls, queue) = (Calls::new(1), unique(kind));
        let running = service(node.url(), kind, &queue, &calls, wait).await;
        services.push((kind, queue, calls, running));
    }
    // Of the levels too, which are declared meanwhile.
    tokio::time::sleep(2 * SETTLED).await;
    for (_, queue, calls, _) in &services {
        Load::new(node.url(), queue, 200, calls.ledger.clone()).send(COUNT).await;
    }
    for (_, _, calls, _) in &services {
        eventually(SOON, "the first attempts", async || calls.attempts(1) == COUNT as usize).await;
    }
    tokio::time::sleep(SETTLED).await;
    node.kill().await;
    let down = Instant::now();
    node.up().await;
    let down = down.elapsed();
    for (kind, _, calls, running) in services {
        eventually(wait + SOON, "the second attempts", async || calls.ledger.is_done()).await;
        // Whatever would come twice.
        tokio::time::sleep(SECOND).await;
        stop(running).await;
        let waits = calls.waits(1);
        let (least, most) = (*waits.iter().min().unwrap(), *waits.iter().max().unwrap());
        twice_each(
            &calls,
            COUNT as usize,
            &format!("{kind}: waits {least:.2?} to {most:.2?}, down {down:.1?}"),
        );
        assert!(least >= wait, "{least:?}");
        // The time in which the broker was down counts; what it was due within comes once it is up.
        assert!(most < wait.max(down) + RECOVERY + SLACK, "{most:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn moves_under_an_alarm_wait_for_its_end_and_keep_their_originals() {
    const COUNT: u64 = 60;
    let node = Lease::take().await;
    let (calls, queue) = (Calls::new(1), unique("alarmed"));
    let running = service(node.url(), "quorum", &queue, &calls, 2 * SECOND).await;
    tokio::time::sleep(SETTLED).await;
    // Nobody can publish to it once the alarm is there.
    running.handle().pause("patient").await.unwrap();
    Load::new(node.url(), &queue, 200, calls.ledger.clone()).send(COUNT).await;
    node.memory_alarm(true).await;
    running.handle().resume("patient").await.unwrap();
    eventually(SOON, "the first attempts", async || calls.attempts(1) == COUNT as usize).await;
    let degraded = |state: &ListenerState| matches!(state, ListenerState::Degraded { .. });
    tokio::time::timeout(SOON, running.wait_for_state("patient", degraded)).await.expect("it is told");
    tokio::time::sleep(pick(8 * SECOND, 40 * SECOND)).await;
    assert_eq!(calls.attempts(2), 0, "what was not moved is not due");
    assert_eq!(calls.attempts(1), COUNT as usize, "nor is it tried again meanwhile");
    node.memory_alarm(false).await;
    eventually(2 * SOON, "the second attempts", async || calls.ledger.is_done()).await;
    let runs = |state: &ListenerState| *state == ListenerState::Running;
    tokio::time::timeout(SOON, running.wait_for_state("patient", runs)).await.expect("it runs again");
    tokio::time::sleep(4 * SECOND).await;
    stop(running).await;
    let verdict = calls.ledger.verdict();
    println!("moves under an alarm: {verdict}");
    assert!(verdict.lost.is_empty() && calls.attempts(1) == COUNT as usize, "{verdict}");
    // A copy that was on the wire when the alarm came has no answer in time, and is sent once more.
    assert!(verdict.duplicates() <= COUNT as usize, "{verdict}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_level_keeps_the_messages_in_their_queue_until_there_is_room() {
    const COUNT: u64 = 20;
    let host = VirtualHost::create().await;
    let (calls, queue) = (Calls::new(1), unique("crowded"));
    let full = r#"{"max-length":1}"#;
    ctl(&["set_policy", "-p", host.name(), "full", r"\.l03$", full, "--apply-to", "queues"]).await;
    let running = service(&host.url(), "quorum", &queue, &calls, 9 * SECOND).await;
    let load = Load::new(&host.url(), &queue, 200, calls.ledger.clone());
    // A quorum queue refuses only what comes after it was found to be full.
    load.send(2).await;
    tokio::time::sleep(SECOND).await;
    load.send(COUNT - 2).await;
    let degraded = |state: &ListenerState| matches!(state, ListenerState::Degraded { .. });
    tokio::time::timeout(SOON, running.wait_for_state("patient", degraded)).await.expect("it is told");
    tokio::time::sleep(pick(3 * SECOND, 30 * SECOND)).await;
    assert_eq!(calls.attempts(1), COUNT as usize, "what waits for room is not tried again");
    ctl(&["clear_policy", "-p", host.name(), "full"]).await;
    eventually(2 * SOON, "the second attempts", async || calls.ledger.is_done()).await;
    stop(running).await;
    twice_each(&calls, COUNT as usize, "a full level");
    assert!(calls.waits(1).iter().all(|wait| *wait >= 9 * SECOND));
}

/// No more than a tenth of them in any 50 ms.
#[tokio::test(flavor = "multi_thread")]
async fn collision_avoidance_spreads_what_failed_together() {
    let (count, wait) = (pick(600, 2_000), 10 * SECOND);
    let host = VirtualHost::create().await;
    let (calls, queue) = (Calls::new(2), unique("spread"));
    let builder = configured(&host.url())
        .listen::<patient>()
        .state(calls.clone())
        .set("listeners.patient.queue", queue.as_str())
        .set("container.zeroDelay", "immediate")
        .set("redelivery.default.formula", "5.10")
        .set("redelivery.default.initialRedeliveryDelay", 0)
        .set("redelivery.default.redeliveryDelay", "10s")
        .set("redelivery.default.useCollisionAvoidance", true)
        .set("redelivery.default.collisionAvoidancePercent", 15);
    let running = start(builder).await;
    Load::new(&host.url(), &queue, 200, calls.ledger.clone()).send(count).await;
    eventually(2 * SOON, "the third attempts", async || calls.ledger.is_done()).await;
    stop(running).await;
    let waits = calls.waits(2);
    let mut bins = BTreeMap::<u128, usize>::new();
    for wait in &waits {
        *bins.entry(wait.as_millis() / 50).or_default() += 1;
    }
    let (fullest, least) = (bins.values().max().copied().unwrap_or(0), *waits.iter().min().unwrap());
    let late = waits.iter().filter(|waited| **waited > wait.mul_f64(1.15)).count();
    println!(
        "{count} waits of 10 s, 15 %: {least:.2?} to {:.2?} in {} bins of 50 ms, the fullest with {fullest}; {late} later",
        waits.iter().max().unwrap(),
        bins.len()
    );
    assert_eq!(waits.len(), count as usize);
    assert!(least >= wait.mul_f64(0.85), "{least:?}");
    assert!(fullest * 10 <= waits.len(), "{bins:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queue_deleted_under_its_waiting_messages_keeps_nobody_elses() {
    const COUNT: u64 = 60;
    let host = VirtualHost::create().await;
    let application = unique("shared");
    let mut services = Vec::new();
    for name in ["orders", "foo.orders"] {
        let calls = Calls::new(1);
        let builder = configured(&host.url())
            .listen::<patient>()
            .state(calls.clone())
            .set("application.name", application.as_str())
            .set("listeners.patient.queue", name)
            .set("container.redeliveryMode", "broker")
            .set("redelivery.default.initialRedeliveryDelay", "5s");
        services.push((name, calls, start(builder).await));
    }
    for (name, calls, _) in &services {
        Load::new(&host.url(), name, 200, calls.ledger.clone()).send(COUNT).await;
    }
    for (_, calls, _) in &services {
        eventually(SOON, "the first attempts", async || calls.attempts(1) == COUNT as usize).await;
    }
    tokio::time::sleep(SECOND).await;
    let inspector = Inspector::connect(&host.url()).await;
    let (_, gone, running) = services.pop().unwrap();
    stop(running).await;
    inspector.channel().queue_delete("foo.orders".into(), Default::default()).await.unwrap();
    let (_, calls, running) = services.pop().unwrap();
    eventually(SOON, "the second attempts", async || calls.ledger.is_done()).await;
    let orphans = format!("hearken.v1.{application}.orphans");
    eventually(SOON, "the orphans", async || u64::from(inspector.depth(&orphans).await.ready) == COUNT).await;
    inspector.drain(&orphans).await.into_iter().for_each(|id| gone.ledger.left(id));
    inspector.close().await;
    stop(running).await;
    twice_each(&calls, COUNT as usize, "orders");
    let verdict = gone.ledger.verdict();
    println!("foo.orders: {verdict}");
    assert!(verdict.lost.is_empty() && verdict.left.len() == COUNT as usize, "{verdict}");
}
