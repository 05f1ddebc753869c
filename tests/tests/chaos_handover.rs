//! A single active consumer that stops while its successor waits: order spans both, on a real RabbitMQ.

use hearken::prelude::*;
use hearken::{ListenerState, Running};
use hearken_testkit::Journal;
use hearken_tests::chaos::within;
use hearken_tests::vhost::VirtualHost;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

#[listener(queue = "ordered", single_active_consumer = true, prefetch = 10)]
async fn ordered(Text(body): Text, State(journal): State<Journal>, State(name): State<&'static str>) {
    journal.write(format!("begin {body} {name}"));
    tokio::time::sleep(Duration::from_millis(20)).await;
    journal.write(format!("end {body} {name}"));
}

async fn instance(host: &VirtualHost, queue_type: &str, journal: &Journal, name: &'static str) -> Running {
    let builder = Hearken::builder()
        .listen::<ordered>()
        .state(journal.clone())
        .state(name)
        .set("transport.url", host.url())
        .set("transport.queueType", queue_type);
    builder.build().unwrap().start().await.unwrap()
}

async fn hand_over(queue_type: &str) {
    let (host, journal) = (VirtualHost::create().await, Journal::default());
    let mut running = instance(&host, queue_type, &journal, "a").await;
    for body in 0..100 {
        running.publisher().send("ordered", body.to_string().as_str()).await.unwrap();
    }
    for (round, name) in ["b", "c", "d"].into_iter().enumerate() {
        let successor = instance(&host, queue_type, &journal, name).await;
        within(LIMIT, "calls", journal.wait_for("begin", 20 * (round + 1))).await;
        let report = running.stop().await;
        println!("{queue_type}: {report:?}");
        assert!(report.unhandled > 0, "something was buffered");
        running = successor;
    }
    within(LIMIT, "all", journal.wait_for("end 99", 1)).await;
    assert_eq!(running.state("ordered"), Some(ListenerState::Running));
    running.stop().await;
    let lines: Vec<_> =
        journal.lines().iter().map(|line| line.rsplit_once(' ').unwrap().0.to_owned()).collect();
    let expected: Vec<_> =
        (0..100).flat_map(|body| [format!("begin {body}"), format!("end {body}")]).collect();
    assert_eq!(lines, expected, "each once, in order, one after the other");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_successor_begins_where_the_single_active_consumer_ended_on_quorum_queues() {
    hand_over("quorum").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_successor_begins_where_the_single_active_consumer_ended_on_classic_queues() {
    hand_over("classic").await;
}
