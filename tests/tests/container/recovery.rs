//! Lost connections, consumers and queues.

use super::*;
use hearken::EventKind;
use hearken::transport::Topology;

#[tokio::test(start_paused = true)]
async fn a_queue_that_is_deleted_is_declared_and_consumed_again() {
    let (broker, journal) = (broker(), Journal::default());
    let builder = on(&broker).listen::<steady>().state(journal.clone());
    let running = start(builder.set("listeners.steady.concurrency", 4)).await;
    let mut events = running.handle().events();
    tokio::time::sleep(Duration::from_secs(10)).await;
    broker.delete_queue("work");
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert_eq!(running.handle().listener("steady").unwrap().consumers, 4);
    running.publisher().send("work", "good").await.unwrap();
    journal.wait_for("done good", 1).await;
    running.stop().await;
    let mut kinds = Vec::new();
    while let Some(event) = events.next().await {
        kinds.push(match event.kind {
            EventKind::ConsumerCancelled { .. } => "cancelled",
            EventKind::Recovering => "recovering",
            EventKind::Recovered => "recovered",
            EventKind::ConsumerStarted => "started",
            _ => continue,
        });
    }
    let count = |kind| kinds.iter().filter(|found| **found == kind).count();
    assert_eq!((count("cancelled"), count("recovering"), count("recovered"), count("started")), (4, 1, 1, 4));
}

#[tokio::test(start_paused = true)]
async fn a_missing_queue_is_tried_every_recovery_interval_however_many_invokers_want_it() {
    let (broker, journal) = (broker(), Journal::default());
    let transport = EmbeddedTransport::new(broker.clone()).with_topology(Topology::Check);
    let builder = Hearken::builder().transport(Arc::new(transport)).listen::<steady>().state(journal.clone());
    let builder = builder.set("listeners.steady.concurrency", 4);
    let running = start(builder).await;
    let mut events = running.handle().events();
    assert_eq!(running.state("steady"), Some(ListenerState::Starting));
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(!running.state("steady").unwrap().is_consuming());
    broker.declare_queue("work").unwrap();
    broker.declare_queue("ActiveMQ.DLQ").unwrap();
    running.wait_for_state("steady", ListenerState::is_consuming).await;
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert_eq!(running.handle().listener("steady").unwrap().consumers, 4);
    running.stop().await;
    let mut missing = 0;
    while let Some(event) = events.next().await {
        missing += usize::from(matches!(event.kind, EventKind::QueueMissing { .. }));
    }
    assert!((10..=12).contains(&missing), "{missing} tries in 60 s with an interval of 5 s and some jitter");
}

#[tokio::test(start_paused = true)]
async fn a_back_off_that_gives_up_fails_its_listeners_until_one_is_started_again() {
    let (broker, journal) = (broker(), Journal::default());
    broker.refuse_connections(true);
    let builder = on(&broker)
        .listen::<steady>()
        .state(journal.clone())
        .set("container.recoveryInterval", "1s")
        .set("container.maxRecoveryAttempts", 3);
    let running = start(builder).await;
    running.wait_for_state("steady", ListenerState::is_ended).await;
    let ListenerState::Failed { reason } = running.state("steady").unwrap() else { panic!("not failed") };
    assert_eq!(reason, "no connection to embedded: after all attempts");
    broker.refuse_connections(false);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(running.state("steady").unwrap().is_ended(), "nobody asked it to try again");
    running.handle().start("steady").await.unwrap();
    running.wait_for_state("steady", ListenerState::is_consuming).await;
    running.publisher().send("work", "good").await.unwrap();
    journal.wait_for("done good", 1).await;
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn only_a_successful_receive_starts_the_back_off_anew() {
    let (broker, journal) = (broker(), Journal::default());
    let builder = on(&broker)
        .listen::<steady>()
        .state(journal.clone())
        .set("container.receiveTimeout", "1h")
        .set("container.backOff", "exponential")
        .set("container.recoveryInterval", "1s")
        .set("container.recoveryMultiplier", 2.0)
        .set("container.maxRecoveryInterval", "1m");
    let running = start(builder).await;
    // Each connection comes and goes before anything was received on it.
    let mut waits = Vec::new();
    for _ in 0..5 {
        let begin = tokio::time::Instant::now();
        broker.cut_links();
        running.wait_for_state("steady", |state| !state.is_consuming()).await;
        running.wait_for_state("steady", ListenerState::is_consuming).await;
        waits.push(begin.elapsed().as_secs());
    }
    assert_eq!(waits, [1, 2, 4, 8, 16]);
    running.publisher().send("work", "good").await.unwrap();
    journal.wait_for("done good", 1).await;
    let begin = tokio::time::Instant::now();
    broker.cut_links();
    running.wait_for_state("steady", |state| !state.is_consuming()).await;
    running.wait_for_state("steady", ListenerState::is_consuming).await;
    assert_eq!(begin.elapsed().as_secs(), 1);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_missing_queue_fails_the_listener_where_it_is_told_to() {
    let (broker, journal) = (broker(), Journal::default());
    let transport = Arc::new(EmbeddedTransport::new(broker.clone()).with_topology(Topology::Check));
    let builder = || {
        let builder =
            Hearken::builder().transport(transport.clone()).listen::<steady>().state(journal.clone());
        builder.set("listeners.steady.missingQueue", "fail")
    };
    let Err(error) = builder().build().unwrap().start().await else { panic!("it started") };
    assert!(error.to_string().contains("work"), "{error}");
    broker.declare_queue("work").unwrap();
    broker.declare_queue("ActiveMQ.DLQ").unwrap();
    let running = start(builder()).await;
    broker.delete_queue("work");
    running.wait_for_state("steady", ListenerState::is_ended).await;
    assert!(matches!(running.state("steady"), Some(ListenerState::Failed { .. })));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_delivery_that_is_held_too_long_for_the_broker_is_a_failed_attempt_that_the_process_remembers() {
    let (broker, journal) = (broker(), Journal::default());
    let builder = on(&broker).listen::<steady>().state(journal.clone());
    let builder =
        builder.set("redelivery.default.maximumRedeliveries", 1).set("container.recoveryInterval", "100ms");
    let running = start(builder).await;
    running.publisher().send("work", Message::new("slow").with_id("1")).await.unwrap();
    for call in 1..=2 {
        journal.wait_for(&format!("call slow {call}"), 1).await;
        tokio::time::sleep(Duration::from_secs(3)).await;
        broker.time_out_consumers("work");
    }
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(journal.lines(), ["call slow 1", "call slow 2"], "the calls were dropped");
    let letters = broker.peek("ActiveMQ.DLQ");
    assert_eq!(letters[0].headers().text("hearken-error-kind"), Some("timeout"));
    assert!(letters[0].headers().text("hearken-error-text").unwrap().contains("consumer_timeout"));
    running.publisher().send("work", "good").await.unwrap();
    journal.wait_for("done good", 1).await;
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_consumer_lost_during_a_call_is_known_at_once_and_the_late_result_is_dropped() {
    let (broker, journal) = (broker(), Journal::default());
    let running = start(on(&broker).listen::<steady>().state(journal.clone())).await;
    running.publisher().send("work", "slow").await.unwrap();
    journal.wait_for("call slow", 1).await;
    broker.cancel_consumers("work");
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert!(!running.state("steady").unwrap().is_consuming(), "while its only call still runs");
    journal.wait_for("done slow", 2).await;
    assert_eq!(journal.matching("call"), ["call slow 1", "call slow 1"]);
    running.stop().await;
    assert_eq!(broker.queue_depth("work").unwrap().ready, 0);
}

#[tokio::test(start_paused = true)]
async fn an_alarm_degrades_and_is_told_while_consuming_goes_on() {
    let (broker, journal) = (broker(), Journal::default());
    let running = start(on(&broker).listen::<steady>().state(journal.clone())).await;
    let mut events = running.handle().events();
    for body in ["slow", "bad", "good"] {
        running.publisher().send("work", body).await.unwrap();
    }
    broker.alarm(Some("low on memory"));
    running.wait_for_state("steady", |state| matches!(state, ListenerState::Degraded { .. })).await;
    let state = running.state("steady").unwrap().to_string();
    assert_eq!(state, "degraded: the broker takes no messages: low on memory");
    journal.wait_for("done good", 1).await;
    assert!(running.publisher().send("work", "late").await.is_err());
    broker.alarm(None);
    running.wait_for_state("steady", |state| *state == ListenerState::Running).await;
    running.stop().await;
    let mut told = Vec::new();
    while let Some(event) = events.next().await {
        match event.kind {
            EventKind::Blocked { reason } => told.push(reason),
            EventKind::Unblocked => told.push("unblocked".into()),
            _ => {}
        }
    }
    assert_eq!(told, ["low on memory", "unblocked"]);
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_lasted_is_a_success_also_when_nobody_consumes() {
    let (broker, journal) = (broker(), Journal::default());
    let builder = on(&broker)
        .listen::<steady>()
        .state(journal.clone())
        .set("listeners.steady.autoStartup", false)
        .set("container.maxRecoveryAttempts", 3);
    let running = start(builder).await;
    for _ in 0..5 {
        tokio::time::sleep(Duration::from_secs(3_600)).await;
        broker.cut_links();
    }
    tokio::time::sleep(Duration::from_secs(60)).await;
    running.handle().start("steady").await.unwrap();
    running.publisher().send("work", "good").await.unwrap();
    journal.wait_for("done good", 1).await;
    running.stop().await;
}
