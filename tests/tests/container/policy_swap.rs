//! Another redelivery policy for a running listener.

use super::*;
use hearken::HandleError;
use hearken::redelivery::{Condition, RedeliveryPolicy, Response, Rule};

const ONCE: RedeliveryPolicy =
    RedeliveryPolicy::new("once").maximum_redeliveries(1).initial_redelivery_delay(100);

async fn bench() -> (Broker, Journal, Running) {
    let (broker, journal) = (broker(), Journal::default());
    let builder = on(&broker).listen::<steady>().state(journal.clone());
    let builder = builder.set("redelivery.default.maximumRedeliveries", -1);
    (broker, journal, start(builder).await)
}

#[tokio::test(start_paused = true)]
async fn a_new_policy_holds_from_the_next_delivery_on() {
    let (broker, journal, running) = bench().await;
    running.publisher().send("work", "bad").await.unwrap();
    tokio::time::sleep(Duration::from_millis(4_500)).await;
    assert_eq!(journal.matching("call bad").len(), 5, "without a limit");
    let handle = running.handle();
    handle.set_policy("steady", ONCE).unwrap();
    assert_eq!(handle.listener("steady").unwrap().policy.name, "once");
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(journal.matching("call bad").len(), 5, "over the new limit before the call");
    let letters = broker.peek("ActiveMQ.DLQ");
    assert_eq!(letters[0].headers().text("hearken-policy"), Some("once"));
    assert_eq!(letters[0].headers().integer("hearken-attempts"), Some(5));
    running.publisher().send("work", "bad").await.unwrap();
    tokio::time::sleep(Duration::from_millis(150)).await;
    assert_eq!(journal.matching("call bad").len(), 7);
    assert_eq!(broker.peek("ActiveMQ.DLQ").len(), 2);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn without_the_check_before_dispatch_the_handler_is_called_once_more() {
    let (broker, journal, running) = bench().await;
    running.publisher().send("work", "bad").await.unwrap();
    tokio::time::sleep(Duration::from_millis(4_500)).await;
    running.handle().set_policy("steady", ONCE.pre_dispatch_check(false)).unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(journal.matching("call bad").len(), 6);
    assert_eq!(broker.peek("ActiveMQ.DLQ")[0].headers().integer("hearken-attempts"), Some(6));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_running_call_is_judged_by_the_policy_it_began_with() {
    let (broker, journal, running) = bench().await;
    for body in ["slow", "bad"] {
        running.publisher().send("work", body).await.unwrap();
    }
    running.handle().set_policy("steady", ONCE.maximum_redeliveries(0)).unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    // The one invoker was in its first call when the policy came: the second delivery has it.
    assert_eq!(journal.matching("call bad").len(), 1);
    assert_eq!(broker.peek("ActiveMQ.DLQ").len(), 1);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_policy_with_an_unknown_predicate_is_refused_with_the_nearest_name() {
    let broker = broker();
    let builder = on(&broker).listen::<steady>().state(Journal::default());
    let running =
        start(builder.failure_predicate("is_throttled", |failure| failure.text().contains("429"))).await;
    let throttled = |name| {
        let condition = Condition::Predicate(std::borrow::Cow::Borrowed(name));
        ONCE.ruled(vec![Rule::new(condition, Response::DeadLetter)])
    };
    let handle = running.handle();
    handle.set_policy("steady", throttled("is_throttled")).unwrap();
    let error = handle.set_policy("steady", throttled("is_throtled")).unwrap_err();
    assert!(matches!(&error, HandleError::UnknownPredicate { .. }));
    assert_eq!(
        error.to_string(),
        "the policy `once` cannot be given to listener `steady`: there is no predicate `is_throtled`; did you mean `is_throttled`?"
    );
    running.stop().await;
}
