//! Corners of the lifecycle: orders that meet failures, reconnects and each other.

use super::rig::Rig;
use super::*;
use hearken::EventKind;
use hearken::transport::Notice;
use hearken::{Concurrency, Handle};

fn state(running: &Running) -> ListenerState {
    running.state("steady").unwrap()
}

async fn seconds(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

#[tokio::test(start_paused = true)]
async fn a_resume_while_it_still_pauses_is_obeyed_when_it_has_paused() {
    let (broker, journal) = (broker(), Journal::default());
    let running = start(on(&broker).listen::<steady>().state(journal.clone())).await;
    running.publisher().send("work", "slow").await.unwrap();
    journal.wait_for("call slow", 1).await;
    let handle = running.handle();
    let pausing = tokio::spawn(async move { handle.pause("steady").await });
    seconds(1).await;
    running.handle().resume("steady").await.unwrap();
    pausing.await.unwrap().unwrap();
    seconds(1).await;
    assert_eq!(state(&running), ListenerState::Running);
    running.publisher().send("work", "good").await.unwrap();
    journal.wait_for("done good", 1).await;
    running.stop().await;
}

#[listener(queue = "orders")]
async fn restarts(State(handle): State<Handle>, State(journal): State<Journal>) {
    journal.write("call");
    handle.stop("restarts").await.unwrap();
    handle.start("restarts").await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_handler_may_restart_its_own_listener() {
    let (broker, journal) = (broker(), Journal::default());
    let running = start(on(&broker).listen::<restarts>().state(journal.clone())).await;
    for call in 1..=3 {
        running.publisher().send("orders", "x").await.unwrap();
        journal.wait_for("call", call).await;
        seconds(1).await;
        assert_eq!(running.state("restarts"), Some(ListenerState::Running));
    }
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_listener_that_had_failed_and_was_started_again_keeps_its_calls() {
    let (broker, journal) = (broker(), Journal::default());
    let rig = Rig::new(&broker);
    rig.set(|faults| faults.consumers = Some(0));
    let builder = rig.builder().listen::<steady>().state(journal.clone());
    let builder = builder.set("container.recoveryInterval", "1s").set("container.maxRecoveryAttempts", 2);
    let running = start(builder).await;
    running.wait_for_state("steady", ListenerState::is_ended).await;
    rig.set(|faults| faults.consumers = None);
    running.handle().start("steady").await.unwrap();
    for _ in 0..8 {
        running.publisher().send("work", "slow").await.unwrap();
    }
    seconds(100).await;
    assert_eq!((journal.matching("call").len(), journal.matching("done").len()), (8, 8));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_lane_of_an_old_connection_does_not_close_the_one_of_the_new() {
    let (broker, journal) = (broker(), Journal::default());
    let rig = Rig::new(&broker);
    broker.declare_queue("suspects.steady").unwrap();
    let running = start(rig.builder().listen::<steady>().state(journal.clone())).await;
    running.publisher().send("suspects.steady", "slow").await.unwrap();
    journal.wait_for("call slow", 1).await;
    broker.cut_links();
    seconds(60).await;
    // The second call began after the first had ended, and there is one consumer of the suspects.
    for _ in 0..3 {
        running.publisher().send("suspects.steady", "slow").await.unwrap();
    }
    let calls = journal.matching("call").len();
    seconds(1).await;
    assert_eq!(journal.matching("call").len(), calls + 1, "one at a time");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_stop_does_not_wait_for_a_lane_that_will_not_open() {
    let (broker, journal) = (broker(), Journal::default());
    let rig = Rig::new(&broker);
    rig.set(|faults| faults.no_suspects = true);
    broker.declare_queue("work").unwrap();
    for _ in 0..3 {
        // Processes that end with the message in hand.
        let running = start(rig.builder().listen::<steady>().state(journal.clone())).await;
        if journal.lines().is_empty() {
            running.publisher().send("work", "slow").await.unwrap();
        }
        seconds(1).await;
        drop(running);
        seconds(1).await;
    }
    let running = start(rig.builder().listen::<steady>().state(journal.clone())).await;
    seconds(1).await;
    let begin = tokio::time::Instant::now();
    let report = running.stop().await;
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
    assert_eq!(report.aborted, 0);
    assert_eq!(broker.queue_depth("work").unwrap().ready, 1);
}

#[tokio::test(start_paused = true)]
async fn a_copy_that_waits_no_more_is_no_trouble_any_more() {
    let (broker, journal) = (broker(), Journal::default());
    let builder = on(&broker).listen::<steady>().state(journal.clone());
    let running = start(builder.set("redelivery.default.maximumRedeliveries", 0)).await;
    broker.delete_queue("ActiveMQ.DLQ");
    running.publisher().send("work", "bad").await.unwrap();
    seconds(1).await;
    assert!(matches!(state(&running), ListenerState::Degraded { .. }));
    // It is gone, with its original.
    broker.delete_queue("work");
    seconds(20).await;
    assert_eq!(state(&running), ListenerState::Running);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn one_copy_that_was_taken_does_not_hide_another_that_was_not() {
    let (broker, journal) = (broker(), Journal::default());
    let builder = on(&broker).listen::<steady>().state(journal.clone());
    let builder = builder.set("redelivery.default.maximumRedeliveries", 1);
    let running = start(builder.set("container.redeliveryMode", "broker")).await;
    let mut events = running.handle().events();
    broker.delete_queue("ActiveMQ.DLQ");
    for _ in 0..3 {
        running.publisher().send("work", "bad").await.unwrap();
        seconds(3).await;
        assert!(matches!(state(&running), ListenerState::Degraded { .. }), "{:?}", state(&running));
    }
    running.stop().await;
    let mut degraded = 0;
    while let Some(event) = events.next().await {
        degraded += usize::from(matches!(event.kind, EventKind::Degraded { .. }));
    }
    assert_eq!(degraded, 1);
}

#[tokio::test(start_paused = true)]
async fn the_only_consumer_is_not_given_up_for_one_that_is_still_being_opened() {
    let (broker, journal) = (broker(), Journal::default());
    let rig = Rig::new(&broker);
    let running = start(rig.builder().listen::<steady>().state(journal.clone())).await;
    rig.set(|faults| (faults.slow, faults.consumers) = (Duration::from_secs(2), Some(0)));
    running.handle().scale("steady", Concurrency::fixed(2).unwrap()).await.unwrap();
    seconds(1).await;
    running.handle().scale("steady", Concurrency::ONE).await.unwrap();
    for _ in 0..10 {
        seconds(1).await;
        assert!(state(&running).is_consuming(), "{:?}", state(&running));
    }
    assert_eq!(state(&running), ListenerState::Running, "none is missing");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_only_consumer_there_is_does_not_leave_for_idleness() {
    let (broker, journal) = (broker(), Journal::default());
    let rig = Rig::new(&broker);
    let builder = rig.builder().listen::<steady>().state(journal.clone());
    let running = start(builder.set("listeners.steady.concurrency", "1-4")).await;
    running.handle().scale("steady", Concurrency::fixed(4).unwrap()).await.unwrap();
    seconds(1).await;
    rig.set(|faults| faults.consumers = Some(1));
    broker.cut_links();
    seconds(10).await;
    running.handle().scale("steady", Concurrency::new(1, 4).unwrap()).await.unwrap();
    for _ in 0..60 {
        seconds(1).await;
        assert!(state(&running).is_consuming(), "{:?}", state(&running));
    }
    let status = running.handle().listener("steady").unwrap();
    assert_eq!((status.state, status.consumers, status.invokers), (ListenerState::Running, 1, 1));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_listener_that_is_resumed_while_the_broker_is_blocked_is_degraded() {
    let (broker, journal) = (broker(), Journal::default());
    let rig = Rig::new(&broker);
    let running = start(rig.builder().listen::<steady>().state(journal.clone())).await;
    rig.say.send(Notice::Blocked { reason: "low on memory".into() }).unwrap();
    running.wait_for_state("steady", |state| matches!(state, ListenerState::Degraded { .. })).await;
    running.handle().pause("steady").await.unwrap();
    running.handle().resume("steady").await.unwrap();
    seconds(1).await;
    assert!(matches!(state(&running), ListenerState::Degraded { .. }));
    rig.say.send(Notice::Unblocked).unwrap();
    running.wait_for_state("steady", |state| *state == ListenerState::Running).await;
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_report_of_a_stop_tells_of_that_stop_only() {
    let (broker, journal) = (broker(), Journal::default());
    let builder = on(&broker).listen::<steady>().state(journal.clone());
    let running = start(builder.set("listeners.steady.concurrency", 3)).await;
    for _ in 0..9 {
        running.publisher().send("work", "slow").await.unwrap();
    }
    journal.wait_for("call slow", 3).await;
    running.handle().scale("steady", Concurrency::ONE).await.unwrap();
    journal.wait_for("done slow", 9).await;
    seconds(1).await;
    assert_eq!(running.stop().await, hearken::StopReport::default());
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_a_state_neither_keeps_a_listener_alive_nor_waits_for_ever() {
    let (broker, journal) = (broker(), Journal::default());
    let running = start(on(&broker).listen::<steady>().state(journal.clone())).await;
    let handle = running.handle();
    let waiting = tokio::spawn(async move { handle.wait_for_state("steady", ListenerState::is_ended).await });
    seconds(1).await;
    drop(running);
    seconds(1).await;
    tokio::time::timeout(Duration::from_secs(60), waiting).await.unwrap().unwrap();
}

#[listener(queue = "orders")]
async fn stops(State(handle): State<Handle>, State(journal): State<Journal>) {
    seconds(1).await;
    let stopping = handle.clone();
    tokio::spawn(async move {
        let report = stopping.stop("stops").await.unwrap();
        journal.write(format!("{} finished, {} unhandled", report.finished, report.unhandled));
    });
    // The call ends in the moment in which the order arrives.
    while handle.state("stops") != Some(ListenerState::Draining) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_buffered_when_the_stop_begins_is_in_its_report() {
    let (broker, journal) = (broker(), Journal::default());
    let running = start(on(&broker).listen::<stops>().state(journal.clone())).await;
    for _ in 0..4 {
        running.publisher().send("orders", "x").await.unwrap();
    }
    journal.wait_for("1 finished", 1).await;
    assert_eq!(journal.lines(), ["1 finished, 3 unhandled"]);
    assert_eq!(broker.queue_depth("orders").unwrap().ready, 3);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_start_after_the_connection_was_given_up_resolves() {
    let (broker, journal) = (broker(), Journal::default());
    broker.refuse_connections(true);
    let builder = on(&broker).listen::<steady>().state(journal.clone());
    let running = start(builder.set("container.maxRecoveryAttempts", 1)).await;
    running.wait_for_state("steady", ListenerState::is_ended).await;
    for _ in 0..3 {
        seconds(60).await;
        let start = running.handle();
        tokio::time::timeout(Duration::from_secs(60), start.start("steady")).await.unwrap().unwrap();
    }
    seconds(60).await;
    broker.refuse_connections(false);
    running.handle().start("steady").await.unwrap();
    seconds(10).await;
    assert_eq!(state(&running), ListenerState::Running);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn idle_invokers_notice_that_they_may_leave_now() {
    let (broker, journal) = (broker(), Journal::default());
    let builder = on(&broker).listen::<steady>().state(journal.clone());
    let running = start(builder.set("listeners.steady.concurrency", 4)).await;
    seconds(60).await;
    running.handle().scale("steady", Concurrency::new(1, 4).unwrap()).await.unwrap();
    seconds(60).await;
    assert_eq!(running.handle().listener("steady").unwrap().invokers, 1);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_proved_connection_that_is_lost_is_tried_at_least_once() {
    let (broker, journal) = (broker(), Journal::default());
    let builder = on(&broker).listen::<steady>().state(journal.clone());
    let running = start(builder.set("container.maxRecoveryAttempts", 1)).await;
    for _ in 0..3 {
        seconds(10).await;
        broker.cut_links();
        seconds(10).await;
        assert_eq!(state(&running), ListenerState::Running);
    }
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_suspect_that_goes_back_because_no_copy_is_taken_has_not_ended_a_process() {
    let (broker, journal) = (broker(), Journal::default());
    let rig = Rig::new(&broker);
    broker.declare_queue("suspects.steady").unwrap();
    let builder = rig.builder().listen::<steady>().state(journal.clone());
    let running = start(builder.set("redelivery.default.maximumRedeliveries", 1)).await;
    rig.set(|faults| faults.no_copies = true);
    running.publisher().send("suspects.steady", "bad").await.unwrap();
    journal.wait_for("call bad", 1).await;
    for _ in 0..3 {
        running.handle().pause("steady").await.unwrap();
        running.handle().resume("steady").await.unwrap();
        seconds(10).await;
    }
    assert_eq!(journal.matching("call bad 2").len(), 0, "{:?}", journal.lines());
    running.stop().await;
}

#[listener(queue = "work", concurrency = 2)]
async fn slow_at_first(State(journal): State<Journal>) {
    journal.write("call");
    if journal.lines().len() == 1 {
        seconds(50).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_of_a_lost_connection_leaves_before_a_live_consumer_does() {
    let (broker, journal) = (broker(), Journal::default());
    let running = start(on(&broker).listen::<slow_at_first>().state(journal.clone())).await;
    seconds(8).await;
    running.publisher().send("work", "x").await.unwrap();
    journal.wait_for("call", 1).await;
    broker.cut_links();
    journal.wait_for("call", 2).await;
    let status = || running.handle().listener("slow_at_first").unwrap();
    assert_eq!(status().consumers, 1, "one place is taken by the old call");
    running.handle().scale("slow_at_first", Concurrency::ONE).await.unwrap();
    seconds(1).await;
    assert_eq!((status().state, status().consumers), (ListenerState::Running, 1));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn nothing_is_left_of_an_application_that_has_ended() {
    for ordered in [true, false] {
        let (broker, journal, witness) = (broker(), Journal::default(), Arc::new(()));
        let builder = on(&broker).listen::<steady>().state(journal.clone()).state(Arc::clone(&witness));
        let running = start(builder).await;
        let handle = running.handle();
        handle.register::<stops>().await.unwrap();
        running.publisher().send("work", "slow").await.unwrap();
        journal.wait_for("call slow", 1).await;
        if ordered {
            running.stop().await;
        } else {
            drop(running);
        }
        seconds(1).await;
        assert_eq!(Arc::strong_count(&witness), 1, "ordered: {ordered}");
        assert!(handle.register::<stops>().await.is_err());
    }
}
