//! Rules that pause the listener: a circuit breaker that keeps the messages with the broker.

use super::*;
use hearken::redelivery::{Condition, RedeliveryPolicy, Response, Rule};
use hearken::{Event, EventKind, Events};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

const DOWN: &str = "connection refused";
const RULES: &[Rule] =
    &[Rule::new(Condition::error_contains(DOWN), Response::Pause { pause: Duration::from_secs(30) })];
const CAUTIOUS: RedeliveryPolicy = RedeliveryPolicy::new("default").maximum_redeliveries(0).rules(RULES);

/// Whether the service that the handler needs is there.
#[derive(Clone, Default)]
struct Service(Arc<AtomicBool>);

#[listener(queue = "work", concurrency = 3)]
async fn needy(
    Text(body): Text,
    attempt: Attempt,
    State(service): State<Service>,
    State(journal): State<Journal>,
) -> Result<(), BoxError> {
    journal.write(format!("call {body} {attempt}"));
    tokio::time::sleep(Duration::from_millis(10)).await;
    if !service.0.load(Relaxed) || body == "refused" {
        return Err(DOWN.into());
    }
    if body == "bad" {
        return Err("bad".into());
    }
    journal.write(format!("done {body}"));
    Ok(())
}

struct Bench {
    broker: Broker,
    journal: Journal,
    service: Service,
    running: Running,
    events: Events,
}

impl Bench {
    async fn new(settings: &[(&str, bool)]) -> Self {
        let (broker, journal, service) = (broker(), Journal::default(), Service::default());
        let mut builder = on(&broker).listen::<needy>().policy(CAUTIOUS);
        for (key, value) in settings {
            builder = builder.set(format!("listeners.needy.{key}"), *value);
        }
        let running = start(builder.state(journal.clone()).state(service.clone())).await;
        let events = running.handle().events();
        Self { broker, journal, service, running, events }
    }

    async fn send(&self, bodies: &[&str]) {
        for body in bodies {
            self.running.publisher().send("work", *body).await.unwrap();
        }
    }

    fn state(&self) -> ListenerState {
        self.running.handle().state("needy").unwrap()
    }

    async fn until(&mut self, wanted: EventKind) {
        while let Some(Event { kind, .. }) = self.events.next().await {
            if kind == wanted {
                return;
            }
        }
        panic!("{wanted:?} did not come");
    }

    async fn until_open(&mut self) {
        let kind =
            EventKind::CircuitOpened { reason: format!("error: {DOWN}"), pause: Duration::from_secs(30) };
        self.until(kind).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_outage_pauses_the_listener_and_costs_no_message_and_no_attempt() {
    let mut bench = Bench::new(&[]).await;
    let bodies: Vec<_> = (0..40).map(|n| n.to_string()).collect();
    bench.send(&bodies.iter().map(String::as_str).collect::<Vec<_>>()).await;
    bench.until_open().await;
    assert_eq!(bench.state(), ListenerState::Tripped { reason: format!("error: {DOWN}") });
    let calls = bench.journal.lines().len();
    assert!(calls <= 3, "one call of each invoker: {calls}");
    // Three more pauses: each of them is found out by one message.
    for probes in 1..=3 {
        bench.until(EventKind::CircuitHalfOpened).await;
        bench.until_open().await;
        assert_eq!(bench.journal.lines().len(), calls + probes);
    }
    bench.service.0.store(true, Relaxed);
    bench.until(EventKind::CircuitClosed).await;
    bench.journal.wait_for("done", 40).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    let mut done = bench.journal.matching("done");
    done.sort();
    done.dedup();
    assert_eq!(done.len(), 40);
    assert_eq!(bench.journal.matching("done").len(), 40, "each once");
    assert!(bench.journal.matching("call").iter().all(|call| call.ends_with(" 1")), "no attempt was burned");
    assert_eq!(bench.state(), ListenerState::Running);
    assert_eq!(bench.running.handle().listener("needy").unwrap().consumers, 3);
    assert!(bench.broker.peek("ActiveMQ.DLQ").is_empty());
    bench.running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn another_failure_of_the_tried_message_closes_the_breaker() {
    let mut bench = Bench::new(&[]).await;
    bench.send(&["bad"]).await;
    bench.until_open().await;
    bench.service.0.store(true, Relaxed);
    bench.until(EventKind::CircuitClosed).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(bench.broker.peek("ActiveMQ.DLQ").len(), 1, "it has its one attempt then");
    assert_eq!(bench.state(), ListenerState::Running);
    bench.running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_half_open_breaker_waits_for_a_message_and_says_so() {
    let mut bench = Bench::new(&[("nonBlockingRedelivery", false)]).await;
    let brief = Message::new("a").with_time_to_live(Duration::from_secs(20));
    bench.running.publisher().send("work", brief).await.unwrap();
    bench.until_open().await;
    bench.until(EventKind::CircuitHalfOpened).await;
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert!(matches!(bench.state(), ListenerState::Degraded { reason } if reason.contains("half open")));
    assert_eq!(bench.running.handle().listener("needy").unwrap().consumers, 1);
    bench.service.0.store(true, Relaxed);
    bench.send(&["b"]).await;
    bench.until(EventKind::CircuitClosed).await;
    bench.journal.wait_for("done b", 1).await;
    bench.running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_message_that_alone_is_to_blame_does_not_keep_the_others() {
    let bench = Bench::new(&[]).await;
    bench.service.0.store(true, Relaxed);
    bench.send(&["refused", "a", "b"]).await;
    bench.journal.wait_for("done", 2).await;
    tokio::time::sleep(Duration::from_secs(100)).await;
    bench.send(&["c"]).await;
    bench.journal.wait_for("done", 3).await;
    assert!(bench.journal.matching("call refused").iter().all(|call| call.ends_with(" 1")));
    bench.running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn order_survives_the_pauses_of_an_ordered_listener() {
    for exclusive in [false, true] {
        let settings = [("nonBlockingRedelivery", false), ("exclusive", exclusive)];
        let (broker, journal, service) = (broker(), Journal::default(), Service::default());
        let mut builder =
            on(&broker).listen::<needy>().policy(CAUTIOUS).set("listeners.needy.concurrency", 1);
        for (key, value) in settings {
            builder = builder.set(format!("listeners.needy.{key}"), value);
        }
        let running = start(builder.state(journal.clone()).state(service.clone())).await;
        for body in ["a", "b", "c", "d"] {
            running.publisher().send("work", body).await.unwrap();
        }
        tokio::time::sleep(Duration::from_secs(100)).await;
        service.0.store(true, Relaxed);
        tokio::time::sleep(Duration::from_secs(100)).await;
        assert_eq!(journal.matching("done"), ["done a", "done b", "done c", "done d"]);
        assert!(journal.matching("call").iter().take(4).all(|call| call == "call a 1"));
        running.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_operator_may_resume_pause_and_stop_a_listener_whose_breaker_is_open() {
    let mut bench = Bench::new(&[]).await;
    let handle = bench.running.handle();
    bench.send(&["a"]).await;
    bench.until_open().await;
    bench.service.0.store(true, Relaxed);
    handle.resume("needy").await.unwrap();
    bench.journal.wait_for("done a", 1).await;
    assert_eq!(bench.state(), ListenerState::Running);

    bench.service.0.store(false, Relaxed);
    bench.send(&["b"]).await;
    bench.until_open().await;
    handle.pause("needy").await.unwrap();
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(bench.state(), ListenerState::Paused, "a pause of an operator does not end by itself");
    handle.resume("needy").await.unwrap();
    bench.until_open().await;
    handle.stop("needy").await.unwrap();
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(bench.state(), ListenerState::Stopped);
    bench.service.0.store(true, Relaxed);
    handle.start("needy").await.unwrap();
    bench.journal.wait_for("done b", 1).await;
    bench.running.stop().await;
}
