//! The consumer's process ends, in order or not: what it had in work comes again, and nothing else does.

mod chaos_support;

use chaos_support::stage::Stage;
use chaos_support::{CONCURRENCY, SOON, WINDOW, consumers};
use hearken_tests::broker;
use hearken_tests::chaos::{eventually, pick};
use hearken_tests::inspect::Inspector;
use hearken_tests::ledger::Ledger;
use hearken_tests::load::Load;
use hearken_tests::proxy::{Door, Ending, Proxy};
use std::time::{Duration, Instant};

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_consumer_loses_nothing_and_repeats_no_more_than_it_had_in_hand() {
    let mut stage = Stage::new().await;
    let work = Duration::from_millis(5);
    let mut consumer = stage.consumer(work, &[]);
    eventually(SOON, "the queue", async || consumer.log().contains("listener is running")).await;
    let load = Load::new(&stage.url, &stage.queue, 1_024, stage.ledger.clone()).run(300);
    let (kills, mut slowest) = (pick(5, 20), Duration::ZERO);
    for _ in 0..kills {
        stage.calls(50).await;
        tokio::time::sleep(Duration::from_millis(fastrand::u64(..500))).await;
        consumer.kill();
        stage.calls(0).await;
        consumer = stage.consumer(work, &[]);
        slowest = slowest.max(stage.calls(1).await);
    }
    load.stop().await;
    stage.until("all to be completed", Ledger::is_done).await;
    let verdict = stage.ledger.verdict();
    let repeated = verdict.calls - verdict.completed.len();
    println!("B05 {kills} kills: {verdict}; calls repeated {repeated}, slowest new process {slowest:.1?}");
    assert!(verdict.lost.is_empty() && verdict.unexpected.is_empty(), "{verdict}");
    assert!(verdict.duplicates() <= kills * WINDOW && repeated <= kills * WINDOW, "{verdict}");
    assert!(slowest < Duration::from_secs(15), "{slowest:?}");
    let inspector = Inspector::connect(&stage.url).await;
    consumers(&inspector, &stage.queue, CONCURRENCY).await;
    inspector.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_unfinished_at_the_deadline_of_a_stop_is_handled_by_the_next_process() {
    let mut stage = Stage::new().await;
    // One message for each consumer: the others wait in the queue.
    let settings = [("container.shutdownTimeout", "1s"), ("container.prefetch", "1")];
    let mut first = stage.consumer(Duration::from_secs(30), &settings);
    eventually(SOON, "the queue", async || first.log().contains("listener is running")).await;
    Load::new(&stage.url, &stage.queue, 10, stage.ledger.clone()).send(6).await;
    stage.until("four calls", |ledger| ledger.starts() == 4).await;
    let begin = Instant::now();
    first.terminate();
    let status = first.wait(SOON).await;
    let took = begin.elapsed();
    assert!(status.success(), "{status}\n{}", first.log());
    let _second = stage.consumer(Duration::ZERO, &settings);
    stage.until("all to be completed", Ledger::is_done).await;
    let verdict = stage.ledger.verdict();
    println!("V17 stopped in {took:.1?} of 1 s; {verdict}");
    // Four calls that did not end, and six in the next process.
    assert_eq!((verdict.calls, verdict.duplicates(), verdict.lost.len()), (10, 0, 0), "{verdict}");
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_a_process_that_waits_for_its_broker_at_once() {
    let mut stage = Stage::new().await;
    let proxy = Proxy::start(broker::amqp_address()).await;
    stage.url = stage.url.replace(&broker::amqp_address(), &proxy.address());
    let mut consumer = stage.consumer(Duration::ZERO, &[("container.recoveryInterval", "5m")]);
    eventually(SOON, "the queue", async || consumer.log().contains("listener is running")).await;
    proxy.door(Door::Closed).await;
    proxy.end(Ending::Reset).await;
    eventually(SOON, "the loss", async || consumer.log().contains("listener is recovering")).await;
    let begin = Instant::now();
    consumer.terminate();
    let status = consumer.wait(SOON).await;
    let took = begin.elapsed();
    println!("V16 ended in {took:.1?}");
    assert!(status.success(), "{status}\n{}", consumer.log());
    assert!(took < Duration::from_secs(10), "{took:?}");
}
