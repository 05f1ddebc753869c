//! Waits of hours in a second: a policy of the virtual host shortens every level, and nothing else.

use crate::rabbitmq_support::{body, failed, link_for, receive, send, silent, subscribe};
use crate::{LONG, WHILE, millis};
use hearken_core::delivery::Settlement;
use hearken_core::message::Message;
use hearken_core::transport::{QueueType, Subscription};
use hearken_rabbitmq::Settings;
use hearken_tests::broker::unique;
use hearken_tests::vhost::{VirtualHost, ctl};
use std::time::{Duration, Instant};

/// What each level holds a message for here, in milliseconds.
const SHORT: &str = r#"{"message-ttl":40}"#;
const LEVELS: &str = r"^hearken\.v1\..*\.l[0-9]{2}$";

async fn shorten(host: &VirtualHost) {
    ctl(&["set_policy", "-p", host.name(), "short", LEVELS, SHORT, "--apply-to", "queues"]).await;
}

fn settings(host: &VirtualHost) -> Settings {
    Settings::new(host.url().parse().unwrap(), unique("app"))
}

#[tokio::test]
async fn two_hours_and_fifteen_percent_are_one_journey_and_twelve_hours_are_three_without_a_call() {
    let host = VirtualHost::create().await;
    shorten(&host).await;
    let link = link_for(settings(&host), LONG).await;
    for queue_type in [QueueType::Quorum, QueueType::Classic] {
        let queue = unique("journey");
        let mut subscription = Subscription::new("listener", &*queue);
        subscription.queue_type = queue_type;
        let mut consumer = link.subscribe(&subscription).await.unwrap();
        send(&link, &queue, Message::new("x").with_id("1").with_header("mine", 1)).await.unwrap();
        let waits = [
            Duration::from_secs(7_200).mul_f64(1.15),
            // All digits, and the least that needs another round.
            Duration::from_secs(16_383) + millis(999),
            Duration::from_secs(16_384),
            Duration::from_secs(12 * 3_600) + millis(250),
        ];
        for (passed, wait) in waits.into_iter().enumerate() {
            let delivery = receive(&mut consumer).await;
            assert_eq!(delivery.attempt(), passed as u64 + 1);
            let sent = Instant::now();
            link.redeliver(&queue, failed(&delivery), wait).await.unwrap();
            consumer.settle(delivery.receipt, Settlement::Moved);
            let back = receive(&mut consumer).await;
            println!("{queue_type:?}: {wait:?} in {:?}", sent.elapsed());
            let remainder = millis(u64::from(wait.subsec_millis()));
            assert_eq!((body(&back), back.hold, &*back.origin.queue), ("x", remainder, &*queue));
            assert_eq!(back.message.headers().len(), 1, "{:?}", back.message.headers());
            // For the next one.
            consumer.settle(back.receipt, Settlement::Requeue);
        }
        let last = receive(&mut consumer).await;
        assert_eq!(last.attempt(), waits.len() as u64 + 1);
        consumer.settle(last.receipt, Settlement::Acknowledge);
        assert!(silent(&mut consumer, WHILE).await, "one message all the way");
        consumer.close().await.unwrap();
        assert!(silent(&mut link.subscribe(&subscription).await.unwrap(), WHILE).await);
    }
    link.close().await;
}

#[tokio::test]
async fn a_copy_on_its_journey_outlives_everybody_who_knows_of_it() {
    let host = VirtualHost::create().await;
    let settings = settings(&host);
    let queue = unique("alone");
    let first = link_for(settings.clone(), LONG).await;
    let mut consumer = subscribe(&first, &queue).await;
    send(&first, &queue, Message::new("x").with_id("1")).await.unwrap();
    let delivery = receive(&mut consumer).await;
    first.redeliver(&queue, failed(&delivery), Duration::from_secs(3)).await.unwrap();
    consumer.settle(delivery.receipt, Settlement::Moved);
    consumer.close().await.unwrap();
    first.close().await;
    // It arrives while nobody consumes.
    tokio::time::sleep(Duration::from_secs(4)).await;
    let second = link_for(settings, LONG).await;
    let delivery = receive(&mut subscribe(&second, &queue).await).await;
    assert_eq!((delivery.attempt(), delivery.redelivered), (2, false));
    second.close().await;
}
