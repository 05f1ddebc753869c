//! Queues that vanish under their consumers, come back, or are late: on a real RabbitMQ. B13, V06, V07, V09, V12.

use hearken::prelude::*;
use hearken::{Builder, EventKind, Handle, ListenerState, Running};
use hearken_tests::chaos::{eventually, pick, within};
use hearken_tests::inspect::Inspector;
use hearken_tests::ledger::Ledger;
use hearken_tests::load::Load;
use hearken_tests::vhost::{VirtualHost, ctl};
use lapin::options::QueueDeleteOptions;
use std::time::{Duration, Instant};

const RECOVERY: Duration = Duration::from_secs(2);
const LIMIT: Duration = Duration::from_secs(60);

#[derive(Clone)]
struct Ledgers {
    main: Ledger,
    siblings: Ledger,
}

fn enter(ledger: &Ledger, message: &Message) {
    if let Some(id) = message.id().and_then(|id| id.parse().ok()) {
        ledger.started(id);
        ledger.completed(id);
    }
}

#[listener(queue = "main", concurrency = 4)]
async fn main_listener(message: Message, State(ledgers): State<Ledgers>) {
    enter(&ledgers.main, &message);
}

macro_rules! siblings {
    ($($name:ident)*) => {
        $(#[listener(queue = "siblings")]
        async fn $name(message: Message, State(ledgers): State<Ledgers>) {
            enter(&ledgers.siblings, &message);
        })*

        fn with_siblings(builder: Builder) -> Builder {
            builder$(.listen::<$name>())*
        }
    };
}

siblings!(s1 s2 s3 s4 s5 s6 s7 s8 s9);

fn application(host: &VirtualHost, ledgers: &Ledgers) -> Builder {
    Hearken::builder()
        .listen::<main_listener>()
        .state(ledgers.clone())
        .set("transport.url", host.url())
        .set("application.name", "chaos")
        .set("container.recoveryInterval", i64::try_from(RECOVERY.as_millis()).unwrap())
}

fn ledgers() -> Ledgers {
    Ledgers { main: Ledger::default(), siblings: Ledger::default() }
}

async fn delete(inspector: &Inspector, queue: &str) {
    inspector.channel().queue_delete(queue.into(), QueueDeleteOptions::default()).await.unwrap();
}

async fn consumers(inspector: &Inspector, queue: &str, wanted: u32) -> Duration {
    let what = format!("{wanted} consumers of {queue}");
    eventually(LIMIT, &what, async || inspector.depth(queue).await.consumers == wanted).await
}

fn is_consuming(running: &Running) -> bool {
    running.state("main_listener").is_some_and(|state| state.is_consuming())
}

/// How often the queue was found missing until now.
async fn missing(handle: &Handle, during: impl Future<Output = ()>) -> usize {
    let mut events = handle.events();
    let mut missing = 0;
    let mut during = std::pin::pin!(during);
    loop {
        tokio::select! {
            () = &mut during => return missing,
            Some(event) = events.next() => missing += usize::from(matches!(event.kind, EventKind::QueueMissing { .. })),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queue_deleted_and_recreated_later_is_consumed_again_and_siblings_never_notice() {
    let (host, ledgers) = (VirtualHost::create().await, ledgers());
    let inspector = Inspector::connect(&host.url()).await;
    for queue in ["main", "siblings", "ActiveMQ.DLQ"] {
        inspector.declare(queue).await;
    }
    let builder = with_siblings(application(&host, &ledgers)).set("transport.topology", "check");
    let running = builder.build().unwrap().start().await.unwrap();
    consumers(&inspector, "main", 4).await;
    let load = Load::new(&host.url(), "siblings", 100, ledgers.siblings.clone()).run(200);
    tokio::time::sleep(Duration::from_secs(1)).await;

    let outage = pick(Duration::from_secs(8), Duration::from_secs(30));
    delete(&inspector, "main").await;
    let before = ledgers.siblings.starts();
    let begin = Instant::now();
    let tries = missing(&running.handle(), async {
        while begin.elapsed() < outage {
            tokio::time::sleep(Duration::from_millis(100)).await;
            assert!(
                begin.elapsed() < Duration::from_secs(1) || !is_consuming(&running),
                "it consumes nothing"
            );
        }
    })
    .await;
    let rate = (ledgers.siblings.starts() - before) as f64 / begin.elapsed().as_secs_f64();
    inspector.declare("main").await;
    let recovery = consumers(&inspector, "main", 4).await;
    Load::new(&host.url(), "main", 100, ledgers.main.clone()).send(200).await;
    eventually(LIMIT, "all of main", async || ledgers.main.is_done()).await;
    load.stop().await;
    eventually(LIMIT, "all siblings", async || ledgers.siblings.is_done()).await;
    let most = 1 + outage.as_secs() / RECOVERY.as_secs();
    println!(
        "B13/V09: recovery {recovery:?} (interval {RECOVERY:?}), {tries} tries in {outage:?} (at most {most}), \
         siblings {rate:.0}/s of 200/s; main {}; siblings {}",
        ledgers.main.verdict(),
        ledgers.siblings.verdict()
    );
    assert!(tries as u64 <= most, "{tries} tries");
    assert!(rate >= 0.95 * 200.0 * 0.95, "siblings at {rate}/s");
    for verdict in [ledgers.main.verdict(), ledgers.siblings.verdict()] {
        assert_eq!((verdict.lost.len(), verdict.duplicates()), (0, 0), "{verdict}");
    }
    running.stop().await;
    inspector.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_queue_deleted_where_it_may_be_declared_is_back_with_all_its_consumers() {
    let (host, ledgers) = (VirtualHost::create().await, ledgers());
    let inspector = Inspector::connect(&host.url()).await;
    let running = application(&host, &ledgers).build().unwrap().start().await.unwrap();
    consumers(&inspector, "main", 4).await;
    tokio::time::sleep(RECOVERY).await;
    let mut events = running.handle().events();
    delete(&inspector, "main").await;
    let begin = Instant::now();
    let cancelled = async {
        loop {
            if matches!(events.next().await.unwrap().kind, EventKind::ConsumerCancelled { .. }) {
                return begin.elapsed();
            }
        }
    };
    let noticed = within(LIMIT, "the cancellation", cancelled).await;
    within(LIMIT, "recovery", running.wait_for_state("main_listener", ListenerState::is_consuming)).await;
    eventually(LIMIT, "the queue", async || {
        // Asking for a missing queue would cost the inspector its channel.
        running.handle().listener("main_listener").unwrap().consumers == 4
    })
    .await;
    let recovery = begin.elapsed();
    consumers(&inspector, "main", 4).await;
    Load::new(&host.url(), "main", 100, ledgers.main.clone()).send(100).await;
    eventually(LIMIT, "all", async || ledgers.main.is_done()).await;
    println!("V06: noticed after {noticed:?}, four consumers after {recovery:?}; {}", ledgers.main.verdict());
    assert_eq!(ledgers.main.verdict().duplicates(), 0);
    running.stop().await;
    inspector.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queue_that_is_late_is_waited_for_and_the_listener_never_claims_to_run_before() {
    let (host, ledgers) = (VirtualHost::create().await, ledgers());
    let inspector = Inspector::connect(&host.url()).await;
    inspector.declare("ActiveMQ.DLQ").await;
    let builder = application(&host, &ledgers).set("transport.topology", "check");
    let running = builder.build().unwrap().start().await.unwrap();
    for _ in 0..50 {
        assert!(!is_consuming(&running));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    inspector.declare("main").await;
    let begin = Instant::now();
    within(LIMIT, "a consumer", running.wait_for_state("main_listener", ListenerState::is_consuming)).await;
    let recovery = begin.elapsed();
    Load::new(&host.url(), "main", 100, ledgers.main.clone()).send(1_000).await;
    eventually(LIMIT, "all", async || ledgers.main.is_done()).await;
    println!("V07: consuming {recovery:?} after the queue came; {}", ledgers.main.verdict());
    assert_eq!((ledgers.main.verdict().lost.len(), ledgers.main.verdict().duplicates()), (0, 0));
    running.stop().await;
    inspector.close().await;
}

#[listener(temporary = true, exchange = "news")]
async fn news(message: Message, info: RedeliveryInfo, State(names): State<hearken_testkit::Journal>) {
    names.write(format!("{} from {}", String::from_utf8_lossy(message.body()), info.origin.queue));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_temporary_queue_is_made_anew_with_its_binding_after_a_cut() {
    let (host, names) = (VirtualHost::create().await, hearken_testkit::Journal::default());
    let builder = Hearken::builder().listen::<news>().state(names.clone());
    let builder = builder.set("transport.url", host.url()).set("container.recoveryInterval", "1s");
    let running = builder.build().unwrap().start().await.unwrap();
    let send = async |body: &str| {
        let destination = hearken::session::Destination::exchange("news", "");
        running.publisher().send(destination, body).await.unwrap();
    };
    send("a").await;
    within(LIMIT, "a", names.wait_for("a from", 1)).await;
    host.close_connections().await;
    within(LIMIT, "the loss", running.wait_for_state("news", |state| !state.is_consuming())).await;
    within(LIMIT, "recovery", running.wait_for_state("news", ListenerState::is_consuming)).await;
    send("b").await;
    within(LIMIT, "b", names.wait_for("b from", 1)).await;
    let lines = names.lines();
    let queue = |line: &str| line.rsplit(' ').next().unwrap().to_owned();
    println!("V12: {lines:?}");
    assert_ne!(queue(&lines[0]), queue(&lines[1]), "the new name is used");
    running.stop().await;
}

#[listener(queue = "passing", auto_delete = true, exchange = "news")]
async fn passing(message: Message, State(names): State<hearken_testkit::Journal>) {
    names.write(format!("passing {}", String::from_utf8_lossy(message.body())));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_auto_delete_queue_and_rights_that_were_revoked_for_a_while_come_back() {
    let (host, names) = (VirtualHost::create().await, hearken_testkit::Journal::default());
    let builder = Hearken::builder().listen::<passing>().state(names.clone());
    let builder = builder.set("transport.url", host.url()).set("container.recoveryInterval", "1s");
    let running = builder.build().unwrap().start().await.unwrap();
    let rights = async |rights: &str| {
        ctl(&["set_permissions", "-p", host.name(), "guest", rights, rights, rights]).await;
    };
    rights("^$").await;
    host.close_connections().await;
    within(LIMIT, "the loss", running.wait_for_state("passing", |state| !state.is_consuming())).await;
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert!(!running.state("passing").unwrap().is_consuming(), "it may not consume");
    assert!(!running.state("passing").unwrap().is_ended(), "after a good session it is tried again");
    rights(".*").await;
    within(LIMIT, "recovery", running.wait_for_state("passing", ListenerState::is_consuming)).await;
    let destination = hearken::session::Destination::exchange("news", "");
    running.publisher().send(destination, "a").await.unwrap();
    within(LIMIT, "a", names.wait_for("passing a", 1)).await;
    running.stop().await;
}
