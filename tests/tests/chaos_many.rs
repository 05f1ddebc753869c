//! A thousand listeners in one process, and a broker that goes away and comes back: B20, small.

mod chaos_support;

use chaos_support::SOON;
use hearken::listener::{
    AttributeOption, AttributeValue, Handler, Listener, ListenerDescriptor, Requirements,
};
use hearken::{Builder, Running};
use hearken_core::BoxFuture;
use hearken_core::call::Call;
use hearken_core::outcome::Outcome;
use hearken_tests::chaos::{eventually, within};
use hearken_tests::node::{Lease, SETTLED};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

struct Many<const N: usize>;

impl<const N: usize> Listener for Many<N> {
    fn descriptor() -> &'static ListenerDescriptor {
        let id = format!("l{N:03}").leak();
        let queue =
            AttributeOption { key: "queue", value: AttributeValue::Text(format!("many.{N:03}").leak()) };
        Box::leak(Box::new(ListenerDescriptor {
            id,
            function: "count",
            module_path: module_path!(),
            file: file!(),
            line: line!(),
            column: column!(),
            description: "",
            core_version: hearken_core::VERSION,
            options: Box::leak(Box::new([queue])),
            requirements: |_: &mut Requirements| {},
            handler: Handler::Async(count),
        }))
    }
}

#[derive(Clone, Default)]
struct Count(Arc<AtomicUsize>);

fn count(call: &Call) -> BoxFuture<'_, Outcome> {
    if let Some(count) = call.states.get::<Count>() {
        count.0.fetch_add(1, Ordering::Relaxed);
    }
    Box::pin(std::future::ready(Outcome::Acknowledge))
}

macro_rules! listen {
    ($builder:expr, $hundred:literal, $ten:literal, $($one:literal)*) => {
        $builder$(.listen::<Many<{ $hundred * 100 + $ten * 10 + $one }>>())*
    };
    ($builder:expr, $hundred:literal, [$($ten:literal)*]) => {{
        let builder = $builder;
        $(let builder = listen!(builder, $hundred, $ten, 0 1 2 3 4 5 6 7 8 9);)*
        builder
    }};
    ($builder:expr, [$($hundred:literal)*]) => {{
        let builder = $builder;
        $(let builder = listen!(builder, $hundred, [0 1 2 3 4 5 6 7 8 9]);)*
        builder
    }};
}

fn a_thousand(builder: Builder) -> Builder {
    listen!(builder, [0 1 2 3 4 5 6 7 8 9])
}

fn consuming(running: &Running) -> usize {
    running.handle().listeners().iter().filter(|listener| listener.state.is_consuming()).count()
}

async fn all_consume(running: &Running) -> Duration {
    eventually(4 * SOON, "all listeners", async || consuming(running) == 1_000).await
}

async fn one_for_each(running: &Running, count: &Count) {
    let before = count.0.load(Ordering::Relaxed);
    let publisher = running.publisher();
    for queue in 0..1_000 {
        publisher.send(format!("many.{queue:03}").as_str(), "x").await.unwrap();
    }
    eventually(SOON, "a call of each", async || count.0.load(Ordering::Relaxed) >= before + 1_000).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_listeners_come_back_together_after_the_broker_did() {
    let node = Lease::take().await;
    let count = Count::default();
    let builder = a_thousand(chaos_support::configured(node.url()))
        .state(count.clone())
        .set("container.concurrency", 1)
        .set("transport.queueType", "classic");
    let begin = Instant::now();
    let running = within(4 * SOON, "the start", builder.build().unwrap().start()).await.unwrap();
    let up = begin.elapsed();
    all_consume(&running).await;
    one_for_each(&running, &count).await;
    tokio::time::sleep(SETTLED).await;

    node.stop().await;
    eventually(SOON, "the loss", async || consuming(&running) == 0).await;
    let (_, answered) = tokio::join!(node.up(), within(2 * SOON, "an answer", node.answers()));
    all_consume(&running).await;
    let recovery = answered.elapsed();
    one_for_each(&running, &count).await;
    println!("B20 1,000 listeners: up in {up:.1?}, all consuming {recovery:.1?} after the broker answered");
    let begin = Instant::now();
    within(2 * SOON, "the stop", running.stop()).await;
    println!("B20 stopped in {:.1?}", begin.elapsed());
}
