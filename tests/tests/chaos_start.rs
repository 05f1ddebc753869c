//! What a service meets when it starts, or starts again: refusals have a name and an end, silence has an end.

mod chaos_support;

use chaos_support::{RECOVERY, SOON, configured, consumers, service, start, stop, work};
use hearken::prelude::*;
use hearken::transport::TransportErrorKind as Kind;
use hearken::{Builder, ListenerState};
use hearken_tests::broker;
use hearken_tests::chaos::{eventually, pick, within};
use hearken_tests::inspect::Inspector;
use hearken_tests::ledger::Ledger;
use hearken_tests::load::Load;
use hearken_tests::proxy::{Door, Ending, Proxy};
use hearken_tests::vhost::VirtualHost;
use lapin::options::QueueDeclareOptions;
use lapin::types::FieldTable;
use std::time::{Duration, Instant};

/// `connectTimeout` of the services here.
const CONNECT: Duration = Duration::from_secs(2);

fn at(url: &str, queue: &str) -> Builder {
    service(url, queue, &Ledger::default(), Duration::ZERO).set("transport.connectTimeout", "2s")
}

/// The error of a start, and how long it took.
async fn refused(builder: Builder) -> (Kind, String, Duration) {
    let begin = Instant::now();
    let starting = within(CONNECT + SOON, "a refusal", builder.build().unwrap().start());
    match starting.await {
        Err(hearken::Error::Transport(error)) => (error.kind().clone(), error.to_string(), begin.elapsed()),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it started"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waiting_cannot_mend_ends_the_start_and_is_named() {
    let host = VirtualHost::create().await;
    let queue = broker::unique("refused");
    let mismatched = broker::unique("mismatched");
    let inspector = Inspector::connect(&host.url()).await;
    let options = QueueDeclareOptions { durable: true, ..Default::default() };
    let declaring =
        inspector.channel().queue_declare(mismatched.as_str().into(), options, FieldTable::default());
    declaring.await.unwrap();
    let cases = [
        ("403", host.url().replace("guest:guest", "guest:hunter2"), &queue, "`guest`"),
        ("530", broker::amqp_url().replace("/%2f", "/no-such-host"), &queue, "`no-such-host`"),
        ("406", host.url(), &mismatched, &*mismatched),
        ("TLS", broker::amqps_url(), &queue, "localhost"),
    ];
    for (case, url, queue, name) in cases {
        let (kind, text, took) = refused(at(&url, queue)).await;
        println!("B12 {case}: {took:.1?}, {text}");
        let expected = match case {
            "403" => matches!(kind, Kind::AccessRefused),
            "530" => matches!(kind, Kind::VirtualHost),
            "406" => matches!(kind, Kind::ArgumentMismatch { .. }),
            _ => matches!(kind, Kind::Tls),
        };
        assert!(expected && text.contains(name) && !text.contains("hunter2"), "{case}: {kind:?} {text}");
        assert!(took < CONNECT + Duration::from_secs(10), "{case}: {took:?}");
    }
    inspector.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_is_closed_or_silent_at_the_start_is_awaited_at_the_pace_of_recovery() {
    for door in [Door::Closed, Door::Silent] {
        let host = VirtualHost::create().await;
        let (queue, proxy) = (broker::unique("awaited"), Proxy::start(broker::amqp_address()).await);
        proxy.door(door).await;
        let begin = Instant::now();
        let running = start(at(&host.url_at(&proxy.address()), &queue)).await;
        let started = begin.elapsed();
        assert_eq!(running.state("work"), Some(ListenerState::Starting), "{door:?}");
        tokio::time::sleep(pick(Duration::from_secs(5), Duration::from_secs(20))).await;
        let (tries, waited) = (proxy.connections(), begin.elapsed());
        let healed = Instant::now();
        proxy.heal().await;
        let up = running.wait_for_state("work", |state| *state == ListenerState::Running);
        within(SOON, "a consumer", up).await;
        let recovery = healed.elapsed();
        println!(
            "B12 {door:?}: started in {started:.1?}, {tries} tries in {waited:.1?}, recovery {recovery:.1?}"
        );
        assert!(started < CONNECT + Duration::from_secs(10), "{started:?}");
        assert!(tries as f64 <= 2.0 + waited.as_secs_f64() / RECOVERY.as_secs_f64(), "{tries} in {waited:?}");
        stop(running).await;
    }
}

#[listener(id = "second", queue = "second")]
async fn second() {}

#[listener(id = "third", queue = "third")]
async fn third() {}

#[tokio::test(flavor = "multi_thread")]
async fn silence_while_reconnecting_costs_no_listener_its_place() {
    let host = VirtualHost::create().await;
    let (ledger, proxy) = (Ledger::default(), Proxy::start(broker::amqp_address()).await);
    let [first, other, last] = ["first", "second", "third"].map(broker::unique);
    let builder = configured(&host.url_at(&proxy.address()))
        .listen::<work>()
        .listen::<second>()
        .listen::<third>()
        .state(ledger.clone())
        .state(chaos_support::Work(Duration::ZERO))
        .set("transport.connectTimeout", "2s")
        .set("container.concurrency", 2)
        .set("listeners.work.queue", first.as_str())
        .set("listeners.second.queue", other.as_str())
        .set("listeners.third.queue", last.as_str());
    let running = start(builder).await;
    let inspector = Inspector::connect(&host.url()).await;
    let queues = [&first, &other, &last];
    for queue in queues {
        consumers(&inspector, queue, 2).await;
    }
    proxy.door(Door::Silent).await;
    proxy.end(Ending::Reset).await;
    tokio::time::sleep(pick(Duration::from_secs(6), Duration::from_secs(20))).await;
    let healed = Instant::now();
    proxy.heal().await;
    eventually(SOON, "all to be back", async || {
        for queue in queues {
            if inspector.depth(queue).await.consumers != 2 {
                return false;
            }
        }
        true
    })
    .await;
    println!("V08 all back {:.1?} after the silence", healed.elapsed());
    for queue in queues {
        consumers(&inspector, queue, 2).await;
    }
    Load::new(&host.url(), &first, 10, ledger.clone()).send(10).await;
    chaos_support::done(&ledger).await;
    inspector.close().await;
    stop(running).await;
}

/// A broker may answer a declaration before the queue of another channel's declaration has a leader.
#[tokio::test(flavor = "multi_thread")]
async fn many_consumers_of_a_new_queue_all_begin_on_one_connection() {
    let host = VirtualHost::create().await;
    let inspector = Inspector::connect(&host.url()).await;
    let mut late = 0;
    for _ in 0..20 {
        let queue = broker::unique("new");
        let running = start(at(&host.url(), &queue).set("container.concurrency", 10)).await;
        late += usize::from(inspector.depth(&queue).await.consumers != 10);
        stop(running).await;
    }
    println!("of 20 starts {late} had to connect again");
    assert_eq!(late, 0);
    inspector.close().await;
}
