//! Queues and exchanges: declared, checked or assumed; a difference is named.

mod rabbitmq_support;

use hearken_core::delivery::Settlement;
use hearken_core::message::Message;
use hearken_core::transport::{Binding, BindingKind, QueueType, Subscription, TransportErrorKind as Kind};
use hearken_rabbitmq::Topology;
use hearken_tests::broker::{self, Guard};
use lapin::ExchangeKind;
use lapin::options::{ExchangeDeclareOptions, QueueDeclareOptions};
use lapin::types::{AMQPValue, FieldTable};
use rabbitmq_support::{body, link, receive, refused, send, subscribe};
use std::time::Duration;

async fn declare(queue: &str, arguments: &[(&str, AMQPValue)]) {
    let mut table = FieldTable::default();
    for (name, value) in arguments {
        table.insert((*name).into(), value.clone());
    }
    let direct = broker::lapin().await;
    let channel = direct.create_channel().await.unwrap();
    let durable = QueueDeclareOptions { durable: true, ..QueueDeclareOptions::default() };
    channel.queue_declare(queue.into(), durable, table).await.unwrap();
    direct.close(200, "OK".into()).await.unwrap();
}

fn mismatch(argument: &str, ours: &str, theirs: &str) -> Kind {
    Kind::ArgumentMismatch { argument: argument.into(), ours: ours.into(), theirs: theirs.into() }
}

#[tokio::test]
async fn declaring_twice_is_fine() {
    let guard = Guard::new();
    let link = link(guard.settings()).await;
    for queue_type in [QueueType::Quorum, QueueType::Classic] {
        let mut subscription = Subscription::new("listener", guard.queue("twice"));
        subscription.queue_type = queue_type;
        subscription.dead_letter_queue = Some(guard.queue("dead"));
        subscription.binding =
            Some(Binding { exchange: guard.exchange("twice"), kind: BindingKind::Direct, key: "k".into() });
        for _ in 0..2 {
            link.subscribe(&subscription).await.unwrap().close().await.unwrap();
        }
    }
    link.close().await;
}

#[tokio::test]
async fn a_queue_with_other_arguments_is_refused_with_argument_ours_and_theirs() {
    let guard = Guard::new();
    let link = link(guard.settings()).await;
    let queue = guard.queue("mismatch");
    declare(&queue, &[("x-queue-type", AMQPValue::LongString("classic".into()))]).await;
    let error = refused(&link, &Subscription::new("listener", &*queue)).await;
    assert_eq!(*error.kind(), mismatch("x-queue-type", "quorum", "classic"));
    assert!(error.to_string().contains(&queue), "{error}");

    let queue = guard.queue("limit");
    let arguments = [
        ("x-queue-type", AMQPValue::LongString("quorum".into())),
        ("x-delivery-limit", AMQPValue::LongInt(3)),
    ];
    declare(&queue, &arguments).await;
    let error = refused(&link, &Subscription::new("listener", &*queue)).await;
    assert_eq!(*error.kind(), mismatch("x-delivery-limit", "1000000000", "3"));

    let (queue, exchange) = (guard.queue("exchange"), guard.exchange("mismatch"));
    let direct = broker::lapin().await;
    let channel = direct.create_channel().await.unwrap();
    let (name, options) =
        (exchange.as_str().into(), ExchangeDeclareOptions { durable: true, ..Default::default() });
    channel.exchange_declare(name, ExchangeKind::Direct, options, FieldTable::default()).await.unwrap();
    let mut subscription = Subscription::new("listener", &*queue);
    subscription.binding = Some(Binding { exchange, kind: BindingKind::Topic, key: "#".into() });
    let error = refused(&link, &subscription).await;
    assert_eq!(*error.kind(), mismatch("type", "topic", "direct"));

    // The link has survived it all.
    subscribe(&link, &guard.queue("after")).await.close().await.unwrap();
    link.close().await;
    direct.close(200, "OK".into()).await.unwrap();
}

#[tokio::test]
async fn check_wants_the_queues_to_be_there_and_declares_nothing() {
    let guard = Guard::new();
    let mut settings = guard.settings();
    settings.topology = Topology::Check;
    let link = link(settings).await;
    let (queue, dead) = (guard.queue("check"), guard.queue("check-dead"));
    let mut subscription = Subscription::new("listener", &*queue);
    subscription.dead_letter_queue = Some(dead.clone());
    for missing in [&queue, &dead] {
        let error = refused(&link, &subscription).await;
        assert_eq!(*error.kind(), Kind::QueueMissing);
        assert!(error.to_string().contains(missing.as_str()), "{error}");
        declare(missing, &[]).await;
    }
    let mut consumer = link.subscribe(&subscription).await.unwrap();
    send(&link, &queue, Message::new("x")).await.unwrap();
    receive(&mut consumer).await;
    link.close().await;
}

#[tokio::test]
async fn assume_asks_nothing_and_a_missing_queue_is_named_by_the_consumer() {
    let guard = Guard::new();
    let mut settings = guard.settings();
    settings.topology = Topology::Assume;
    let link = link(settings).await;
    let queue = guard.queue("assume");
    let mut subscription = Subscription::new("listener", &*queue);
    subscription.dead_letter_queue = Some(broker::unique("never-asked-for"));
    let error = refused(&link, &subscription).await;
    assert_eq!(*error.kind(), Kind::QueueMissing);
    assert!(error.to_string().contains(&queue), "{error}");
    declare(&queue, &[]).await;
    link.subscribe(&subscription).await.unwrap().close().await.unwrap();
    link.close().await;
}

#[tokio::test]
async fn what_the_broker_would_drop_goes_to_the_dead_letter_queue() {
    let guard = Guard::new();
    let link = link(guard.settings()).await;
    let (queue, dead) = (guard.queue("expires"), guard.queue("dead"));
    let mut subscription = Subscription::new("listener", &*queue);
    subscription.dead_letter_queue = Some(dead.clone());
    link.subscribe(&subscription).await.unwrap().close().await.unwrap();
    send(&link, &queue, Message::new("late").with_time_to_live(Duration::from_millis(50))).await.unwrap();
    let mut dead_letters = subscribe(&link, &dead).await;
    assert_eq!(body(&receive(&mut dead_letters).await), "late");
    link.close().await;
}

#[tokio::test]
async fn a_message_may_be_requeued_more_often_than_any_default_limit() {
    let guard = Guard::new();
    let link = link(guard.settings()).await;
    let queue = guard.queue("requeued");
    let mut consumer = subscribe(&link, &queue).await;
    send(&link, &queue, Message::new("x")).await.unwrap();
    for n in 0..60 {
        let delivery = receive(&mut consumer).await;
        assert_eq!(delivery.redelivered, n > 0);
        assert!(delivery.message.headers().is_empty(), "the broker's count is not the sender's");
        consumer
            .settle(delivery.receipt, if n % 2 == 0 { Settlement::Requeue } else { Settlement::HandBack });
    }
    link.close().await;
}

#[tokio::test]
async fn a_name_of_256_bytes_is_named_and_the_link_lives() {
    let guard = Guard::new();
    let link = link(guard.settings()).await;
    let long = "q".repeat(256);
    let mut with_long_binding = Subscription::new("listener", guard.queue("names"));
    with_long_binding.binding =
        Some(Binding { exchange: long.clone(), kind: BindingKind::Topic, key: "#".into() });
    let mut with_long_dead_letters = Subscription::new("listener", guard.queue("names"));
    with_long_dead_letters.dead_letter_queue = Some(long.clone());
    for subscription in [Subscription::new("listener", &*long), with_long_binding, with_long_dead_letters] {
        let error = refused(&link, &subscription).await;
        assert_eq!(*error.kind(), Kind::InvalidName);
        assert!(error.to_string().contains("256 bytes"), "{error}");
    }
    assert_eq!(*link.delete_queue(&long).await.unwrap_err().kind(), Kind::InvalidName);
    // The longest name that is allowed works, moves included.
    let unique = broker::unique("longest");
    let longest = guard.keep_queue(format!("{unique}{}", "q".repeat(255 - unique.len())));
    let mut consumer = subscribe(&link, &longest).await;
    link.redeliver(&longest, Message::new("x"), Duration::ZERO).await.unwrap();
    receive(&mut consumer).await;
    link.close().await;
}

mod chains {
    use super::broker;
    use hearken::prelude::*;
    use hearken_testkit::Journal;
    use std::time::Duration;

    #[listener(queue = "unused")]
    async fn front(Text(body): Text, State(journal): State<Journal>) -> Result<(), BoxError> {
        journal.write(format!("front {body}"));
        Err("no".into())
    }

    #[listener(queue = "unused")]
    async fn back(Text(body): Text, State(journal): State<Journal>) -> Result<(), BoxError> {
        journal.write(format!("back {body}"));
        Err("no".into())
    }

    /// The dead letters of one listener are the messages of another, which has dead letters of its own, and other queue
    /// types: each queue is declared once, by its owner.
    #[tokio::test]
    async fn a_dead_letter_queue_may_be_another_listeners_queue() {
        let journal = Journal::default();
        let [first, second, third] = ["first", "second", "third"].map(broker::unique);
        let mut running = Hearken::builder()
            .listen::<front>()
            .listen::<back>()
            .state(journal.clone())
            .set("transport.url", broker::amqp_url())
            .set("application.name", "chains")
            .set("redelivery.default.maximumRedeliveries", 0)
            .set("container.recoveryInterval", "200ms")
            .set("listeners.front.queue", first.as_str())
            .set("listeners.front.deadLetter", second.as_str())
            .set("listeners.back.queue", second.as_str())
            .set("listeners.back.queueType", "classic")
            .set("listeners.back.deadLetter", third.as_str())
            .build()
            .unwrap()
            .start()
            .await
            .unwrap();
        running.publisher().send(first.as_str(), "a").await.unwrap();
        journal.wait_for("back a", 1).await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(journal.lines(), ["front a", "back a"]);
        running.stop_listeners().await;
        for queue in [first, second, third] {
            running.delete_queue(&queue).await.unwrap();
        }
        running.stop().await;
    }
}
