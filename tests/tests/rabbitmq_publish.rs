//! Publishing: every message gets the answer that is its own.

mod rabbitmq_support;

use futures_util::future::join_all;
use hearken_core::message::Message;
use hearken_core::session::Destination;
use hearken_core::transport::{Link, Outgoing, PublishError};
use hearken_tests::broker::{self, Guard};
use hearken_tests::proxy::Proxy;
use lapin::ExchangeKind;
use lapin::options::{ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions};
use lapin::types::{AMQPValue, FieldTable};
use rabbitmq_support::{body, drain, link, next, receive, send, subscribe};
use std::sync::Arc;
use std::time::Duration;

fn is_returned(result: &Result<(), PublishError>) -> bool {
    matches!(result, Err(PublishError::Returned { .. }))
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Count {
    wrong: usize,
    returned: usize,
    accepted: usize,
}

/// Publishes all at once and compares each answer with what it must be.
async fn publish_all(link: &Arc<dyn Link>, messages: Vec<(Outgoing, bool)>) -> Count {
    let (outgoing, routable): (Vec<_>, Vec<_>) = messages.into_iter().unzip();
    let results = join_all(outgoing.into_iter().map(|message| link.publish(message))).await;
    let mut count = Count::default();
    for (result, routable) in results.iter().zip(routable) {
        match (result, routable) {
            (Ok(()), true) => count.accepted += 1,
            (Err(PublishError::Returned { .. }), false) => count.returned += 1,
            _ => count.wrong += 1,
        }
    }
    count
}

#[tokio::test]
async fn of_20_000_messages_with_a_tenth_unroutable_every_answer_is_right() {
    let guard = Guard::new();
    let link = link(guard.settings()).await;
    let queues: Vec<String> = (0..8).map(|n| guard.queue(&format!("publish{n}"))).collect();
    for queue in &queues {
        subscribe(&link, queue).await.close().await.unwrap();
    }
    let mut messages = Vec::new();
    for n in 0..20_000usize {
        let routable = n % 10 != 3;
        let queue = if routable { queues[n % 8].clone() } else { format!("no-such-queue-{}", n % 30) };
        let message = Message::new(format!("{n}"));
        messages.push((Outgoing::new(Destination::queue(queue), message), routable));
    }
    let count = publish_all(&link, messages).await;
    assert_eq!(count, Count { wrong: 0, returned: 2_000, accepted: 18_000 });
    link.close().await;
}

#[tokio::test]
async fn of_one_destination_that_routes_by_header_every_answer_is_right() {
    let guard = Guard::new();
    let link = link(guard.settings()).await;
    let (queue, exchange) = (guard.queue("headers"), guard.exchange("headers"));
    let direct = broker::lapin().await;
    let channel = direct.create_channel().await.unwrap();
    let durable = QueueDeclareOptions { durable: true, ..QueueDeclareOptions::default() };
    channel.queue_declare(queue.as_str().into(), durable, FieldTable::default()).await.unwrap();
    let options = ExchangeDeclareOptions::default();
    channel
        .exchange_declare(exchange.as_str().into(), ExchangeKind::Headers, options, FieldTable::default())
        .await
        .unwrap();
    let mut wanted = FieldTable::default();
    wanted.insert("x-match".into(), AMQPValue::LongString("all".into()));
    wanted.insert("wanted".into(), AMQPValue::Boolean(true));
    let bind = QueueBindOptions::default();
    channel
        .queue_bind(queue.as_str().into(), exchange.as_str().into(), "".into(), bind, wanted)
        .await
        .unwrap();

    let mut messages = Vec::new();
    for n in 0..4_000usize {
        let routable = fastrand::usize(..10) != 0;
        // Many are equal, so that they can be told apart by nothing but the header.
        let message = Message::new(format!("{}", n % 7)).with_header("wanted", routable);
        messages.push((Outgoing::new(Destination::exchange(&exchange, "k"), message), routable));
    }
    let count = publish_all(&link, messages).await;
    assert_eq!((count.wrong, count.returned + count.accepted), (0, 4_000));
    link.close().await;
    direct.close(200, "OK".into()).await.unwrap();
}

#[tokio::test]
async fn messages_to_one_destination_keep_their_order() {
    let guard = Guard::new();
    let link = link(guard.settings()).await;
    let queue = guard.queue("order");
    let mut consumer = subscribe(&link, &queue).await;
    let publish =
        |n: usize| link.publish(Outgoing::new(Destination::queue(&queue), Message::new(n.to_string())));
    // Polled in the opposite order: what counts is the call.
    let mut sends: Vec<_> = (0..500).map(publish).collect();
    sends.reverse();
    assert!(join_all(sends).await.iter().all(Result::is_ok));
    let want: Vec<String> = (0..500).map(|n: usize| n.to_string()).collect();
    assert_eq!(drain(&mut consumer, 500).await, want);
    link.close().await;
}

#[tokio::test]
async fn a_missing_exchange_is_named_and_hurts_nobody_else() {
    let guard = Guard::new();
    let link = link(guard.settings()).await;
    let queue = guard.queue("beside");
    subscribe(&link, &queue).await.close().await.unwrap();
    let missing = broker::unique("missing");
    let sends = (0..200).map(|n| {
        let to = if n % 2 == 0 { Destination::queue(&queue) } else { Destination::exchange(&missing, "k") };
        link.publish(Outgoing::new(to, Message::new("x")))
    });
    for (n, result) in join_all(sends).await.iter().enumerate() {
        match result {
            Ok(()) => assert_eq!(n % 2, 0),
            Err(PublishError::Refused { reason }) => {
                assert!(n % 2 == 1 && reason.contains(&missing), "{n} {reason}");
            }
            Err(other) => panic!("{n} {other}"),
        }
    }
    link.close().await;
}

#[tokio::test]
async fn a_full_queue_refuses() {
    let guard = Guard::new();
    let link = link(guard.settings()).await;
    let queue = guard.queue("full");
    let direct = broker::lapin().await;
    let channel = direct.create_channel().await.unwrap();
    let mut arguments = FieldTable::default();
    arguments.insert("x-max-length".into(), AMQPValue::LongInt(1));
    arguments.insert("x-overflow".into(), AMQPValue::LongString("reject-publish".into()));
    channel.queue_declare(queue.as_str().into(), QueueDeclareOptions::default(), arguments).await.unwrap();
    let mut refused = 0;
    for _ in 0..5 {
        match send(&link, &queue, Message::new("x")).await {
            Ok(()) => {}
            Err(PublishError::Refused { reason }) => {
                assert!(reason.contains(&queue), "{reason}");
                refused += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(refused >= 3, "{refused}");
    link.close().await;
    direct.close(200, "OK".into()).await.unwrap();
}

#[tokio::test]
async fn what_cannot_be_sent_is_named_and_the_next_message_passes() {
    let guard = Guard::new();
    let mut settings = guard.settings();
    settings.max_message_bytes = Some(1_000);
    let link = link(settings).await;
    let queue = guard.queue("invalid");
    let mut consumer = subscribe(&link, &queue).await;
    let long = "n".repeat(256);
    let cases = [
        (send(&link, &long, Message::new("x")).await, "routing key has 256 bytes"),
        (
            link.publish(Outgoing::new(Destination::exchange(&long, "k"), Message::new("x"))).await,
            "exchange has 256 bytes",
        ),
        (send(&link, &queue, Message::new("x").with_header("k", "v".repeat(140_000))).await, "take 140"),
        (send(&link, &queue, Message::new("x").with_header(&*long, 1)).await, "header has 256 bytes"),
        (send(&link, &queue, Message::new("x").with_id(&*long)).await, "message id has 256 bytes"),
        (send(&link, &queue, Message::new("x".repeat(1_001))).await, "1001 bytes; the limit is 1000"),
    ];
    for (result, want) in cases {
        match result {
            Err(PublishError::Invalid { reason }) => assert!(reason.contains(want), "{reason}"),
            other => panic!("{want}: {other:?}"),
        }
    }
    send(&link, &queue, Message::new("good").with_header("k", "v".repeat(120_000))).await.unwrap();
    assert_eq!(body(&receive(&mut consumer).await), "good");
    link.close().await;
}

#[tokio::test]
async fn a_foreign_user_id_is_refused_alone() {
    let guard = Guard::new();
    let link = link(guard.settings()).await;
    let queue = guard.queue("user");
    subscribe(&link, &queue).await.close().await.unwrap();
    let mut foreign = Message::new("x");
    foreign.properties_mut().user_id = Some("somebody".into());
    let mut sends = Vec::new();
    for n in 0..100 {
        sends.push(send(&link, &queue, if n % 10 == 0 { foreign.clone() } else { Message::new("x") }));
    }
    for (n, result) in join_all(sends).await.iter().enumerate() {
        match result {
            Ok(()) => assert_ne!(n % 10, 0),
            Err(PublishError::Refused { reason }) => {
                assert!(n % 10 == 0 && reason.contains("user_id"), "{reason}")
            }
            Err(other) => panic!("{n} {other}"),
        }
    }
    // A relayed copy travels without it.
    link.publish(Outgoing::relayed(Destination::queue(&queue), foreign)).await.unwrap();
    link.close().await;
}

#[tokio::test]
async fn a_lost_publish_connection_makes_it_unknown_and_is_opened_again() {
    let guard = Guard::new();
    let proxy = Proxy::start(broker::amqp_address()).await;
    let mut settings = guard.settings();
    settings.url = broker::amqp_url_at(&proxy.address()).parse().unwrap();
    settings.publish_timeout = Duration::from_secs(1);
    let link = link(settings).await;
    let queue = guard.queue("unknown");
    let mut consumer = subscribe(&link, &queue).await;
    send(&link, &queue, Message::new("before")).await.unwrap();
    proxy.mute();
    let unknown = send(&link, &queue, Message::new("swallowed")).await;
    assert!(matches!(unknown, Err(PublishError::Unknown { .. })), "{unknown:?}");
    proxy.cut().await;
    // Both connections went through the proxy: the link is lost, and says so.
    tokio::time::timeout(rabbitmq_support::SOON, link.lost()).await.unwrap();
    loop {
        match next(&mut consumer).await {
            Some(Ok(_)) => {}
            Some(Err(_)) => break,
            None => panic!("an end without an error"),
        }
    }
    // The loss of one connection may be noticed before the other's.
    let again = async { while send(&link, &queue, Message::new("after")).await.is_err() {} };
    tokio::time::timeout(rabbitmq_support::SOON, again).await.unwrap();
    assert!(is_returned(&send(&link, &broker::unique("nowhere"), Message::new("x")).await));
    link.close().await;
}
