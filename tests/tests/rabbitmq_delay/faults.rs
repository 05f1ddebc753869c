//! Levels that refuse or are gone, and a link that is cut between the confirm of a copy and the acknowledgement.

use crate::rabbitmq_support::{SOON, body, drain, failed, link_for, receive, send, silent, subscribe};
use crate::{LONG, WHILE, millis};
use hearken_core::delivery::Settlement;
use hearken_core::message::Message;
use hearken_core::transport::{Plan, PublishError, QueueType, Subscription, Transport};
use hearken_rabbitmq::{RabbitMq, Settings, Topology};
use hearken_tests::broker::{self, unique};
use hearken_tests::proxy::Proxy;
use hearken_tests::vhost::{VirtualHost, ctl};
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_full_level_refuses_the_copy_until_there_is_room() {
    let host = VirtualHost::create().await;
    let settings = Settings::new(host.url().parse().unwrap(), unique("app"));
    let (level, queue) = (format!("^hearken.v1.{}.l13$", settings.application), unique("full"));
    ctl(&["set_policy", "-p", host.name(), "full", &level, r#"{"max-length":1}"#, "--apply-to", "queues"])
        .await;
    let link = link_for(settings, LONG).await;
    let mut consumer = subscribe(&link, &queue).await;
    let long = Duration::from_secs(10_000);
    // A quorum queue refuses from the message after the one that filled it.
    let mut refused = 0;
    for _ in 0..5 {
        match link.redeliver(&queue, Message::new("long"), long).await {
            Ok(()) => assert_eq!(refused, 0, "refused once, refused until there is room"),
            Err(PublishError::Refused { reason }) => {
                assert!(reason.contains(".l13`"), "{reason}");
                refused += 1;
            }
            Err(error) => panic!("{error:?}"),
        }
    }
    assert!(refused >= 3, "{refused}");
    // Others have room.
    link.redeliver(&queue, Message::new("short"), Duration::from_secs(1)).await.unwrap();
    assert_eq!(drain(&mut consumer, 1).await, ["short"]);
    ctl(&["clear_policy", "-p", host.name(), "full"]).await;
    let begin = Instant::now();
    while link.redeliver(&queue, Message::new("long"), long).await.is_err() {
        assert!(begin.elapsed() < SOON);
        tokio::time::sleep(millis(50)).await;
    }
    link.close().await;
}

#[tokio::test]
async fn a_level_that_somebody_deleted_refuses_one_copy_and_is_declared_again() {
    let host = VirtualHost::create().await;
    let mut settings = Settings::new(host.url().parse().unwrap(), unique("app"));
    let (level, queue) = (format!("hearken.v1.{}.l00", settings.application), unique("deleted"));
    let link = link_for(settings.clone(), LONG).await;
    let mut consumer = subscribe(&link, &queue).await;
    let after = Duration::from_secs(1);
    link.redeliver(&queue, Message::new("before"), after).await.unwrap();
    assert_eq!(drain(&mut consumer, 1).await, ["before"]);
    for exchange_too in [false, true] {
        link.delete_queue(&level).await.unwrap();
        if exchange_too {
            let direct = lapin::Connection::connect(&host.url(), Default::default()).await.unwrap();
            let channel = direct.create_channel().await.unwrap();
            channel.exchange_delete(level.as_str().into(), Default::default()).await.unwrap();
            direct.close(200, "OK".into()).await.unwrap();
        }
        let error = link.redeliver(&queue, Message::new("lost?"), after).await.unwrap_err();
        match (&error, exchange_too) {
            (PublishError::Returned { .. }, false) | (PublishError::Refused { .. }, true) => {}
            _ => panic!("{error:?}"),
        }
        assert!(error.to_string().contains(&level), "{error}");
        link.redeliver(&queue, Message::new("again"), after).await.unwrap();
        assert_eq!(drain(&mut consumer, 1).await, ["again"]);
    }
    // Who may not declare is refused until somebody else does.
    settings.topology = Topology::Assume;
    let guest = link_for(settings, LONG).await;
    link.delete_queue(&level).await.unwrap();
    for _ in 0..2 {
        guest.redeliver(&queue, Message::new("never"), after).await.unwrap_err();
    }
    assert!(silent(&mut consumer, after + WHILE).await, "what was refused does not come");
    guest.close().await;
    link.close().await;
}

#[tokio::test]
async fn a_cut_between_confirm_and_acknowledgement_costs_a_second_delivery_and_no_second_call() {
    for queue_type in [QueueType::Quorum, QueueType::Classic] {
        let host = VirtualHost::create().await;
        let proxy = Proxy::start(broker::amqp_address()).await;
        let mut settings = Settings::new(host.url_at(&proxy.address()).parse().unwrap(), unique("app"));
        settings.call_timeout = Duration::from_secs(2);
        let transport = RabbitMq::new(settings).unwrap();
        let first = transport.connect(&Plan::new(LONG)).await.unwrap();
        let queue = unique("cut");
        let mut subscription = Subscription::new("listener", &*queue);
        subscription.queue_type = queue_type;
        let mut consumer = first.subscribe(&subscription).await.unwrap();
        for n in 0..20 {
            send(&first, &queue, Message::new(n.to_string()).with_id(n.to_string())).await.unwrap();
        }
        let mut deliveries = Vec::new();
        for _ in 0..20 {
            let delivery = receive(&mut consumer).await;
            first.redeliver(&queue, failed(&delivery), millis(2_100)).await.unwrap();
            deliveries.push(delivery);
        }
        proxy.mute();
        for delivery in deliveries {
            consumer.settle(delivery.receipt, Settlement::Moved);
        }
        tokio::time::sleep(WHILE).await;
        proxy.cut().await;
        tokio::time::timeout(SOON, first.lost()).await.unwrap();
        drop(consumer);

        let second = transport.connect(&Plan::new(LONG)).await.unwrap();
        let mut again = second.subscribe(&subscription).await.unwrap();
        let mut seen = Vec::new();
        for _ in 0..20 {
            let delivery = receive(&mut again).await;
            assert_eq!((delivery.attempt(), delivery.redelivered), (2, false), "{queue_type:?}: the copy");
            seen.push(body(&delivery).parse::<u32>().unwrap());
            again.settle(delivery.receipt, Settlement::Acknowledge);
        }
        seen.sort_unstable();
        assert_eq!(seen, (0..20).collect::<Vec<_>>());
        assert!(silent(&mut again, WHILE).await);
        first.close().await;
        second.close().await;
    }
}
