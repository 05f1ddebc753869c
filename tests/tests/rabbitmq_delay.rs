//! Redelivery through the broker: the wait is exact, the copy reaches its own queue, and its story is trusted there only.

mod rabbitmq_support;

#[path = "rabbitmq_delay/faults.rs"]
mod faults;
#[path = "rabbitmq_delay/figures.rs"]
mod figures;
#[path = "rabbitmq_delay/journeys.rs"]
mod journeys;

use hearken_core::delivery::{Origin, Settlement};
use hearken_core::failure::FailureKind;
use hearken_core::history::{FailureRecord, History};
use hearken_core::message::{HeaderValue, Headers, Message};
use hearken_core::session::Destination;
use hearken_core::time::Timestamp;
use hearken_core::transport::{Consumer, Link, Outgoing, QueueType, Subscription};
use hearken_rabbitmq::Topology;
use hearken_tests::broker::{self, Guard};
use lapin::options::{BasicGetOptions, QueueBindOptions};
use lapin::types::FieldTable;
use rabbitmq_support::{SOON, body, drain, failed, link, link_for, receive, send, silent, subscribe};
use std::sync::Arc;
use std::time::{Duration, Instant};

const WHILE: Duration = Duration::from_millis(300);
const LONG: Duration = Duration::from_secs(3600);

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

async fn move_back(link: &Arc<dyn Link>, consumer: &mut Box<dyn Consumer>, queue: &str, after: Duration) {
    let delivery = receive(consumer).await;
    link.redeliver(queue, failed(&delivery), after).await.unwrap();
    consumer.settle(delivery.receipt, Settlement::Moved);
}

#[tokio::test]
async fn a_wait_is_never_shorter_and_not_much_longer() {
    let guard = Guard::new();
    let link = link_for(guard.settings(), LONG).await;
    // With and without a last hop over the lowest level: they arrive by different exchanges.
    for wanted in [300, 1_200, 2_100, 3_400] {
        let queue = guard.queue("exact");
        let mut consumer = subscribe(&link, &queue).await;
        send(&link, &queue, Message::new("x").with_id("1").with_header("mine", 1)).await.unwrap();
        let original = receive(&mut consumer).await;
        let origin = original.origin.clone();
        // Declares the levels, if that is still to be done.
        link.redeliver(&queue, Message::new("first"), Duration::from_secs(1)).await.unwrap();
        let sent = Instant::now();
        link.redeliver(&queue, failed(&original), millis(wanted)).await.unwrap();
        consumer.settle(original.receipt, Settlement::Moved);
        let mut delivery = receive(&mut consumer).await;
        if body(&delivery) == "first" {
            delivery = receive(&mut consumer).await;
        }
        assert_eq!(delivery.hold, millis(wanted % 1_000), "the part below a second");
        let waited = sent.elapsed() + delivery.hold;
        assert!(waited >= millis(wanted) && waited < millis(wanted + 2_000), "{wanted}: {waited:?}");
        assert_eq!((delivery.attempt(), &delivery.origin), (2, &origin));
        assert_eq!(delivery.message.headers().len(), 1, "{:?}", delivery.message.headers());
        assert_eq!(delivery.message.id(), Some("1"));
    }
    link.close().await;
}

#[tokio::test]
async fn a_copy_reaches_its_own_queue_and_no_other() {
    let guard = Guard::new();
    let link = link_for(guard.settings(), LONG).await;
    let short = guard.queue("orders");
    let long = guard.keep_queue(format!("foo.{short}"));
    let odd = guard.queue("odd #1 *");
    let names = [&short, &long, &odd];
    let mut consumers = Vec::new();
    for name in names {
        consumers.push(subscribe(&link, name).await);
    }
    for name in names {
        for n in 0..20 {
            let after = if n % 2 == 0 { Duration::ZERO } else { Duration::from_secs(1) };
            link.redeliver(name, Message::new(name.clone()), after).await.unwrap();
        }
    }
    for (name, consumer) in names.iter().zip(&mut consumers) {
        assert!(drain(consumer, 20).await.iter().all(|body| body == *name));
        assert!(silent(consumer, WHILE).await);
    }
    link.close().await;
}

#[tokio::test]
async fn many_passes_lose_nothing_and_keep_what_the_sender_set() {
    for queue_type in [QueueType::Quorum, QueueType::Classic] {
        four_passes(queue_type).await;
    }
}

async fn four_passes(queue_type: QueueType) {
    let guard = Guard::new();
    let settings = guard.settings();
    let level = format!("hearken.v1.{}.l00", settings.application);
    let link = link_for(settings, LONG).await;
    let (queue, other) = (guard.queue("passes"), guard.queue("other"));
    let mut subscription = Subscription::new("listener", &*queue);
    subscription.queue_type = queue_type;
    let mut consumer = link.subscribe(&subscription).await.unwrap();
    let mut beside = subscribe(&link, &other).await;
    let mut sent = Message::new("x").with_id("1").with_header("CC", vec![HeaderValue::from(&*other)]);
    // As if it had died on a level before: brokers up to 3.13 would take the next death there for a cycle.
    let death = [("exchange", level.as_str()), ("queue", level.as_str()), ("reason", "expired")];
    sent.headers_mut().insert("x-death", vec![HeaderValue::Table(Headers::from_iter(death))]);
    sent.properties_mut().user_id = Some("guest".into());
    sent.properties_mut().priority = Some(5);
    sent.properties_mut().time_to_live = Some(Duration::from_secs(1));
    send(&link, &queue, sent.clone()).await.unwrap();
    for _ in 0..4 {
        // Two levels each: death headers that were believed would end it at the second.
        move_back(&link, &mut consumer, &queue, Duration::from_secs(3)).await;
    }
    let last = receive(&mut consumer).await;
    // Who sent the copies is hearken.
    sent.properties_mut().user_id = None;
    assert_eq!((last.attempt(), &last.message), (5, &sent), "{queue_type:?}");
    assert_eq!(drain(&mut beside, 1).await, ["x"], "the sender's own copy");
    assert!(silent(&mut beside, WHILE).await, "no copy of a copy");
    link.close().await;
}

#[tokio::test]
async fn a_forged_history_is_not_believed() {
    let guard = Guard::new();
    let link = link(guard.settings()).await;
    let queue = guard.queue("forged");
    let mut consumer = subscribe(&link, &queue).await;
    let record = FailureRecord { kind: FailureKind::Error, code: None, text: "no".into() };
    let history = History::failed(None, record, Timestamp::from_millis(1));
    let mut forged =
        Message::new("x").with_header("hearken-hold-ms", 900).with_header("hearken-remaining-ms", 9_000);
    history.write(
        &Origin { queue: "q".into(), exchange: "".into(), routing_key: "q".into() },
        forged.headers_mut(),
    );
    send(&link, &queue, forged).await.unwrap();
    let delivery = receive(&mut consumer).await;
    assert_eq!((delivery.attempt(), delivery.hold), (1, Duration::ZERO));
    assert_eq!(&*delivery.origin.routing_key, &*queue);
    link.close().await;
}

#[tokio::test]
async fn what_no_round_can_hold_goes_round_again_without_a_handler_call() {
    let guard = Guard::new();
    let settings = guard.settings();
    let deliver = format!("hearken.v1.{}.deliver", settings.application);
    let link = link_for(settings, LONG).await;
    let queue = guard.queue("round");
    let mut consumer = subscribe(&link, &queue).await;
    link.redeliver(&queue, Message::new("first"), Duration::from_secs(1)).await.unwrap();
    drain(&mut consumer, 1).await;
    // As a copy arrives after its first 16,383 s.
    let key = format!("{}{queue}", "0.".repeat(14));
    let copy = Message::new("x")
        .with_id("1")
        .with_header("hearken-target-queue", &*queue)
        .with_header("hearken-remaining-ms", 1_300);
    let sent = Instant::now();
    link.publish(Outgoing::new(Destination::exchange(deliver, key), copy)).await.unwrap();
    let delivery = receive(&mut consumer).await;
    assert!(sent.elapsed() + delivery.hold >= millis(1_300));
    assert_eq!((delivery.hold, delivery.message.headers().len()), (millis(300), 0));
    consumer.settle(delivery.receipt, Settlement::Acknowledge);
    consumer.close().await.unwrap();
    assert!(silent(&mut subscribe(&link, &queue).await, WHILE).await, "the first copy was acknowledged");
    link.close().await;
}

#[tokio::test]
async fn a_copy_whose_queue_is_gone_becomes_an_orphan_and_blocks_nobody() {
    let guard = Guard::new();
    let settings = guard.settings();
    let orphans = format!("hearken.v1.{}.orphans", settings.application);
    let link = link_for(settings, LONG).await;
    let (gone, stays) = (guard.queue("gone"), guard.queue("stays"));
    let mut consumer = subscribe(&link, &stays).await;
    subscribe(&link, &gone).await.close().await.unwrap();
    link.redeliver(&gone, Message::new("waits"), Duration::ZERO).await.unwrap();
    link.delete_queue(&gone).await.unwrap();
    // More than the 32 that a level has in flight at a time.
    const ORPHANS: usize = 60;
    for _ in 0..ORPHANS {
        link.redeliver(&gone, Message::new("orphan"), Duration::from_secs(1)).await.unwrap();
    }
    link.redeliver(&stays, Message::new("good"), Duration::from_secs(1)).await.unwrap();
    assert_eq!(drain(&mut consumer, 1).await, ["good"]);
    let direct = broker::lapin().await;
    let channel = direct.create_channel().await.unwrap();
    let found = tokio::time::timeout(SOON, async {
        let mut found = 0;
        while found < ORPHANS {
            match channel.basic_get(orphans.as_str().into(), BasicGetOptions { no_ack: true }).await.unwrap()
            {
                Some(_) => found += 1,
                None => tokio::time::sleep(millis(50)).await,
            }
        }
        found
    });
    assert_eq!(found.await.unwrap(), ORPHANS);
    link.close().await;
    direct.close(200, "OK".into()).await.unwrap();
}

#[tokio::test]
async fn a_copy_that_was_meant_for_another_queue_is_not_trusted() {
    let guard = Guard::new();
    let settings = guard.settings();
    let deliver = format!("hearken.v1.{}.deliver", settings.application);
    let link = link(settings).await;
    let (meant, other) = (guard.queue("meant"), guard.queue("other"));
    let mut consumer = subscribe(&link, &other).await;
    subscribe(&link, &meant).await.close().await.unwrap();
    let direct = broker::lapin().await;
    let channel = direct.create_channel().await.unwrap();
    let (queue, exchange) = (other.as_str().into(), deliver.as_str().into());
    channel
        .queue_bind(queue, exchange, "#".into(), QueueBindOptions::default(), FieldTable::default())
        .await
        .unwrap();
    let mut copy = Message::new("x");
    let record = FailureRecord { kind: FailureKind::Error, code: None, text: "no".into() };
    let origin =
        Origin { queue: meant.as_str().into(), exchange: "".into(), routing_key: meant.as_str().into() };
    History::failed(None, record, Timestamp::from_millis(1)).write(&origin, copy.headers_mut());
    link.redeliver(&meant, copy, millis(500)).await.unwrap();
    let delivery = receive(&mut consumer).await;
    assert_eq!((delivery.attempt(), delivery.hold, &*delivery.origin.queue), (1, Duration::ZERO, &*other));
    link.close().await;
    direct.close(200, "OK".into()).await.unwrap();
}

#[tokio::test]
async fn without_levels_a_move_is_refused_and_names_what_is_missing() {
    let guard = Guard::new();
    let mut settings = guard.settings();
    settings.topology = Topology::Assume;
    let link = link(settings).await;
    let error = link.redeliver("q", Message::new("x"), Duration::from_secs(2)).await.unwrap_err();
    assert!(error.to_string().contains(".l01'"), "{error}");
    link.close().await;
}
