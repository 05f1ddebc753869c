//! Hooks hear of failures, once each, and change nothing.

use super::*;
use hearken::FailureDecision;

fn with_hooks(broker: &Broker, journal: &Journal) -> Builder {
    let (deliveries, infrastructure) = (journal.clone(), journal.clone());
    on(broker)
        .listen::<steady>()
        .state(journal.clone())
        .error_handler("alerts", move |failed| {
            let decision = match failed.decision {
                FailureDecision::Redeliver { after } => format!("again in {after:?}"),
                FailureDecision::DeadLetter { exhausted } => format!("dead letter, exhausted: {exhausted}"),
                _ => unreachable!(),
            };
            let (listener, attempt, failure) = (failed.listener, failed.attempt, failed.failure.text());
            deliveries.write(format!("hook {listener} {attempt} {failure}: {decision}"));
            panic!("a failing hook breaks nothing");
        })
        .exception_listener("pager", move |failure| {
            infrastructure.write(format!("pager {:?} {}", failure.listener, failure.error));
            panic!("a failing hook breaks nothing");
        })
        .set("container.errorHandler", "alerts")
        .set("listeners.steady.exceptionListener", "pager")
        .set("redelivery.default.maximumRedeliveries", 1)
}

#[tokio::test(start_paused = true)]
async fn an_error_handler_hears_of_each_failed_call_and_what_was_decided() {
    let (broker, journal) = (broker(), Journal::default());
    let running = start(with_hooks(&broker, &journal)).await;
    running.publisher().send("work", "bad").await.unwrap();
    journal.wait_for("hook", 2).await;
    running.publisher().send("work", "good").await.unwrap();
    journal.wait_for("done good", 1).await;
    running.stop().await;
    let expected =
        ["hook steady 1 as told: again in 1s", "hook steady 2 as told: dead letter, exhausted: true"];
    assert_eq!(journal.matching("hook"), expected);
    assert_eq!(broker.peek("ActiveMQ.DLQ").len(), 1);
    assert_eq!(journal.matching("pager").len(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_exception_listener_hears_once_of_a_lost_connection_and_once_of_each_lost_consumer() {
    let (broker, journal) = (broker(), Journal::default());
    let builder = with_hooks(&broker, &journal).set("listeners.steady.concurrency", 2);
    let running = start(builder).await;
    broker.cut_links();
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!(
        journal.matching("pager"),
        ["pager None the connection to the embedded broker was cut, as it was told to be"]
    );
    broker.delete_queue("work");
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!(journal.matching("pager Some(\"steady\")").len(), 2);
    running.publisher().send("work", "good").await.unwrap();
    journal.wait_for("done good", 1).await;
    running.stop().await;
}

#[test]
fn a_hook_that_nobody_registered_is_named_with_the_nearest_one() {
    let broker = broker();
    let builder = with_hooks(&broker, &Journal::default()).set("listeners.steady.errorHandler", "alert");
    let Err(error) = builder.build() else { panic!("expected a problem") };
    let text = error.to_string();
    assert!(text.contains("`alert`") && text.contains("did you mean `alerts`"), "{text}");
}
