use crate::{Q, body, broker, consume, link, millis, order, take};
use hearken_core::delivery::Settlement;
use hearken_core::message::Message;
use hearken_core::transport::Outgoing;
use std::time::Duration;
use tokio::time::{Instant, sleep};

#[tokio::test(start_paused = true)]
async fn a_delayed_copy_arrives_to_the_millisecond_and_never_early() {
    let broker = broker(|_| ());
    let link = link(&broker).await;
    let mut consumer = consume(&link, 10).await;
    let start = Instant::now();
    for (text, after) in [("2 h", 7_200_000_000), ("1 s", 1_000_000), ("100 µs", 100), ("2.3 ms", 2_300)] {
        link.redeliver(Q, Message::new(text), Duration::from_micros(after)).await.unwrap();
    }
    let arrivals = [("100 µs", 100), ("2.3 ms", 2_300), ("1 s", 1_000_000), ("2 h", 7_200_000_000)];
    for (text, after) in arrivals {
        let delivery = take(&mut consumer).await;
        assert_eq!(body(&delivery.message), text);
        let (late, after) = (start.elapsed(), Duration::from_micros(after));
        assert!(late >= after && late <= after + millis(1), "{text} after {late:?}");
        consumer.settle(delivery.receipt, Settlement::Acknowledge);
    }
}

#[tokio::test(start_paused = true)]
async fn a_shorter_wait_that_comes_later_is_not_slept_through() {
    let broker = broker(|_| ());
    let link = link(&broker).await;
    let mut consumer = consume(&link, 10).await;
    link.redeliver(Q, Message::new("long"), millis(10_000)).await.unwrap();
    sleep(millis(10)).await;
    let start = Instant::now();
    link.redeliver(Q, Message::new("short"), millis(20)).await.unwrap();
    assert_eq!(body(&take(&mut consumer).await.message), "short");
    assert_eq!(start.elapsed(), millis(20));
    assert_eq!(body(&take(&mut consumer).await.message), "long");
    assert_eq!(start.elapsed(), millis(9_990));
}

#[tokio::test(start_paused = true)]
async fn messages_expire_by_themselves_into_the_dead_letter_queue() {
    let broker = broker(|_| ());
    broker.declare_queue_with_dead_letters(Q, "dead").unwrap();
    let message = Message::new("a").with_time_to_live(millis(50));
    broker.publish(Outgoing::new(Q.into(), message)).await.unwrap();
    let link = link(&broker).await;
    let subscription = hearken_core::transport::Subscription::new("on_dead", "dead");
    let mut dead = link.subscribe(&subscription).await.unwrap();
    let start = Instant::now();
    let delivery = take(&mut dead).await;
    assert_eq!(start.elapsed(), millis(50));
    assert_eq!(delivery.message.headers().text("x-first-death-queue"), Some(Q));
    assert_eq!((&*delivery.origin.exchange, &*delivery.origin.routing_key), ("", "dead"));
}

async fn run() -> Vec<(String, Duration)> {
    let broker = broker(|_| ());
    let start = Instant::now();
    let mut tasks = Vec::new();
    for reader in 0..3 {
        let link = link(&broker).await;
        let mut consumer = consume(&link, 2).await;
        tasks.push(tokio::spawn(async move {
            let mut seen = Vec::new();
            while let Ok(delivery) = tokio::time::timeout(millis(500), take(&mut consumer)).await {
                seen.push((format!("{reader}: {}", body(&delivery.message)), start.elapsed()));
                sleep(millis(reader)).await;
                if delivery.redelivered {
                    consumer.settle(delivery.receipt, Settlement::Acknowledge);
                } else {
                    link.redeliver(Q, delivery.message, millis(7 * reader + 3)).await.unwrap();
                    consumer.settle(delivery.receipt, Settlement::Moved);
                }
            }
            seen
        }));
    }
    for number in 0..50 {
        broker.publish(order(&number.to_string())).await.unwrap();
        sleep(millis(number % 3)).await;
    }
    let mut all = Vec::new();
    for task in tasks {
        all.extend(task.await.unwrap());
    }
    assert_eq!(broker.queue_depth(Q).unwrap(), hearken_embedded::QueueStats::default());
    all
}

#[test]
fn equal_inputs_under_a_paused_clock_give_an_equal_order() {
    let results = [0, 1].map(|_| {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_time().start_paused(true).build().unwrap().block_on(run())
    });
    assert_eq!(results[0].len(), 100);
    assert_eq!(results[0], results[1]);
}
