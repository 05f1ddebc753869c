//! Short words for the chaos tests, and the listener they disturb.
#![allow(dead_code, unreachable_pub)]

pub mod stage;

use hearken::prelude::*;
use hearken::{Builder, Running};
use hearken_tests::chaos::{eventually, within};
use hearken_tests::inspect::Inspector;
use hearken_tests::ledger::Ledger;
use std::time::{Duration, Instant};

/// Longer than anything takes that works, on a machine that is busy with something else.
pub const SOON: Duration = Duration::from_secs(30);
/// `recoveryInterval` of the disturbed services.
pub const RECOVERY: Duration = Duration::from_secs(2);
/// Their `concurrency` and `prefetch`.
pub const CONCURRENCY: u32 = 4;
pub const PREFETCH: usize = 50;
/// The most messages that can be unacknowledged: what a lost link may have handled without being able to say so.
pub const WINDOW: usize = PREFETCH * CONCURRENCY as usize;

/// How long a call of `work` takes.
#[derive(Clone, Copy)]
pub struct Work(pub Duration);

#[listener(queue = "work")]
pub async fn work(message: Message, State(ledger): State<Ledger>, State(work): State<Work>) {
    let id = id(&message);
    ledger.started(id);
    tokio::time::sleep(work.0).await;
    ledger.completed(id);
}

/// The number that `load` gave it.
pub fn id(message: &Message) -> u64 {
    message.id().and_then(|id| id.parse().ok()).expect("a message of the load")
}

/// A service at this address that takes its listener's queue from here.
pub fn service(url: &str, queue: &str, ledger: &Ledger, time: Duration) -> Builder {
    configured(url)
        .listen::<work>()
        .state(ledger.clone())
        .state(Work(time))
        .set("listeners.work.queue", queue)
}

/// What all services here have in common.
pub fn configured(url: &str) -> Builder {
    Hearken::builder()
        .set("application.name", hearken_tests::broker::unique("app"))
        .set("transport.url", url)
        .set("transport.heartbeat", "5s")
        .set("container.recoveryInterval", "2s")
        .set("container.concurrency", CONCURRENCY)
        .set("container.prefetch", PREFETCH as u32)
}

pub async fn start(builder: Builder) -> Running {
    within(SOON, "the start", builder.build().unwrap().start()).await.unwrap()
}

pub async fn stop(running: Running) {
    within(2 * SOON, "the stop", running.stop()).await;
}

/// Waits until all that was confirmed is completed.
pub async fn done(ledger: &Ledger) {
    let wait = tokio::time::timeout(3 * SOON, async {
        while !ledger.is_done() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    assert!(wait.await.is_ok(), "not all is completed: {}", ledger.verdict());
}

/// How long after this moment the next handler call began.
pub async fn next_call(ledger: &Ledger, moment: Instant) -> Duration {
    eventually(SOON, "the next call", async || ledger.first_start_after(moment).is_some()).await;
    ledger.first_start_after(moment).expect("seen").duration_since(moment)
}

/// Waits until a queue has so many consumers: no fewer, and after a while still no more.
pub async fn consumers(inspector: &Inspector, queue: &str, wanted: u32) {
    let what = format!("{wanted} consumers of {queue}");
    eventually(SOON, &what, async || inspector.depth(queue).await.consumers == wanted).await;
    tokio::time::sleep(RECOVERY).await;
    assert_eq!(inspector.depth(queue).await.consumers, wanted);
}
