use crate::{Q, broker, consume, link, millis, order, take};
use hearken_core::delivery::Settlement;
use hearken_core::transport::PublishError;
use tokio::time::{Instant, sleep};

#[tokio::test(start_paused = true)]
async fn a_publish_to_a_full_queue_goes_on_when_there_is_room() {
    let broker = broker(|settings| settings.max_queue_messages = Some(1));
    let link = link(&broker).await;
    let mut consumer = consume(&link, 1).await;
    broker.publish(order("a")).await.unwrap();
    let start = Instant::now();
    let publishing = tokio::spawn({
        let broker = broker.clone();
        async move { broker.publish(order("b")).await }
    });
    sleep(millis(100)).await;
    assert!(!publishing.is_finished());
    let delivery = take(&mut consumer).await;
    consumer.settle(delivery.receipt, Settlement::Acknowledge);
    publishing.await.unwrap().unwrap();
    assert_eq!(start.elapsed(), millis(100));
}

#[tokio::test(start_paused = true)]
async fn a_publish_that_finds_no_room_in_time_is_refused_and_leaves_nothing() {
    let broker = broker(|settings| settings.max_queue_messages = Some(1));
    broker.declare_queue(Q).unwrap();
    broker.publish(order("a")).await.unwrap();
    let start = Instant::now();
    let error = broker.publish(order("b")).await.unwrap_err();
    assert_eq!(start.elapsed(), millis(30_000));
    let text = error.to_string();
    assert!(matches!(error, PublishError::Refused { .. }));
    assert!(text.contains("queue `orders` is full") && text.contains("at most 1"), "{text}");
    let link = link(&broker).await;
    let mut consumer = consume(&link, 1).await;
    let delivery = take(&mut consumer).await;
    consumer.settle(delivery.receipt, Settlement::Acknowledge);
    assert_eq!(broker.queue_depth(Q).unwrap().ready, 0);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_publish_leaves_its_place_to_the_next() {
    let broker = broker(|settings| settings.max_queue_messages = Some(1));
    let link = link(&broker).await;
    let mut consumer = consume(&link, 1).await;
    broker.publish(order("a")).await.unwrap();
    assert!(tokio::time::timeout(millis(5), broker.publish(order("dropped"))).await.is_err());
    let publishing = tokio::spawn({
        let broker = broker.clone();
        async move { broker.publish(order("b")).await }
    });
    sleep(millis(5)).await;
    let delivery = take(&mut consumer).await;
    consumer.settle(delivery.receipt, Settlement::Acknowledge);
    publishing.await.unwrap().unwrap();
    assert_eq!(crate::body(&take(&mut consumer).await.message), "b");
}
