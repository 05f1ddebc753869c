//! What a consumer and its queue may be: single active, alone, preferred; kept, deleted with its last consumer, or
//! named by the broker and gone with the link.

mod rabbitmq_support;

use hearken_core::delivery::Settlement;
use hearken_core::failure::FailureKind;
use hearken_core::history::{FailureRecord, History};
use hearken_core::message::Message;
use hearken_core::session::Destination;
use hearken_core::time::Timestamp;
use hearken_core::transport::{
    Binding, BindingKind, Consumer, Link, Outgoing, QueueLifetime, QueueType, Subscription, Transport,
    TransportErrorKind as Kind,
};
use hearken_rabbitmq::{RabbitMq, Settings, Topology};
use hearken_tests::broker::Guard;
use rabbitmq_support::{SOON, body, drain, failed, link, receive, refused, send, silent};
use std::sync::Arc;
use std::time::Duration;

const WHILE: Duration = Duration::from_millis(300);
const BOTH: [QueueType; 2] = [QueueType::Quorum, QueueType::Classic];

fn subscription(queue: &str, queue_type: QueueType) -> Subscription {
    let mut subscription = Subscription::new("listener", queue);
    subscription.queue_type = queue_type;
    subscription
}

fn with_topology(settings: &Settings, topology: Topology) -> Settings {
    let mut settings = settings.clone();
    settings.topology = topology;
    settings
}

async fn send_numbers(link: &Arc<dyn Link>, queue: &str, numbers: std::ops::Range<usize>) {
    for n in numbers {
        send(link, queue, Message::new(n.to_string())).await.unwrap();
    }
}

fn numbers(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|n| n.to_string()).collect()
}

async fn gone(link: &Arc<dyn Link>, queue: &str) -> bool {
    let asking = async { while link.queue_exists(queue).await.unwrap() {} };
    tokio::time::timeout(SOON, asking).await.is_ok()
}

#[tokio::test]
async fn a_single_active_consumer_that_closes_hands_over_in_order() {
    const ALL: usize = 40;
    let guard = Guard::new();
    let settings = guard.settings();
    let (here, there) = (link(settings.clone()).await, link(settings).await);
    for queue_type in BOTH {
        for settled in [0, 3, 10] {
            let queue = guard.queue("handover");
            let mut subscription = subscription(&queue, queue_type);
            subscription.single_active = true;
            subscription.prefetch = 10;
            let mut first = here.subscribe(&subscription).await.unwrap();
            let mut second = there.subscribe(&subscription).await.unwrap();
            send_numbers(&here, &queue, 0..ALL).await;
            let mut received = Vec::new();
            for _ in 0..10 {
                received.push(receive(&mut first).await);
            }
            assert!(silent(&mut second, Duration::from_millis(50)).await, "only one is served");
            for delivery in received.drain(..settled) {
                first.settle(delivery.receipt, Settlement::Acknowledge);
            }
            first.close().await.unwrap();
            let rest = drain(&mut second, ALL - settled).await;
            assert_eq!(rest, numbers(settled..ALL), "{queue_type:?} {settled}");
            second.close().await.unwrap();
        }
    }
    here.close().await;
    there.close().await;
}

#[tokio::test]
async fn what_a_single_active_consumer_acknowledged_right_before_it_closed_stays_acknowledged() {
    let guard = Guard::new();
    let link = link(guard.settings()).await;
    for queue_type in BOTH {
        let queue = guard.queue("settled");
        let mut subscription = subscription(&queue, queue_type);
        subscription.single_active = true;
        subscription.prefetch = 100;
        let mut first = link.subscribe(&subscription).await.unwrap();
        send_numbers(&link, &queue, 0..100).await;
        let mut received = Vec::new();
        for _ in 0..100 {
            received.push(receive(&mut first).await);
        }
        // The first one stays open: the others are acknowledged one by one.
        for delivery in received.drain(1..).collect::<Vec<_>>() {
            first.settle(delivery.receipt, Settlement::Acknowledge);
        }
        first.close().await.unwrap();
        let mut second = link.subscribe(&subscription).await.unwrap();
        assert_eq!(drain(&mut second, 1).await, ["0"]);
        assert!(silent(&mut second, WHILE).await);
    }
    link.close().await;
}

#[tokio::test]
async fn consumers_that_are_dropped_while_messages_come_do_not_hurt_the_link() {
    let guard = Guard::new();
    let link = link(guard.settings()).await;
    let queue = guard.queue("dropped");
    let mut subscription = subscription(&queue, QueueType::Classic);
    subscription.single_active = true;
    drop(link.subscribe(&subscription).await.unwrap());
    send_numbers(&link, &queue, 0..200).await;
    for n in 0..200 {
        let mut consumer = link.subscribe(&subscription).await.unwrap();
        if n % 2 == 0 {
            receive(&mut consumer).await;
        }
    }
    let mut consumer = link.subscribe(&subscription).await.unwrap();
    assert_eq!(drain(&mut consumer, 200).await, numbers(0..200));
    link.close().await;
}

#[tokio::test]
async fn a_consumer_for_itself_is_alone_until_it_closes() {
    let guard = Guard::new();
    let link = link(guard.settings()).await;
    let queue = guard.queue("alone");
    let shared = subscription(&queue, QueueType::Classic);
    let mut alone = shared.clone();
    alone.exclusive = true;

    let first = link.subscribe(&alone).await.unwrap();
    for other in [&alone, &shared] {
        let error = refused(&link, other).await;
        assert_eq!(*error.kind(), Kind::QueueInUse, "{error}");
        assert!(error.to_string().contains(&queue), "{error}");
    }
    first.close().await.unwrap();
    let first = link.subscribe(&shared).await.unwrap();
    assert_eq!(*refused(&link, &alone).await.kind(), Kind::QueueInUse);
    first.close().await.unwrap();
    let mut consumer = link.subscribe(&alone).await.unwrap();
    send(&link, &queue, Message::new("x")).await.unwrap();
    receive(&mut consumer).await;
    link.close().await;
}

#[tokio::test]
async fn a_consumer_for_itself_on_a_quorum_queue_is_refused_instead_of_ignored() {
    let guard = Guard::new();
    let link = link(guard.settings()).await;
    let queue = guard.queue("quorum-alone");
    let mut alone = subscription(&queue, QueueType::Quorum);
    alone.exclusive = true;
    let error = refused(&link, &alone).await;
    assert_eq!(*error.kind(), Kind::InvalidSettings);
    assert!(error.to_string().contains(&queue), "{error}");
    assert!(!link.queue_exists(&queue).await.unwrap());
    link.close().await;
}

#[tokio::test]
async fn a_preferred_consumer_is_served_first_while_it_has_room() {
    let guard = Guard::new();
    let link = link(guard.settings()).await;
    for queue_type in BOTH {
        let queue = guard.queue("priority");
        let mut plain = subscription(&queue, queue_type);
        plain.prefetch = 10;
        let mut preferred = plain.clone();
        preferred.priority = Some(5);
        let mut last = plain.clone();
        last.priority = Some(i32::MIN);
        let (mut last, mut plain) =
            (link.subscribe(&last).await.unwrap(), link.subscribe(&plain).await.unwrap());
        let mut preferred = link.subscribe(&preferred).await.unwrap();
        send_numbers(&link, &queue, 0..25).await;
        for (consumer, count) in [(&mut preferred, 10), (&mut plain, 10), (&mut last, 5)] {
            for _ in 0..count {
                receive(consumer).await;
            }
            assert!(silent(consumer, Duration::from_millis(50)).await, "{queue_type:?}");
        }
    }
    link.close().await;
}

#[tokio::test]
async fn an_auto_delete_queue_lives_with_its_consumers_and_is_declared_anew() {
    let guard = Guard::new();
    let settings = guard.settings();
    let link = link(settings.clone()).await;
    let (queue, exchange) = (guard.queue("auto"), guard.exchange("auto"));
    // The type of a queue that is never replicated says nothing.
    let mut auto = subscription(&queue, QueueType::Quorum);
    auto.lifetime = QueueLifetime::AutoDelete;
    auto.binding = Some(Binding { exchange: exchange.clone(), kind: BindingKind::Fanout, key: "".into() });
    for _ in 0..2 {
        let (mut one, two) = (link.subscribe(&auto).await.unwrap(), link.subscribe(&auto).await.unwrap());
        two.close().await.unwrap();
        link.publish(Outgoing::new(Destination::exchange(&exchange, ""), Message::new("x"))).await.unwrap();
        assert_eq!(drain(&mut one, 1).await, ["x"]);
        one.close().await.unwrap();
        assert!(gone(&link, &queue).await);
    }

    let checking = rabbitmq_support::link(with_topology(&settings, Topology::Check)).await;
    assert_eq!(*refused(&checking, &auto).await.kind(), Kind::QueueMissing);
    let one = link.subscribe(&auto).await.unwrap();
    checking.subscribe(&auto).await.unwrap().close().await.unwrap();
    one.close().await.unwrap();
    checking.close().await;
    link.close().await;
}

/// Every temporary queue has a name of the broker's, by which it is bound, redelivered to, and named in errors.
async fn temporary(settings: Settings, exchange: &str, dead: &str) {
    let link = link(settings.clone()).await;
    let mut subscription = Subscription::new("listener", "");
    subscription.lifetime = QueueLifetime::Temporary;
    subscription.dead_letter_queue = Some(dead.to_owned());
    subscription.binding =
        Some(Binding { exchange: exchange.to_owned(), kind: BindingKind::Fanout, key: "".into() });
    let mut consumers =
        [link.subscribe(&subscription).await.unwrap(), link.subscribe(&subscription).await.unwrap()];
    let to = Destination::exchange(exchange, "k");
    link.publish(Outgoing::new(to, Message::new("x").with_id("1"))).await.unwrap();
    let mut names = Vec::new();
    for consumer in &mut consumers {
        let delivery = receive(consumer).await;
        let name = delivery.origin.queue.to_string();
        assert!(name.starts_with("amq.gen-"), "{name}");
        assert_eq!((&*delivery.origin.exchange, &*delivery.origin.routing_key), (exchange, "k"));
        link.redeliver(&name, failed(&delivery), Duration::ZERO).await.unwrap();
        consumer.settle(delivery.receipt, Settlement::Moved);
        let again = receive(consumer).await;
        assert_eq!((again.attempt(), &*again.origin.queue, &*again.origin.exchange), (2, &*name, exchange));
        consumer.settle(again.receipt, Settlement::Acknowledge);
        names.push(name);
    }
    assert_ne!(names[0], names[1], "each has its own");

    let other = rabbitmq_support::link(with_topology(&settings, Topology::Assume)).await;
    let error = refused(&other, &Subscription::new("listener", &*names[0])).await;
    assert_eq!(*error.kind(), Kind::QueueInUse, "{error}");
    assert!(error.to_string().contains(&names[0]), "{error}");
    other.close().await;

    let [first, mut second] = consumers;
    first.close().await.unwrap();
    assert!(gone(&link, &names[0]).await);
    link.delete_queue(&names[1]).await.unwrap();
    match rabbitmq_support::next(&mut second).await {
        Some(Err(error)) => assert!(error.to_string().contains(&names[1]), "{error}"),
        other => panic!("{other:?}"),
    }
    link.close().await;
}

#[tokio::test]
async fn a_temporary_queue_is_named_by_the_broker_and_declared_whatever_the_topology() {
    let guard = Guard::new();
    let settings = guard.settings();
    let (exchange, dead) = (guard.exchange("temporary"), guard.queue("temporary-dead"));
    // The first one declares the exchanges that the others need.
    for topology in [Topology::Declare, Topology::Check, Topology::Assume] {
        temporary(with_topology(&settings, topology), &exchange, &dead).await;
    }
}

#[tokio::test]
async fn a_temporary_queue_does_without_a_deliver_exchange_but_not_without_its_own() {
    let guard = Guard::new();
    let link = link(with_topology(&guard.settings(), Topology::Assume)).await;
    let mut subscription = Subscription::new("listener", "");
    subscription.lifetime = QueueLifetime::Temporary;
    let consumer = link.subscribe(&subscription).await.unwrap();
    let missing = guard.exchange("missing");
    subscription.binding =
        Some(Binding { exchange: missing.clone(), kind: BindingKind::Fanout, key: "".into() });
    let error = refused(&link, &subscription).await;
    assert!(error.to_string().contains(&missing), "{error}");
    consumer.close().await.unwrap();
    link.close().await;
}

#[tokio::test]
async fn what_is_suspected_has_a_queue_of_its_own_and_keeps_its_origin_and_history() {
    let guard = Guard::new();
    let settings = guard.settings();
    let suspects = guard.keep_queue(format!("hearken.v1.{}.suspects.on_order", settings.application));
    let transport = RabbitMq::new(settings.clone()).unwrap();
    let queue = guard.queue("orders");
    let mut subscription = Subscription::new("on_order", &*queue);
    subscription.dead_letter_queue = Some(guard.queue("dead"));
    assert_eq!(transport.suspect_queue(&subscription).as_deref(), Some(&*suspects));
    let (mut classic, mut auto) = (subscription.clone(), subscription.clone());
    classic.queue_type = QueueType::Classic;
    auto.lifetime = QueueLifetime::AutoDelete;
    assert_eq!((transport.suspect_queue(&classic), transport.suspect_queue(&auto)), (None, None));

    let link = link(settings).await;
    let mut consumer = link.subscribe(&subscription).await.unwrap();
    subscription.queue = suspects.clone();
    subscription.prefetch = 1;
    let mut interrogator = link.subscribe(&subscription).await.unwrap();
    send(&link, &queue, Message::new("x").with_id("1").with_header("mine", 1)).await.unwrap();
    for attempts in 1..=2 {
        let delivery = receive(&mut consumer).await;
        let origin = delivery.origin.clone();
        assert_eq!(&*origin.queue, &*queue);
        link.redeliver(&suspects, failed(&delivery), Duration::ZERO).await.unwrap();
        consumer.settle(delivery.receipt, Settlement::Moved);
        let suspect = receive(&mut interrogator).await;
        let history = suspect.history.as_ref().unwrap();
        assert_eq!((history.attempts, &suspect.origin), (attempts, &origin));
        assert_eq!((suspect.delivery_count, suspect.message.headers().len()), (0, 1));
        // Innocent: back to where it came from.
        let mut copy = suspect.message.clone();
        history.write(&suspect.origin, copy.headers_mut());
        link.redeliver(&suspect.origin.queue, copy, Duration::ZERO).await.unwrap();
        interrogator.settle(suspect.receipt, Settlement::Moved);
    }
    let back = receive(&mut consumer).await;
    assert_eq!((body(&back), back.attempt()), ("x", 3));
    link.close().await;
}

#[tokio::test]
async fn a_message_no_attempt_has_failed_at_keeps_its_origin_too_when_it_is_suspected() {
    let guard = Guard::new();
    let settings = guard.settings();
    let suspects = guard.keep_queue(format!("hearken.v1.{}.suspects.listener", settings.application));
    let link = link(settings).await;
    let mut interrogator: Box<dyn Consumer> =
        link.subscribe(&Subscription::new("listener", &*suspects)).await.unwrap();
    let queue = guard.queue("orders");
    let mut consumer = link.subscribe(&Subscription::new("listener", &*queue)).await.unwrap();
    send(&link, &queue, Message::new("x")).await.unwrap();
    let delivery = receive(&mut consumer).await;
    let now = Timestamp::from_millis(1_000);
    let failure = FailureRecord { kind: FailureKind::Error, code: None, text: String::new() };
    let untouched = History { attempts: 0, first_failure: now, last_failure: now, failure };
    let mut copy = delivery.message.clone();
    untouched.write(&delivery.origin, copy.headers_mut());
    link.redeliver(&suspects, copy, Duration::ZERO).await.unwrap();
    let suspect = receive(&mut interrogator).await;
    assert_eq!((suspect.attempt(), &suspect.origin), (1, &delivery.origin));
    assert!(suspect.message.headers().is_empty());
    link.close().await;
}

#[tokio::test]
async fn whether_a_queue_exists_is_answered_and_hurts_nobody() {
    let guard = Guard::new();
    let link = link(guard.settings()).await;
    let queue = guard.queue("exists");
    for _ in 0..3 {
        assert!(!link.queue_exists(&queue).await.unwrap());
    }
    let mut consumer = link.subscribe(&Subscription::new("listener", &*queue)).await.unwrap();
    assert!(link.queue_exists(&queue).await.unwrap());
    assert_eq!(*link.queue_exists(&"q".repeat(256)).await.unwrap_err().kind(), Kind::InvalidName);
    send(&link, &queue, Message::new("x")).await.unwrap();
    receive(&mut consumer).await;
    link.close().await;
}
