use super::ends::{consumer_timeout, with_consumer_timeout};
use super::rabbitmq_support::raw::server_version;
use super::rabbitmq_support::{SOON, next, receive, send};
use super::settings;
use hearken_core::delivery::{Receipt, Settlement};
use hearken_core::failure::FailureKind;
use hearken_core::history::{FailureRecord, History};
use hearken_core::message::Message;
use hearken_core::time::Timestamp;
use hearken_core::transport::{Consumer, Link, Plan, QueueType, Subscription, Transport};
use hearken_rabbitmq::{RabbitMq, Settings};
use hearken_tests::broker;
use hearken_tests::node::{Lease, Node, SETTLED};
use hearken_tests::proxy::Proxy;
use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;

/// The rows of the table, by how they begin.
const EVENTS: [(&str, Event); 10] = [
    ("failure, panic, time-out of the handler: moved", Event::Moved),
    ("failure, panic, time-out of the handler: rejected", Event::Rejected),
    ("hand-back of one delivery", Event::HandedBack),
    ("scale-down, stop: cancelled", Event::CancelledAndHandedBack),
    ("scale-down, stop: closed", Event::Closed),
    ("the broker closes the channel", Event::ChannelClosed),
    ("the connection is cut", Event::ConnectionCut),
    ("the process is killed", Event::ProcessKilled),
    ("`consumer_timeout`", Event::ConsumerTimeout),
    ("the broker is killed", Event::BrokerKilled),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Moved,
    Rejected,
    HandedBack,
    CancelledAndHandedBack,
    Closed,
    ChannelClosed,
    ConnectionCut,
    ProcessKilled,
    ConsumerTimeout,
    BrokerKilled,
}

struct Scene<'a> {
    node: &'a Node,
    settings: Settings,
    subscription: Subscription,
}

impl Scene<'_> {
    async fn link(&self) -> Arc<dyn Link> {
        RabbitMq::new(self.settings.clone()).unwrap().connect(&Plan::default()).await.unwrap()
    }

    async fn consumer(&self, link: &Arc<dyn Link>) -> Box<dyn Consumer> {
        link.subscribe(&self.subscription).await.unwrap()
    }

    /// Lets it happen to the first delivery of a message; the count of the second.
    async fn count_after(&mut self, event: Event) -> u64 {
        let queue = self.subscription.queue.clone();
        let link = self.link().await;
        let mut consumer = self.consumer(&link).await;
        send(&link, &queue, Message::new("x").with_id("1")).await.unwrap();
        if event == Event::ProcessKilled {
            consumer.close().await.unwrap();
            // What it had counts as handed out.
            link.delete_queue(&queue).await.unwrap();
            let prepared = self.consumer(&link).await;
            prepared.close().await.unwrap();
            send(&link, &queue, Message::new("x")).await.unwrap();
            hold_and_die(self.node.url(), &queue).await;
            return self.second(&link).await;
        }
        let first = receive(&mut consumer).await;
        assert_eq!((first.delivery_count, first.redelivered), (0, false), "{event:?}");
        match event {
            Event::Moved => {
                let record = FailureRecord { kind: FailureKind::Error, code: None, text: "no".into() };
                let mut copy = first.message.clone();
                History::failed(None, record, Timestamp::from_millis(1))
                    .write(&first.origin, copy.headers_mut());
                link.redeliver(&queue, copy, Duration::ZERO).await.unwrap();
                consumer.settle(first.receipt, Settlement::Moved);
                return receive(&mut consumer).await.delivery_count;
            }
            Event::Rejected => {
                consumer.settle(first.receipt, Settlement::Requeue);
                return receive(&mut consumer).await.delivery_count;
            }
            Event::HandedBack => {
                consumer.settle(first.receipt, Settlement::HandBack);
                return receive(&mut consumer).await.delivery_count;
            }
            Event::CancelledAndHandedBack => {
                consumer.cancel().await.unwrap();
                consumer.settle(first.receipt, Settlement::HandBack);
                consumer.close().await.unwrap();
            }
            Event::Closed => consumer.close().await.unwrap(),
            Event::ChannelClosed => {
                // A tag that the broker never gave.
                consumer.settle(Receipt::new(first.receipt.tag() + 1, None), Settlement::HandBack);
                assert!(next(&mut consumer).await.unwrap().is_err());
            }
            Event::ConnectionCut => {
                let proxy = Proxy::start(self.node.address().to_owned()).await;
                consumer.settle(first.receipt, Settlement::Acknowledge);
                consumer.close().await.unwrap();
                let direct = std::mem::replace(
                    &mut self.settings.url,
                    self.node.url_at(&proxy.address()).parse().unwrap(),
                );
                let behind = self.link().await;
                self.settings.url = direct;
                let mut consumer = self.consumer(&behind).await;
                send(&link, &queue, Message::new("x").with_id("2")).await.unwrap();
                let _held = receive(&mut consumer).await;
                proxy.cut().await;
                tokio::time::timeout(SOON, behind.lost()).await.unwrap();
            }
            Event::ConsumerTimeout => {
                assert!(next(&mut consumer).await.unwrap().is_err());
            }
            Event::BrokerKilled => {
                tokio::time::sleep(SETTLED).await;
                self.node.kill().await;
                tokio::time::timeout(SOON, link.lost()).await.unwrap();
                self.node.up().await;
                let again = self.link().await;
                return self.second(&again).await;
            }
            Event::ProcessKilled => unreachable!(),
        }
        self.second(&link).await
    }

    async fn second(&self, link: &Arc<dyn Link>) -> u64 {
        let mut consumer = self.consumer(link).await;
        let second = receive(&mut consumer).await;
        assert!(second.redelivered);
        second.delivery_count
    }
}

async fn hold_and_die(url: &str, queue: &str) {
    let mut holder = tokio::process::Command::new(env!("CARGO_BIN_EXE_holder"));
    let mut holder = holder.args([url, queue]).stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let mut said = [0; 5];
    holder.stdout.as_mut().unwrap().read_exact(&mut said).await.unwrap();
    assert_eq!(&said, b"holds");
    holder.kill().await.unwrap();
}

/// The cells of one release in the table, by the beginning of the row.
fn documented(release: &str) -> BTreeMap<&'static str, String> {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/delivery-counts.md")).unwrap();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"))
        .map(|line| line.split(" | ").collect())
        .collect();
    let column = rows[0].iter().position(|cell| *cell == release);
    let column = column.unwrap_or_else(|| panic!("no column for RabbitMQ {release}"));
    EVENTS
        .iter()
        .map(|(event, _)| {
            let row = rows.iter().find(|row| row[0].starts_with(event));
            (*event, row.unwrap_or_else(|| panic!("no row for {event}"))[column].to_owned())
        })
        .collect()
}

#[tokio::test]
async fn the_brokers_count_is_what_the_table_in_the_docs_says() {
    let node = Lease::take().await;
    let version = server_version(node.url()).await;
    let release: Vec<&str> = version.split('.').take(2).collect();
    let with_timeout = with_consumer_timeout(&node).await;
    let mut counted = BTreeMap::new();
    for queue_type in [QueueType::Quorum, QueueType::Classic] {
        for (name, event) in EVENTS {
            if event == Event::ConsumerTimeout && !with_timeout.contains(&queue_type) {
                continue;
            }
            let mut subscription = Subscription::new("listener", broker::unique("count"));
            subscription.queue_type = queue_type;
            let mut scene = Scene { node: &node, settings: settings(&node), subscription };
            if event == Event::ConsumerTimeout {
                consumer_timeout(&node, 2_000, 500).await;
            }
            let count = scene.count_after(event).await;
            if event == Event::ConsumerTimeout {
                consumer_timeout(&node, 1_800_000, 60_000).await;
            }
            match queue_type {
                QueueType::Classic => assert_eq!(count, 0, "a classic queue counts nothing: {name}"),
                QueueType::Quorum => {
                    counted.insert(name, if count == 0 { "0".to_owned() } else { format!("+{count}") });
                }
            }
        }
    }
    let documented = documented(&release.join("."));
    let wrong = |(event, count): &(&&str, &String)| {
        !documented.get(**event).is_some_and(|cell| cell.split(" or ").any(|cell| cell == *count))
    };
    let wrong: Vec<_> = counted.iter().filter(wrong).collect();
    assert!(wrong.is_empty(), "RabbitMQ {version}: {wrong:?}");
    assert_eq!(counted.len(), documented.len());
}

#[tokio::test]
async fn a_count_that_a_sender_claims_is_not_read_and_does_not_replace_the_brokers() {
    let node = Lease::take().await;
    let link = super::rabbitmq_support::link(settings(&node)).await;
    for queue_type in [QueueType::Quorum, QueueType::Classic] {
        let mut subscription = Subscription::new("listener", broker::unique("claimed"));
        subscription.queue_type = queue_type;
        let mut consumer = link.subscribe(&subscription).await.unwrap();
        for claim in [7, -1] {
            let claiming = Message::new("x").with_header("x-delivery-count", claim).with_header("mine", 1);
            send(&link, &subscription.queue, claiming).await.unwrap();
            let first = receive(&mut consumer).await;
            assert_eq!(first.delivery_count, 0);
            assert_eq!(first.message.headers().len(), 1, "{:?}", first.message.headers());
            consumer.settle(first.receipt, Settlement::Requeue);
            let second = receive(&mut consumer).await;
            if queue_type == QueueType::Quorum {
                assert_eq!(second.delivery_count, 1);
            }
            consumer.settle(second.receipt, Settlement::Acknowledge);
        }
    }
    link.close().await;
}
