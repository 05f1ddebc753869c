//! The container around a listener, on the embedded broker in virtual time.

#[path = "container/breaker.rs"]
mod breaker;
#[path = "container/corners.rs"]
mod corners;
#[path = "container/everything.rs"]
mod everything;
#[path = "container/hooks.rs"]
mod hooks;
#[path = "container/managers.rs"]
mod managers;
#[path = "container/policies.rs"]
mod policies;
#[path = "container/policy_swap.rs"]
mod policy_swap;
#[path = "container/recovery.rs"]
mod recovery;
#[path = "container/rig.rs"]
mod rig;
#[path = "container/scaling.rs"]
mod scaling;
#[path = "container/steering.rs"]
mod steering;
#[path = "container/stopping.rs"]
mod stopping;
#[path = "container/suspects.rs"]
mod suspects;

use hearken::prelude::*;
use hearken::{Builder, ListenerState, Running};
use hearken_embedded::{Broker, EmbeddedTransport, Settings};
use hearken_testkit::Journal;
use std::sync::Arc;
use std::time::Duration;

fn on(broker: &Broker) -> Builder {
    Hearken::builder().transport(Arc::new(EmbeddedTransport::new(broker.clone())))
}

fn broker() -> Broker {
    Broker::new(Settings::default())
}

async fn start(builder: Builder) -> Running {
    builder.build().unwrap().start().await.unwrap()
}

#[listener(queue = "work")]
async fn steady(Text(body): Text, attempt: Attempt, State(journal): State<Journal>) -> Result<(), BoxError> {
    journal.write(format!("call {body} {attempt}"));
    match body.as_str() {
        "slow" => tokio::time::sleep(Duration::from_secs(10)).await,
        "bad" => return Err("as told".into()),
        _ => {}
    }
    journal.write(format!("done {body}"));
    Ok(())
}

#[listener(queue = "work")]
fn plain(Text(body): Text, State(journal): State<Journal>) {
    let thread = std::thread::current().name().unwrap_or_default().to_owned();
    journal.write(format!("{body} on {thread}"));
    if body == "bad" {
        panic!("a plain panic");
    }
}

#[tokio::test]
async fn a_plain_function_runs_on_a_thread_of_its_own_and_may_panic() {
    let (broker, journal) = (broker(), Journal::default());
    let builder = on(&broker).listen::<plain>().state(journal.clone());
    let running = start(builder.set("redelivery.default.maximumRedeliveries", 0)).await;
    for body in ["bad", "good"] {
        running.publisher().send("work", body).await.unwrap();
    }
    journal.wait_for("good", 1).await;
    assert_eq!(journal.lines(), ["bad on hearken-handler", "good on hearken-handler"]);
    running.stop().await;
    let letters = broker.peek("ActiveMQ.DLQ");
    assert_eq!(letters[0].headers().text("hearken-error-text"), Some("a plain panic"));
}

#[tokio::test(start_paused = true)]
async fn a_lost_connection_is_replaced_and_its_messages_come_again() {
    let (broker, journal) = (broker(), Journal::default());
    let running = start(on(&broker).listen::<steady>().state(journal.clone())).await;
    running.publisher().send("work", "slow").await.unwrap();
    journal.wait_for("call slow", 1).await;
    broker.cut_links();
    journal.wait_for("done slow", 2).await;
    // The result of the first call came after the cut: it is dropped, and the second call burns no further attempt.
    assert_eq!(journal.matching("call"), ["call slow 1", "call slow 1"]);
    assert_eq!(running.state("steady"), Some(ListenerState::Running));
    assert_eq!(running.stop().await, hearken::StopReport::default());
    assert_eq!(broker.queue_depth("work").unwrap().ready, 0);
}

#[tokio::test(start_paused = true)]
async fn an_absent_broker_is_tried_again_every_recovery_interval() {
    let (broker, journal) = (broker(), Journal::default());
    broker.refuse_connections(true);
    let begin = tokio::time::Instant::now();
    let running = start(on(&broker).listen::<steady>().state(journal.clone())).await;
    assert_eq!(running.state("steady"), Some(ListenerState::Starting));
    tokio::time::sleep(Duration::from_secs(12)).await;
    broker.refuse_connections(false);
    running.wait_for_state("steady", |state| *state == ListenerState::Running).await;
    let elapsed = begin.elapsed();
    assert!(
        (15_000..=16_500).contains(&elapsed.as_millis()),
        "three intervals of 5 s and a little: {elapsed:?}"
    );
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_listener_without_a_consumer_is_never_running() {
    let (broker, journal) = (broker(), Journal::default());
    let running = start(on(&broker).listen::<steady>().state(journal)).await;
    broker.refuse_connections(true);
    broker.cut_links();
    running.wait_for_state("steady", |state| matches!(state, ListenerState::Recovering { .. })).await;
    broker.refuse_connections(false);
    running.wait_for_state("steady", |state| *state == ListenerState::Running).await;
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_dead_letter_that_the_broker_does_not_take_keeps_its_source_until_it_does() {
    let (broker, journal) = (broker(), Journal::default());
    let running = start(on(&broker).listen::<steady>().state(journal.clone())).await;
    broker.delete_queue("ActiveMQ.DLQ");
    let publisher = running.publisher();
    publisher.send("work", Message::new("bad").with_id("1")).await.unwrap();
    journal.wait_for("call bad", 7).await;
    publisher.send("work", "good").await.unwrap();
    journal.wait_for("done good", 1).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(broker.queue_depth("work").unwrap().unacknowledged, 1, "the source is kept");
    broker.declare_queue("ActiveMQ.DLQ").unwrap();
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert_eq!(broker.peek("ActiveMQ.DLQ").len(), 1);
    assert_eq!(broker.queue_depth("work").unwrap().unacknowledged, 0);
    assert_eq!(journal.matching("call bad").len(), 7, "the handler is not called again meanwhile");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_held_redelivery_is_handed_back_with_its_count_and_the_rest_of_its_wait() {
    let (broker, journal) = (broker(), Journal::default());
    let builder = || {
        on(&broker)
            .listen::<steady>()
            .state(journal.clone())
            .set("container.redeliveryMode", "client")
            .set("redelivery.default.initialRedeliveryDelay", "60s")
    };
    let running = start(builder()).await;
    running.publisher().send("work", "bad").await.unwrap();
    journal.wait_for("call bad 1", 1).await;
    tokio::time::sleep(Duration::from_secs(20)).await;
    let report = running.stop().await;
    assert_eq!((report.held, report.unhandled), (1, 0));
    let stopped = tokio::time::Instant::now();
    let running = start(builder()).await;
    journal.wait_for("call bad 2", 1).await;
    assert_eq!(stopped.elapsed().as_secs(), 40);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_outlives_the_shutdown_timeout_is_dropped_and_its_message_comes_again() {
    let (broker, journal) = (broker(), Journal::default());
    let builder = on(&broker).listen::<steady>().state(journal.clone());
    let running = start(builder.set("container.shutdownTimeout", "2s")).await;
    running.publisher().send("work", "slow").await.unwrap();
    journal.wait_for("call slow", 1).await;
    let begin = tokio::time::Instant::now();
    let report = running.stop().await;
    assert_eq!((report.aborted, report.stuck), (1, 0));
    assert_eq!(begin.elapsed().as_secs(), 2);
    assert_eq!(broker.queue_depth("work").unwrap().ready, 1);
    assert_eq!(journal.matching("done").len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_running_call_ends_before_the_stop_does() {
    let (broker, journal) = (broker(), Journal::default());
    let running = start(on(&broker).listen::<steady>().state(journal.clone())).await;
    for body in ["slow", "next"] {
        running.publisher().send("work", body).await.unwrap();
    }
    journal.wait_for("call slow", 1).await;
    let report = running.stop().await;
    assert_eq!(journal.lines(), ["call slow 1", "done slow"]);
    assert_eq!((report.unhandled, report.aborted), (1, 0));
    assert_eq!(broker.queue_depth("work").unwrap().ready, 1);
}

#[tokio::test(start_paused = true)]
async fn as_many_calls_run_at_once_as_the_concurrency_says() {
    let (broker, journal) = (broker(), Journal::default());
    let builder = on(&broker).listen::<steady>().state(journal.clone());
    let running = start(builder.set("listeners.steady.concurrency", 3)).await;
    for _ in 0..4 {
        running.publisher().send("work", "slow").await.unwrap();
    }
    journal.wait_for("call", 3).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(journal.matching("call").len(), 3);
    journal.wait_for("call", 4).await;
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn nothing_that_was_held_is_called_across_a_lost_connection() {
    let (broker, journal) = (broker(), Journal::default());
    let builder = on(&broker).listen::<steady>().state(journal.clone());
    let builder = builder
        .set("listeners.steady.nonBlockingRedelivery", false)
        .set("redelivery.default.initialRedeliveryDelay", "60s");
    let running = start(builder).await;
    running.publisher().send("work", "bad").await.unwrap();
    journal.wait_for("call bad 1", 1).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    broker.refuse_connections(true);
    broker.cut_links();
    tokio::time::sleep(Duration::from_secs(120)).await;
    assert_eq!(journal.matching("call"), ["call bad 1"], "the hold died with its connection");
    broker.refuse_connections(false);
    journal.wait_for("call bad 1", 2).await;
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_listener_that_does_not_start_by_itself_is_stopped() {
    let (broker, journal) = (broker(), Journal::default());
    let builder = on(&broker).listen::<steady>().state(journal);
    let running = start(builder.set("listeners.steady.autoStartup", false)).await;
    assert_eq!(running.state("steady"), Some(ListenerState::Stopped));
    assert_eq!(running.state("nobody"), None);
    running.stop().await;
}
