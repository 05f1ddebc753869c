//! The broker goes away, by a kill or in order, and comes back: nothing is lost, and everybody is there again.

mod chaos_support;

use chaos_support::{
    CONCURRENCY, PREFETCH, RECOVERY, SOON, WINDOW, configured, consumers, done, id, next_call, service,
    start, stop,
};
use hearken::ListenerState;
use hearken::prelude::*;
use hearken_tests::broker::unique;
use hearken_tests::chaos::{eventually, pick, within};
use hearken_tests::inspect::Inspector;
use hearken_tests::ledger::Ledger;
use hearken_tests::load::Load;
use hearken_tests::node::{Lease, SETTLED};
use hearken_tests::proxy::Proxy;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A crashed node may have forgotten the acknowledgements of its last second.
const FORGOTTEN: usize = RATE as usize;
const RATE: u64 = 200;

#[derive(Clone)]
struct Ordered(Ledger);

#[listener(queue = "ordered", concurrency = 1)]
async fn ordered(message: Message, State(Ordered(ledger)): State<Ordered>) {
    ledger.started(id(&message));
    tokio::time::sleep(Duration::from_millis(2)).await;
    ledger.completed(id(&message));
}

/// The ids without those that came before.
fn first_seen(order: Vec<u64>) -> Vec<u64> {
    let mut seen = std::collections::BTreeSet::new();
    order.into_iter().filter(|id| seen.insert(*id)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_broker_loses_nothing_and_is_consumed_again() {
    let node = Lease::take().await;
    let proxy = Proxy::start(node.address().to_owned()).await;
    let (ledger, in_order) = (Ledger::default(), Ledger::default());
    let [queue, classic] = ["killed", "killed-classic"].map(unique);
    let builder = service(&node.url_at(&proxy.address()), &queue, &ledger, Duration::from_millis(5))
        .listen::<ordered>()
        .state(Ordered(in_order.clone()))
        .set("listeners.ordered.queue", classic.as_str())
        .set("listeners.ordered.queueType", "classic");
    let running = start(builder).await;
    let loads = [(&queue, &ledger), (&classic, &in_order)]
        .map(|(queue, ledger)| Load::new(node.url(), queue, 1_024, ledger.clone()).run(RATE));
    tokio::time::sleep(SETTLED).await;
    let kills = pick(1, 3);
    for kill in 1..=kills {
        let before = ledger.starts();
        eventually(SOON, "some calls", async || ledger.starts() > before + 200).await;
        let (down, tries) = (Instant::now(), proxy.connections());
        node.kill().await;
        let (_, answered) = tokio::join!(node.up(), within(2 * SOON, "an answer", node.answers()));
        let (down, tries) = (answered.duration_since(down), proxy.connections() - tries);
        let recovery = next_call(&ledger, answered).await;
        running.wait_for_state("work", |state| *state == ListenerState::Running).await;
        println!(
            "B01 kill {kill}: down {down:.1?}, tries {tries}, recovery {recovery:.1?} after the first answer"
        );
        // The last try may have met the broker between its port and its answer.
        assert!(
            tries as f64 <= 2.0 + down.as_secs_f64() / RECOVERY.as_secs_f64(),
            "{tries} tries in {down:?}"
        );
        assert!(recovery < RECOVERY + Duration::from_secs(10), "{recovery:?}");
        tokio::time::sleep(SETTLED).await;
    }
    for load in loads {
        load.stop().await;
    }
    for (name, ledger, window) in [("quorum", &ledger, WINDOW), ("classic", &in_order, PREFETCH)] {
        done(ledger).await;
        let verdict = ledger.verdict();
        println!("B01 {name}, {kills} kills: {verdict}");
        assert!(verdict.lost.is_empty() && verdict.unexpected.is_empty(), "{verdict}");
        assert!(verdict.duplicates() <= kills * (window + FORGOTTEN), "{verdict}");
    }
    assert!(first_seen(in_order.order()).is_sorted(), "one consumer sees the order of the queue");
    let inspector = Inspector::connect(node.url()).await;
    consumers(&inspector, &queue, CONCURRENCY).await;
    consumers(&inspector, &classic, 1).await;
    inspector.close().await;
    stop(running).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_stops_in_order_is_awaited_and_consumed_again() {
    let node = Lease::take().await;
    let (ledger, queue) = (Ledger::default(), unique("restarted"));
    let running = Arc::new(start(service(node.url(), &queue, &ledger, Duration::ZERO)).await);
    let load = Load::new(node.url(), &queue, 100, ledger.clone());
    load.send(10).await;
    done(&ledger).await;
    tokio::time::sleep(SETTLED).await;
    let states = Arc::new(Mutex::new(Vec::new()));
    let watching = tokio::spawn({
        let (running, states) = (running.clone(), states.clone());
        async move {
            let mut last = None;
            loop {
                running.wait_for_state("work", |state| Some(state) != last.as_ref()).await;
                last = running.state("work");
                states.lock().unwrap().extend(last.clone());
            }
        }
    });
    node.stop().await;
    let down = Instant::now();
    running.wait_for_state("work", |state| matches!(state, ListenerState::Recovering { .. })).await;
    tokio::time::sleep(pick(Duration::from_secs(5), Duration::from_secs(20))).await;
    let (_, answered) = tokio::join!(node.up(), within(2 * SOON, "an answer", node.answers()));
    let recovered = async {
        running.wait_for_state("work", |state| *state == ListenerState::Running).await;
        answered.elapsed()
    };
    let recovery = within(SOON, "a consumer", recovered).await;
    println!("V01 down {:.1?}, recovery {recovery:.1?}", answered.duration_since(down));
    load.send(10).await;
    done(&ledger).await;
    let verdict = ledger.verdict();
    println!("V01 {verdict}");
    assert_eq!((verdict.lost.len(), verdict.duplicates()), (0, 0), "{verdict}");
    watching.abort();
    let _ = watching.await;
    let states: Vec<_> = states.lock().unwrap().iter().map(ListenerState::to_string).collect();
    assert_eq!(states, ["running", "recovering", "running"]);
    let inspector = Inspector::connect(node.url()).await;
    consumers(&inspector, &queue, CONCURRENCY).await;
    inspector.close().await;
    stop(Arc::into_inner(running).expect("nobody watches any more")).await;
}

#[derive(Clone)]
struct Sends {
    target: String,
    ledger: Ledger,
    /// How long each took, and whether it was accepted.
    results: Arc<Mutex<Vec<(Duration, bool)>>>,
}

#[listener(queue = "publishing", transaction_manager = "none")]
async fn publishing(message: Message, session: Session, State(sends): State<Sends>) -> Result<(), BoxError> {
    let id = id(&message);
    sends.ledger.started(id);
    for _ in 0..200 {
        let begin = Instant::now();
        let sent = session.send(sends.target.as_str(), Message::new("x").with_id(id.to_string())).await;
        sends.results.lock().unwrap().push((begin.elapsed(), sent.is_ok()));
        let _accepted = sent?;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    sends.ledger.completed(id);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_publish_that_the_broker_dies_under_ends_in_time_and_fails_its_call() {
    const PATIENCE: Duration = Duration::from_secs(5);
    let node = Lease::take().await;
    let ledger = Ledger::default();
    let [queue, target] = ["publishing", "published"].map(unique);
    let sends = Sends { target: target.clone(), ledger: ledger.clone(), results: Arc::default() };
    let inspector = Inspector::connect(node.url()).await;
    inspector.declare(&target).await;
    inspector.close().await;
    let builder = configured(node.url())
        .listen::<publishing>()
        .state(sends.clone())
        .set("listeners.publishing.queue", queue.as_str())
        .set("transport.publishTimeout", PATIENCE.as_millis() as u32);
    let running = start(builder).await;
    tokio::time::sleep(SETTLED).await;
    Load::new(node.url(), &queue, 10, ledger.clone()).send(4).await;
    eventually(SOON, "some sends", async || sends.results.lock().unwrap().len() > 50).await;
    node.kill().await;
    let failed = || sends.results.lock().unwrap().iter().filter(|(_, accepted)| !accepted).count();
    // While the broker is away: none of them waits for it.
    eventually(PATIENCE + SOON, "every send to end", async || failed() >= 4).await;
    node.up().await;
    done(&ledger).await;
    let longest = sends.results.lock().unwrap().iter().map(|(time, _)| *time).max().unwrap_or_default();
    let verdict = ledger.verdict();
    println!("V04 failed sends {}, longest send {longest:.1?} of {PATIENCE:?}; {verdict}", failed());
    assert!(verdict.lost.is_empty(), "{verdict}");
    assert!(longest < PATIENCE + Duration::from_secs(5), "{longest:?}");
    stop(running).await;
}

#[derive(Clone)]
struct Attempts(Arc<Mutex<Vec<Attempt>>>);

#[listener(queue = "slow", concurrency = 1)]
async fn slow(
    message: Message,
    attempt: Attempt,
    State(attempts): State<Attempts>,
    State(ledger): State<Ledger>,
    State(time): State<Duration>,
) {
    attempts.0.lock().unwrap().push(attempt);
    ledger.started(id(&message));
    tokio::time::sleep(time).await;
    ledger.completed(id(&message));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_in_work_while_the_broker_restarts_is_handled_once_more() {
    let node = Lease::take().await;
    let (ledger, queue, attempts) = (Ledger::default(), unique("slow"), Attempts(Arc::default()));
    let [work, stop_after, away] = pick([4, 1, 6], [10, 3, 12]).map(Duration::from_secs);
    let builder = configured(node.url())
        .listen::<slow>()
        .state(ledger.clone())
        .state(attempts.clone())
        .state(work)
        .set("listeners.slow.queue", queue.as_str());
    let running = start(builder).await;
    let load = Load::new(node.url(), &queue, 10, ledger.clone());
    load.send(1).await;
    eventually(SOON, "the call", async || ledger.starts() == 1).await;
    tokio::time::sleep(stop_after.max(SETTLED)).await;
    node.stop().await;
    tokio::time::sleep(away).await;
    let (_, answered) = tokio::join!(node.up(), within(2 * SOON, "an answer", node.answers()));
    let recovery = next_call(&ledger, answered).await;
    eventually(SOON, "the second end", async || ledger.verdict().duplicates() == 1).await;
    // The loop goes on.
    load.send(1).await;
    done(&ledger).await;
    let verdict = ledger.verdict();
    println!("V11 recovery {recovery:.1?}; {verdict}");
    assert_eq!((verdict.calls, verdict.duplicates(), verdict.lost.len()), (3, 1, 0), "{verdict}");
    let attempts: Vec<String> = attempts.0.lock().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(attempts, ["1", "1", "1"], "a broker that restarts burns no attempt");
    stop(running).await;
}

#[derive(Clone)]
struct Relay {
    target: String,
    ledger: Ledger,
}

#[listener(queue = "relay")]
async fn relay(message: Message, session: Session, State(relay): State<Relay>) -> Result<(), BoxError> {
    relay.ledger.started(id(&message));
    tokio::time::sleep(Duration::from_millis(50)).await;
    let _buffered =
        session.send(relay.target.as_str(), Message::new("x").with_id(id(&message).to_string())).await?;
    relay.ledger.completed(id(&message));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_alarm_of_the_broker_stops_who_publishes_and_nobody_else() {
    let node = Lease::take().await;
    let inspector = Inspector::connect(node.url()).await;
    for alarm in pick(&["memory"][..], &["memory", "disk"]) {
        let (ledger, relayed) = (Ledger::default(), Ledger::default());
        let [queue, source, target] = ["unaffected", "source", "target"].map(unique);
        inspector.declare(&target).await;
        let builder = service(node.url(), &queue, &ledger, Duration::from_millis(20))
            .listen::<relay>()
            .state(Relay { target: target.clone(), ledger: relayed.clone() })
            .set("listeners.relay.queue", source.as_str())
            .set("transport.publishTimeout", "3s")
            .set("redelivery.default.maximumRedeliveries", -1);
        let running = start(builder).await;
        let length = pick(Duration::from_secs(8), Duration::from_secs(30));
        Load::new(node.url(), &queue, 100, ledger.clone()).send(200 * (length.as_secs() + 4)).await;
        let switch = async |on| {
            if *alarm == "memory" { node.memory_alarm(on).await } else { node.disk_alarm(on).await }
        };
        Load::new(node.url(), &source, 100, relayed.clone()).send(200).await;
        eventually(SOON, "some relayed", async || relayed.starts() > 40).await;
        switch(true).await;
        let (raised, calls) = (Instant::now(), ledger.starts());
        tokio::time::sleep(length).await;
        let rate = (ledger.starts() - calls) as f64 / raised.elapsed().as_secs_f64();
        let stuck = !relayed.is_done();
        switch(false).await;
        let cleared = Instant::now();
        done(&ledger).await;
        done(&relayed).await;
        eventually(SOON, "the source to be empty", async || inspector.depth(&source).await.ready == 0).await;
        let all = async || inspector.depth(&target).await.ready >= 200;
        eventually(SOON, "all at the target", all).await;
        let after = cleared.elapsed();
        stop(running).await;
        let arrived = inspector.drain(&target).await;
        let distinct: std::collections::BTreeSet<u64> = arrived.iter().copied().collect();
        println!(
            "B18 {alarm} alarm of {length:?}: who only consumes made {rate:.0} calls a second of 200; relayed {} of \
             200 in {} messages, all {after:.1?} after the end; {}; {}",
            distinct.len(),
            arrived.len(),
            ledger.verdict(),
            relayed.verdict(),
        );
        assert!(stuck, "the alarm stopped nobody");
        assert_eq!(distinct.len(), 200, "a call was acknowledged without what it sent");
        assert!(ledger.verdict().lost.is_empty() && ledger.verdict().duplicates() == 0);
        assert!(rate > 100.0, "{rate}");
    }
    inspector.close().await;
}
