//! Messages that came back too often, on RabbitMQ: what a process that died leaves behind.

use futures_util::StreamExt;
use hearken::prelude::*;
use hearken::{Application, Builder, EventKind, Events};
use hearken_testkit::Journal;
use hearken_tests::broker::{self, Guard};
use hearken_tests::captured::Captured;
use lapin::options::{BasicConsumeOptions, BasicQosOptions};
use std::time::Duration;

#[listener(queue = "given by the test")]
async fn innocent(message: Message, info: RedeliveryInfo, State(journal): State<Journal>) {
    let body = String::from_utf8_lossy(message.body()).into_owned();
    journal.write(format!("call {body} {} from {}", info.attempt, info.origin.queue));
}

fn built(application: &str, queue: &str, dead: &str, journal: &Journal) -> Application {
    builder(application, queue, dead, journal).build().unwrap()
}

fn builder(application: &str, queue: &str, dead: &str, journal: &Journal) -> Builder {
    Hearken::builder()
        .listen::<innocent>()
        .state(journal.clone())
        .set("transport.url", broker::amqp_url())
        .set("application.name", application)
        .set("container.deadLetter", dead)
        .set("container.recoveryInterval", "1s")
        .set("listeners.innocent.queue", queue)
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

/// B06.
#[tokio::test(flavor = "multi_thread")]
async fn a_listener_whose_crash_loops_have_no_end_is_told_once_at_its_start() {
    let guard = Guard::new();
    let captured = Captured::default();
    let subscriber = tracing_subscriber::fmt().with_writer(captured.clone()).with_ansi(false).finish();
    let _default = tracing::subscriber::set_default(subscriber);
    let cases: [(&str, &str, bool); 5] = [
        ("listeners.innocent.queueType", "quorum", false),
        ("listeners.innocent.queueType", "classic", true),
        // In order, nothing is taken aside.
        ("listeners.innocent.nonBlockingRedelivery", "false", true),
        // Gone with the process.
        ("listeners.innocent.autoDelete", "true", false),
        ("listeners.innocent.concurrency", "2", false),
    ];
    let mut warnings = 0;
    for (key, value, told) in cases {
        let (application, queue) = (guard.application("loops"), guard.queue("loops"));
        guard.keep_queue(format!("hearken.v1.{application}.suspects.innocent"));
        let application = builder(&application, &queue, &guard.queue("dead"), &Journal::default());
        let application = application.set(key, value).build().unwrap();
        let mut events = application.handle().events();
        application.start().await.unwrap().stop().await;
        let mut reasons = Vec::new();
        while let Some(event) = events.next().await {
            if let EventKind::CrashLoopsUnbounded { reason } = event.kind {
                reasons.push(reason);
            }
        }
        assert_eq!(reasons.len(), usize::from(told), "{key} = {value}: {reasons:?}");
        warnings += usize::from(told);
        let text = captured.text();
        let logged: Vec<_> =
            text.lines().filter(|line| line.contains("handed out again without end")).collect();
        assert_eq!(logged.len(), warnings, "{key} = {value}: {text}");
        assert!(logged.iter().all(|line| line.contains("WARN") && line.contains("innocent")), "{text}");
    }
}
