//! The network cuts, swallows and drips: nothing is lost, and a link is given up in time and not before.

mod chaos_support;

use chaos_support::{CONCURRENCY, RECOVERY, SOON, WINDOW, consumers, done, next_call, service, start, stop};
use hearken::Running;
use hearken_tests::broker;
use hearken_tests::chaos::{eventually, pick, within};
use hearken_tests::inspect::Inspector;
use hearken_tests::ledger::Ledger;
use hearken_tests::load::Load;
use hearken_tests::process::{Consumer, Job};
use hearken_tests::proxy::{Ending, Flow, Proxy};
use hearken_tests::records::Reader;
use hearken_tests::vhost::VirtualHost;
use std::time::{Duration, Instant};

const HEARTBEAT: Duration = Duration::from_secs(2);

#[tokio::test(flavor = "multi_thread")]
async fn a_consumer_comes_back_from_every_kind_of_cut_as_it_was() {
    let (host, ledger, queue) = (VirtualHost::create().await, Ledger::default(), broker::unique("cuts"));
    let proxy = Proxy::start(broker::amqp_address()).await;
    let folder = tempfile::tempdir().unwrap();
    let records = folder.path().join("records");
    let mut reader = Reader::new(&records, ledger.clone()).unwrap();
    let (concurrency, prefetch) = (CONCURRENCY.to_string(), chaos_support::PREFETCH.to_string());
    let consumer = Consumer::start(&Job {
        program: env!("CARGO_BIN_EXE_consumer"),
        url: &host.url_at(&proxy.address()),
        queue: &queue,
        work: Duration::from_millis(5),
        records: &records,
        settings: &[
            ("container.recoveryInterval", "2s"),
            ("container.concurrency", &concurrency),
            ("container.prefetch", &prefetch),
        ],
    });
    eventually(SOON, "the queue", async || consumer.log().contains("listener is running")).await;
    let load = Load::new(&host.url(), &queue, 1_024, ledger.clone()).run(200);
    let mut calls = async |more: usize| {
        let wanted = ledger.starts() + more;
        eventually(SOON, "calls", async || {
            reader.read().unwrap();
            ledger.starts() >= wanted
        })
        .await
    };
    calls(200).await;
    let resources = || (consumer.descriptors(), consumer.threads(), consumer.memory());
    let mut before = resources();
    let (cuts, mut slowest) = (pick(10, 50), Duration::ZERO);
    for cut in 0..cuts {
        if cut == 1 {
            // The first one opens what every recovery after it uses again.
            before = resources();
        }
        let (begin, connections) = (Instant::now(), proxy.connections());
        match cut % 3 {
            0 => proxy.end(Ending::Reset).await,
            1 => proxy.end(Ending::Fin).await,
            _ => host.close_connections().await,
        }
        eventually(SOON, "a new connection", async || proxy.connections() > connections).await;
        calls(0).await;
        calls(1).await;
        slowest = slowest.max(begin.elapsed());
        tokio::time::sleep(pick(RECOVERY / 2, Duration::from_secs(3)).saturating_sub(begin.elapsed())).await;
    }
    calls(200).await;
    load.stop().await;
    eventually(3 * SOON, "all to be completed", async || {
        reader.read().unwrap();
        ledger.is_done()
    })
    .await;
    let after = resources();
    let verdict = ledger.verdict();
    println!("B02 {cuts} cuts: {verdict}; slowest recovery {slowest:.1?}");
    println!(
        "B02 descriptors, threads, KiB of memory: {before:?} after the first cut, {after:?} after the last"
    );
    assert!(verdict.lost.is_empty() && verdict.unexpected.is_empty(), "{verdict}");
    assert!(verdict.duplicates() <= cuts * WINDOW, "{verdict}");
    assert!(slowest < RECOVERY + Duration::from_secs(10), "{slowest:?}");
    assert!(after.0.abs_diff(before.0) <= 2, "descriptors: {before:?} {after:?}");
    assert!(after.1 <= before.1 + 2, "threads: {before:?} {after:?}");
    assert!(after.2 < before.2 + before.2 / 4, "memory: {before:?} {after:?}");
    let inspector = Inspector::connect(&host.url()).await;
    consumers(&inspector, &queue, CONCURRENCY).await;
    inspector.close().await;
}

/// Which way is swallowed.
#[derive(Clone, Copy, Debug)]
enum Hole {
    Both,
    ToBroker,
    FromBroker,
}

impl Hole {
    fn open(self, proxy: &Proxy) {
        match self {
            Self::Both => proxy.freeze(),
            Self::ToBroker => proxy.up(Flow::HOLE),
            Self::FromBroker => proxy.down(Flow::HOLE),
        }
    }
}

async fn is(running: &Running, wanted: &str) -> Duration {
    let begin = Instant::now();
    within(SOON, wanted, running.wait_for_state("work", |state| state.to_string() == wanted)).await;
    begin.elapsed()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_into_a_black_hole_is_given_up_and_found_again() {
    let host = VirtualHost::create().await;
    let proxy = Proxy::start(broker::amqp_address()).await;
    for hole in [Hole::Both, Hole::ToBroker, Hole::FromBroker] {
        let (ledger, queue) = (Ledger::default(), broker::unique("hole"));
        let builder = service(&host.url_at(&proxy.address()), &queue, &ledger, Duration::from_millis(5))
            .set("transport.heartbeat", "2s")
            .set("transport.publishTimeout", "3s")
            .set("transport.callTimeout", "3s");
        let running = start(builder).await;
        let load = Load::new(&host.url(), &queue, 1_024, ledger.clone()).run(100);
        eventually(SOON, "some calls", async || ledger.starts() > 100).await;
        let begin = Instant::now();
        hole.open(&proxy);
        let publishing = async {
            let begin = Instant::now();
            (running.publisher().send(queue.as_str(), "0").await.is_err(), begin.elapsed())
        };
        let deleting = async {
            let begin = Instant::now();
            (running.delete_queue("no-such-queue").await.is_err(), begin.elapsed())
        };
        let (noticed, published, deleted) = tokio::join!(is(&running, "recovering"), publishing, deleting);
        let rest = pick(Duration::from_secs(15), Duration::from_secs(60)).saturating_sub(begin.elapsed());
        tokio::time::sleep(rest).await;
        let (tries, healed) = (proxy.connections(), Instant::now());
        proxy.heal().await;
        let recovery = next_call(&ledger, healed).await;
        load.stop().await;
        done(&ledger).await;
        let verdict = ledger.verdict();
        println!(
            "B03 {hole:?}: noticed after {noticed:.1?} of {HEARTBEAT:?} × 2, recovery {recovery:.1?}, publish (failed, \
             took) {published:.1?}, call {deleted:.1?}, connections so far {tries}; {verdict}"
        );
        assert!(noticed < 2 * HEARTBEAT + Duration::from_secs(6), "{noticed:?}");
        assert!(recovery < RECOVERY + Duration::from_secs(15), "{recovery:?}");
        assert!(published.0 && published.1 < Duration::from_secs(15), "{published:?}");
        assert!(deleted.1 < Duration::from_secs(20), "{deleted:?}");
        assert!(verdict.lost.is_empty() && verdict.duplicates() <= WINDOW, "{verdict}");
        // The broker has to notice as well, by its own heartbeat.
        let inspector = Inspector::connect(&host.url()).await;
        consumers(&inspector, &queue, CONCURRENCY).await;
        inspector.close().await;
        stop(running).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_sent_while_an_idle_link_is_dead_comes_once_it_is_back() {
    let (host, ledger, queue) = (VirtualHost::create().await, Ledger::default(), broker::unique("idle"));
    let proxy = Proxy::start(broker::amqp_address()).await;
    let builder = service(&host.url_at(&proxy.address()), &queue, &ledger, Duration::ZERO);
    let running = start(builder.set("transport.heartbeat", "2s")).await;
    proxy.freeze();
    let noticed = is(&running, "recovering").await;
    Load::new(&host.url(), &queue, 10, ledger.clone()).send(1).await;
    let healed = Instant::now();
    proxy.heal().await;
    let recovery = next_call(&ledger, healed).await;
    done(&ledger).await;
    is(&running, "running").await;
    let verdict = ledger.verdict();
    println!("V03 noticed after {noticed:.1?} of {HEARTBEAT:?} × 2, recovery {recovery:.1?}; {verdict}");
    assert!(noticed < 2 * HEARTBEAT + Duration::from_secs(6), "{noticed:?}");
    assert_eq!((verdict.completed.len(), verdict.duplicates()), (1, 0), "{verdict}");
    stop(running).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_drips_is_kept_and_hurts_no_other() {
    const RATE: u32 = 1_024;
    let host = VirtualHost::create().await;
    let proxy = Proxy::start(broker::amqp_address()).await;
    let size: u32 = pick(16, 64) * 1_024;
    let [dripping, steady] = ["dripping", "steady"].map(broker::unique);
    let (slow, fast) = (Ledger::default(), Ledger::default());
    let builder = service(&host.url_at(&proxy.address()), &dripping, &slow, Duration::ZERO)
        .set("transport.heartbeat", "2s")
        .set("container.concurrency", 1)
        .set("container.prefetch", 1);
    let running = start(builder).await;
    let other = start(service(&host.url(), &steady, &fast, Duration::ZERO)).await;
    let load = Load::new(&host.url(), &steady, 100, fast.clone()).run(100);
    let rate = async || {
        let (begin, calls) = (Instant::now(), fast.starts());
        tokio::time::sleep(Duration::from_secs(4)).await;
        (fast.starts() - calls) as f64 / begin.elapsed().as_secs_f64()
    };
    let clean = rate().await;
    proxy.down(Flow::drip(RATE));
    let (begin, connections) = (Instant::now(), proxy.connections());
    Load::new(&host.url(), &dripping, size as usize, slow.clone()).send(1).await;
    let disturbed = rate().await;
    within(5 * SOON, "the dripping message", done(&slow)).await;
    let took = begin.elapsed();
    println!(
        "B04 {size} bytes at {RATE} a second took {took:.1?}; the other: {disturbed:.0} calls a second of {clean:.0}"
    );
    assert_eq!(proxy.connections(), connections, "the link was given up");
    assert!(took > Duration::from_secs(u64::from(size / RATE) * 9 / 10), "{took:?}");
    assert!(disturbed > clean * 0.8, "{disturbed} of {clean}");
    load.stop().await;
    done(&fast).await;
    // Its last words would drip, too.
    proxy.heal().await;
    stop(running).await;
    stop(other).await;
}
