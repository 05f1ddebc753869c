//! No message ends the process or bricks its listener.

mod rabbitmq_support;

use hearken_core::delivery::{Defect, Settlement};
use hearken_core::message::Message;
use hearken_core::transport::{Binding, BindingKind, Subscription};
use hearken_rabbitmq::Settings;
use hearken_tests::broker::{self, Guard};
use rabbitmq_support::raw::{Raw, long, nested, short};
use rabbitmq_support::{body, link, receive, send, subscribe};

fn with_tls(guard: &Guard) -> Settings {
    let mut settings = Settings::new(broker::amqps_url().parse().unwrap(), guard.application("tls"));
    settings.ca_certificate = Some(broker::amqps_ca());
    settings
}

#[tokio::test]
async fn hostile_headers_arrive_flagged_and_the_good_message_behind_them_too() {
    let guard = Guard::new();
    hostile_headers(&guard, guard.settings()).await;
}

#[tokio::test]
async fn hostile_headers_arrive_flagged_through_tls_too() {
    let guard = Guard::new();
    hostile_headers(&guard, with_tls(&guard)).await;
}

async fn hostile_headers(guard: &Guard, settings: Settings) {
    let link = link(settings).await;
    let queue = guard.queue("hostile");
    let mut consumer = subscribe(&link, &queue).await;
    let key = [&short(b"k\xff")[..], b"t\x01"].concat();
    let hostile: [(&[u8], Vec<u8>); 6] = [
        (b"text/plain", key),
        (b"te\xc3xt", Vec::new()),
        (b"", nested(b'F', 1_200)),
        (b"", nested(b'F', 15_000)),
        (b"", nested(b'A', 1_200)),
        (b"", nested(b'A', 18_000)),
    ];
    for (content_type, headers) in &hostile {
        // A connection each: the broker itself may have enough of one.
        let mut raw = Raw::connect(&broker::amqp_url()).await;
        raw.publish(b"", queue.as_bytes(), content_type, headers).await;
        raw.close().await;
    }
    send(&link, &queue, Message::new("good")).await.unwrap();
    for _ in &hostile {
        let delivery = receive(&mut consumer).await;
        assert!(delivery.defect == Some(Defect::Repaired), "{:?}", delivery.message);
        consumer.settle(delivery.receipt, Settlement::Acknowledge);
    }
    let good = receive(&mut consumer).await;
    assert_eq!((body(&good), good.defect), ("good", None));
    link.close().await;
}

#[tokio::test]
async fn a_routing_key_that_is_not_utf_8_arrives_flagged() {
    let guard = Guard::new();
    hostile_key(&guard, guard.settings()).await;
}

#[tokio::test]
async fn a_routing_key_that_is_not_utf_8_arrives_flagged_through_tls_too() {
    let guard = Guard::new();
    hostile_key(&guard, with_tls(&guard)).await;
}

async fn hostile_key(guard: &Guard, settings: Settings) {
    let link = link(settings).await;
    let (queue, exchange) = (guard.queue("key"), guard.exchange("key"));
    let mut subscription = Subscription::new("listener", &*queue);
    subscription.binding =
        Some(Binding { exchange: exchange.clone(), kind: BindingKind::Topic, key: "#".into() });
    let mut consumer = link.subscribe(&subscription).await.unwrap();
    let mut raw = Raw::connect(&broker::amqp_url()).await;
    raw.publish(exchange.as_bytes(), b"a.\xff", b"", b"").await;
    raw.close().await;
    let delivery = receive(&mut consumer).await;
    assert_eq!(delivery.defect, Some(Defect::Repaired));
    assert_eq!(&*delivery.origin.routing_key, "a.?");
    send(&link, &queue, Message::new("good")).await.unwrap();
    assert_eq!(receive(&mut consumer).await.defect, None);
    link.close().await;
}

#[tokio::test]
async fn very_many_and_very_large_headers_arrive_whole() {
    let guard = Guard::new();
    let link = link(guard.settings()).await;
    let queue = guard.queue("large");
    let mut consumer = subscribe(&link, &queue).await;
    let many = (0..5_000).flat_map(|n| [&short(format!("k{n}").as_bytes())[..], b"t\x01"].concat()).collect();
    let large = [&short(b"k")[..], b"S", &long(&vec![b'v'; 120 * 1024])].concat();
    let mut raw = Raw::connect(&broker::amqp_url()).await;
    for headers in [many, large] {
        raw.publish(b"", queue.as_bytes(), b"", &headers).await;
    }
    raw.close().await;
    for count in [5_000, 1] {
        let delivery = receive(&mut consumer).await;
        assert_eq!((delivery.message.headers().len(), delivery.defect), (count, None));
        consumer.settle(delivery.receipt, Settlement::Acknowledge);
    }
    link.close().await;
}

mod listening {
    use super::*;
    use hearken::prelude::*;
    use hearken_testkit::Journal;
    use lapin::BasicProperties;
    use lapin::options::{BasicGetOptions, BasicPublishOptions};
    use lapin::types::AMQPValue;

    #[listener(queue = "unused", redelivery = "default")]
    async fn target(Text(body): Text, State(journal): State<Journal>) {
        journal.write(format!("call {body}"));
    }

    /// Neither is handled, both are dead letters at the first sight, and the good message is handled.
    #[tokio::test]
    async fn a_hostile_and_an_oversized_message_become_dead_letters_without_a_call() {
        let journal = Journal::default();
        let [queue, dead] = ["hostile", "dead"].map(broker::unique);
        let mut running = Hearken::builder()
            .listen::<target>()
            .state(journal.clone())
            .set("transport.url", broker::amqp_url())
            .set("transport.maxMessageBytes", "64KiB")
            .set("application.name", "hostile")
            .set("listeners.target.queue", queue.as_str())
            .set("listeners.target.deadLetter", dead.as_str())
            .build()
            .unwrap()
            .start()
            .await
            .unwrap();
        let mut raw = Raw::connect(&broker::amqp_url()).await;
        raw.publish(b"", queue.as_bytes(), b"", &nested(b'F', 1_200)).await;
        raw.close().await;
        let other = broker::lapin().await;
        let channel = other.create_channel().await.unwrap();
        let (options, properties) = (BasicPublishOptions::default(), BasicProperties::default());
        let large = vec![b'x'; 65 * 1024];
        channel.basic_publish("".into(), queue.as_str().into(), options, &large, properties).await.unwrap();
        running.publisher().send(queue.as_str(), "good").await.unwrap();
        journal.wait_for("call", 1).await;
        running.stop_listeners().await;
        let mut told = Vec::new();
        let options = BasicGetOptions { no_ack: true };
        while let Some(letter) = channel.basic_get(dead.as_str().into(), options).await.unwrap() {
            let headers = letter.delivery.properties.headers().clone().unwrap_or_default();
            let Some(AMQPValue::LongString(text)) = headers.inner().get("hearken-error-text") else {
                continue;
            };
            told.push(String::from_utf8_lossy(text.as_bytes()).into_owned());
        }
        for queue in [queue, dead] {
            running.delete_queue(&queue).await.unwrap();
        }
        running.stop().await;
        assert_eq!(journal.matching("call"), ["call good"]);
        told.sort();
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].contains("a name or a table of the message could not be parsed"), "{}", told[0]);
        assert!(told[1].contains("too large: the body has 66560 bytes; the limit is 65536"), "{}", told[1]);
    }
}
