use crate::{Q, body, broker, consume, link, next, order, take};
use hearken_core::delivery::{Receipt, Settlement};
use hearken_core::message::Message;
use hearken_core::transport::{Capabilities, Outgoing, Transport};
use hearken_embedded::EmbeddedTransport;

#[tokio::test(start_paused = true)]
async fn a_message_passes_from_a_publisher_to_a_waiting_consumer() {
    let broker = broker(|_| ());
    let link = link(&broker).await;
    let mut consumer = consume(&link, 1).await;
    let waiting = tokio::spawn(async move {
        let delivery = take(&mut consumer).await;
        let text = body(&delivery.message);
        consumer.settle(delivery.receipt, Settlement::Acknowledge);
        (text, consumer)
    });
    tokio::task::yield_now().await;
    link.publish(order("a")).await.unwrap();
    let (text, _consumer) = waiting.await.unwrap();
    assert_eq!(text, "a");
    assert_eq!(broker.queue_depth(Q).unwrap().unacknowledged, 0);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_consumer_hands_out_its_buffer_and_its_close_gives_back_the_rest() {
    let broker = broker(|_| ());
    let link = link(&broker).await;
    let mut consumer = consume(&link, 3).await;
    for text in ["a", "b", "c", "d"] {
        broker.publish(order(text)).await.unwrap();
    }
    let first = take(&mut consumer).await;
    consumer.cancel().await.unwrap();
    consumer.settle(first.receipt, Settlement::Acknowledge);
    for text in ["b", "c"] {
        assert_eq!(body(&take(&mut consumer).await.message), text);
    }
    assert!(next(&mut consumer).await.is_none());
    consumer.close().await.unwrap();
    let mut other = consume(&link, 10).await;
    for (text, redelivered) in [("b", true), ("c", true), ("d", false)] {
        let delivery = take(&mut other).await;
        assert_eq!((body(&delivery.message).as_str(), delivery.redelivered), (text, redelivered));
    }
}

#[tokio::test(start_paused = true)]
async fn a_consumer_outlives_a_link_that_is_only_dropped() {
    let broker = broker(|_| ());
    let mut consumer = consume(&link(&broker).await, 1).await;
    broker.publish(order("a")).await.unwrap();
    assert_eq!(body(&take(&mut consumer).await.message), "a");
    consumer.settle(Receipt::new(99, None), Settlement::Acknowledge);
    drop(consumer);
    assert_eq!(broker.queue_depth(Q).unwrap().ready, 1);
}

#[tokio::test(start_paused = true)]
async fn a_consumer_or_publisher_that_never_waits_lets_others_run() {
    let broker = broker(|_| ());
    let link = link(&broker).await;
    let mut consumer = consume(&link, 1).await;
    broker.publish(order("a")).await.unwrap();
    let spinning = tokio::spawn(async move {
        loop {
            let delivery = take(&mut consumer).await;
            consumer.settle(delivery.receipt, Settlement::Requeue);
        }
    });
    let publishing = tokio::spawn({
        let broker = broker.clone();
        async move { while broker.publish(Outgoing::new("nowhere".into(), Message::new("b"))).await.is_err() {} }
    });
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    spinning.abort();
    publishing.abort();
}

#[tokio::test(start_paused = true)]
async fn looking_changes_nothing() {
    let broker = broker(|_| ());
    broker.declare_queue(Q).unwrap();
    broker.publish(order("a")).await.unwrap();
    for _ in 0..2 {
        assert_eq!(broker.peek(Q).iter().map(body).collect::<Vec<_>>(), ["a"]);
    }
    assert_eq!((broker.peek("none"), broker.queue_depth("none")), (vec![], None));
    let link = link(&broker).await;
    let mut consumer = consume(&link, 1).await;
    assert!(!take(&mut consumer).await.redelivered);
    assert_eq!(broker.queues(), [Q]);
}

#[test]
fn the_transport_says_what_it_is() {
    let transport = EmbeddedTransport::new(broker(|_| ()));
    assert_eq!((transport.system(), transport.address().as_str()), ("embedded", "embedded:"));
    assert_eq!(transport.capabilities(), Capabilities::new(false, None));
}
