//! Messages that came back too often, on RabbitMQ: what a process that died leaves behind.

use futures_util::StreamExt;
use hearken::prelude::*;
use hearken::{Application, EventKind, Events};
use hearken_testkit::Journal;
use hearken_tests::broker::{self, Guard};
use lapin::options::{BasicConsumeOptions, BasicQosOptions};
use std::time::Duration;

#[listener(queue = "given by the test")]
async fn innocent(message: Message, info: RedeliveryInfo, State(journal): State<Journal>) {
    let body = String::from_utf8_lossy(message.body()).into_owned();
    journal.write(format!("call {body} {} from {}", info.attempt, info.origin.queue));
}

fn built(application: &str, queue: &str, dead: &str, journal: &Journal) -> Application {
    let builder = Hearken::builder()
        .listen::<innocent>()
        .state(journal.clone())
        .set("transport.url", broker::amqp_url())
        .set("application.name", application)
        .set("container.deadLetter", dead)
        .set("container.recoveryInterval", "1s")
        .set("listeners.innocent.queue", queue);
    builder.build().unwrap()
}

/// Takes everything from the queue and dies with it, so often.
async fn die(queue: &str, times: u32) {
    for _ in 0..times {
        let connection = broker::lapin().await;
        let channel = connection.create_channel().await.unwrap();
        channel.basic_qos(10, BasicQosOptions::default()).await.unwrap();
        let options = BasicConsumeOptions::default();
        let mut consumer =
            channel.basic_consume(queue.into(), "".into(), options, Default::default()).await.unwrap();
        for _ in 0..2 {
            consumer.next().await.unwrap().unwrap();
        }
        connection.close(200, "OK".into()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn suspects_are_handled_alone_and_the_innocent_come_through() {
    let guard = Guard::new();
    let (application, queue, dead) =
        (guard.application("suspects"), guard.queue("work"), guard.queue("dead"));
    guard.keep_queue(format!("hearken.v1.{application}.suspects.innocent"));
    let journal = Journal::default();
    let running = built(&application, &queue, &dead, &journal).start().await.unwrap();
    running.handle().stop("innocent").await.unwrap();
    for body in ["a", "b"] {
        running.publisher().send(&*queue, body).await.unwrap();
    }
    running.stop().await;
    die(&queue, 2).await;
    let application = built(&application, &queue, &dead, &journal);
    let mut events = application.handle().events();
    let running = application.start().await.unwrap();
    journal.wait_for("call", 2).await;
    let mut calls = journal.matching("call");
    calls.sort();
    assert_eq!(calls, [format!("call a 1 from {queue}"), format!("call b 1 from {queue}")]);
    running.stop().await;
    assert_eq!(suspects(&mut events).await, 2);
}

async fn suspects(events: &mut Events) -> usize {
    let mut suspects = 0;
    while let Some(event) = events.next().await {
        suspects += usize::from(matches!(event.kind, EventKind::Suspect { delivery_count: 2, .. }));
    }
    suspects
}
