use super::rabbitmq_support::{body, drain, link, receive, send, subscribe};
use super::settings;
use hearken_core::delivery::Settlement;
use hearken_core::message::Message;
use hearken_core::session::Destination;
use hearken_core::transport::{Link, Notice, Outgoing, PublishError};
use hearken_tests::broker;
use hearken_tests::node::Lease;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(2);
/// What a bounded call may take beyond its bound on a loaded machine.
const GRACE: Duration = Duration::from_millis(1_500);

/// Publishes until the broker says that it blocks the link; returns the results.
async fn until_blocked(link: &Arc<dyn Link>, queue: &str) -> Vec<(String, Result<(), PublishError>)> {
    let mut results = Vec::new();
    let mut notice = link.notice();
    loop {
        let name = format!("try {}", results.len());
        let mut sending = std::pin::pin!(send(link, queue, Message::new(name.clone())));
        tokio::select! {
            notice = &mut notice => {
                assert!(
                    matches!(&notice, Notice::Blocked { reason } if reason.contains("memory")),
                    "{notice:?}"
                );
                results.push((name, sending.await));
                return results;
            }
            result = &mut sending => results.push((name, result)),
        }
    }
}

async fn notice(link: &Arc<dyn Link>) -> Notice {
    tokio::time::timeout(super::rabbitmq_support::SOON, link.notice()).await.expect("no notice")
}

#[tokio::test]
async fn an_alarm_and_its_end_are_told_and_what_was_refused_meanwhile_is_never_sent() {
    let node = Lease::take().await;
    let mut settings = settings(&node);
    settings.publish_timeout = LIMIT;
    let link = link(settings).await;
    let queue = broker::unique("alarm");
    let mut consumer = subscribe(&link, &queue).await;
    for n in 0..20 {
        send(&link, &queue, Message::new(n.to_string())).await.unwrap();
    }
    node.memory_alarm(true).await;

    let mut results = until_blocked(&link, &queue).await;
    assert!(
        results.iter().all(|(_, result)| !matches!(result, Err(PublishError::Returned { .. }))),
        "{results:?}"
    );
    for n in 0..3 {
        let name = format!("late {n}");
        let before = Instant::now();
        let result = send(&link, &queue, Message::new(name.clone())).await;
        assert!(before.elapsed() < LIMIT + GRACE, "{:?}", before.elapsed());
        match &result {
            Err(PublishError::Refused { reason }) => assert!(reason.contains("memory"), "{reason}"),
            other => panic!("{other:?}"),
        }
        results.push((name, result));
    }
    let before = Instant::now();
    let redelivered = link.redeliver(&queue, Message::new("moved"), Duration::ZERO).await;
    assert!(redelivered.is_err() && before.elapsed() < LIMIT + GRACE, "{redelivered:?}");

    // Handed out, acknowledged and handed back as ever.
    let first = receive(&mut consumer).await;
    consumer.settle(first.receipt, Settlement::Requeue);
    assert_eq!(drain(&mut consumer, 20).await.len(), 20);
    let beside = subscribe(&link, &queue).await;
    beside.close().await.unwrap();

    node.memory_alarm(false).await;
    assert_eq!(notice(&link).await, Notice::Unblocked);
    send(&link, &queue, Message::new("last")).await.unwrap();
    let mut arrived = BTreeSet::new();
    loop {
        let delivery = receive(&mut consumer).await;
        let name = body(&delivery).to_owned();
        consumer.settle(delivery.receipt, Settlement::Acknowledge);
        if name == "last" {
            break;
        }
        assert!(arrived.insert(name.clone()), "twice: {name}");
    }
    for (name, result) in results {
        match result {
            Ok(()) => assert!(arrived.remove(&name), "lost: {name}"),
            Err(PublishError::Unknown { .. }) => drop(arrived.remove(&name)),
            Err(_) => assert!(!arrived.contains(&name), "refused and sent all the same: {name}"),
        }
    }
    assert!(arrived.is_empty(), "{arrived:?}");
    link.close().await;
}

#[tokio::test]
async fn a_message_that_waits_for_the_end_of_an_alarm_in_time_is_sent_then() {
    let node = Lease::take().await;
    let mut settings = settings(&node);
    settings.publish_timeout = Duration::from_secs(60);
    let link = link(settings).await;
    let queue = broker::unique("patient");
    let mut consumer = subscribe(&link, &queue).await;
    send(&link, &queue, Message::new("before")).await.unwrap();
    node.memory_alarm(true).await;
    let blocked = async { assert!(matches!(notice(&link).await, Notice::Blocked { .. })) };
    let calm = async {
        blocked.await;
        node.memory_alarm(false).await;
    };
    // The first one, which tells the broker that the connection publishes, and more behind it.
    let sends = (0..100).map(|n| send(&link, &queue, Message::new(n.to_string())));
    let (results, ()) = tokio::join!(futures_util::future::join_all(sends), calm);
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert_eq!(drain(&mut consumer, 101).await.len(), 101);
    link.close().await;
}

#[tokio::test]
async fn a_blocked_link_closes_at_once_and_what_waits_is_answered() {
    let node = Lease::take().await;
    let link = link(settings(&node)).await;
    let queue = broker::unique("closing");
    let consumer = subscribe(&link, &queue).await;
    send(&link, &queue, Message::new("before")).await.unwrap();
    node.memory_alarm(true).await;
    // Sent when they are called for, not when they are first looked at.
    let publish =
        |body: &str| link.publish(Outgoing::new(Destination::queue(&queue), Message::new(body.to_owned())));
    let first = publish("first");
    assert!(matches!(notice(&link).await, Notice::Blocked { .. }));
    let second = publish("second");
    tokio::time::sleep(Duration::from_millis(100)).await;
    let before = Instant::now();
    consumer.close().await.unwrap();
    link.close().await;
    assert!(before.elapsed() < GRACE, "{:?}", before.elapsed());
    let _ = first.await;
    assert!(second.await.is_err());
    assert!(before.elapsed() < 2 * GRACE, "{:?}", before.elapsed());
    node.memory_alarm(false).await;
}

#[tokio::test]
async fn a_link_that_is_opened_during_an_alarm_consumes() {
    let node = Lease::take().await;
    let queue = broker::unique("opened");
    let settings = settings(&node);
    let first = link(settings.clone()).await;
    let consumer = subscribe(&first, &queue).await;
    send(&first, &queue, Message::new("x")).await.unwrap();
    consumer.close().await.unwrap();
    first.close().await;
    node.memory_alarm(true).await;
    let mut settings = settings;
    settings.publish_timeout = LIMIT;
    let second = link(settings).await;
    let mut consumer = subscribe(&second, &queue).await;
    assert_eq!(drain(&mut consumer, 1).await, ["x"]);
    let before = Instant::now();
    until_blocked(&second, &queue).await;
    assert!(before.elapsed() < 2 * (LIMIT + GRACE));
    second.close().await;
    node.memory_alarm(false).await;
}
