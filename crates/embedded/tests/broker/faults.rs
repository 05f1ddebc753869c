use crate::{Q, body, broker, consume, link, millis, next, order, take};
use hearken_core::message::Message;
use hearken_core::transport::{Outgoing, Plan, PublishError, Subscription, Transport, TransportErrorKind};
use hearken_embedded::EmbeddedTransport;
use tokio::time::{sleep, timeout};

#[tokio::test(start_paused = true)]
async fn a_cut_is_noticed_by_link_consumer_and_publisher_and_loses_nothing() {
    let broker = broker(|_| ());
    let link = link(&broker).await;
    let mut consumer = consume(&link, 1).await;
    for text in ["a", "b"] {
        broker.publish(order(text)).await.unwrap();
    }
    take(&mut consumer).await;
    let lost = link.lost();
    broker.cut_links();
    assert_eq!(lost.await.kind(), &TransportErrorKind::ConnectionLost);
    assert_eq!(link.lost().await.kind(), &TransportErrorKind::ConnectionLost);
    let error = next(&mut consumer).await.unwrap().unwrap_err();
    assert_eq!(error.kind(), &TransportErrorKind::ConnectionLost);
    assert!(next(&mut consumer).await.is_none());
    assert!(matches!(link.publish(order("c")).await, Err(PublishError::Unknown { .. })));
    let redeliver = link.redeliver(Q, Message::new("c"), millis(1)).await;
    assert!(matches!(redeliver, Err(PublishError::Unknown { .. })));
    assert!(link.subscribe(&Subscription::new("on_order", Q)).await.is_err());
    assert!(link.delete_queue(Q).await.is_err());

    let link = crate::link(&broker).await;
    let mut consumer = consume(&link, 10).await;
    let delivery = take(&mut consumer).await;
    assert_eq!((body(&delivery.message).as_str(), delivery.redelivered), ("a", true));
    assert_eq!(body(&take(&mut consumer).await.message), "b");
    assert!(timeout(millis(1000), link.lost()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_waiting_consumer_is_woken_by_a_cut() {
    let broker = broker(|_| ());
    let link = link(&broker).await;
    let mut consumer = consume(&link, 1).await;
    let waiting = tokio::spawn(async move { next(&mut consumer).await.unwrap().is_err() });
    sleep(millis(10)).await;
    broker.cut_links();
    assert!(waiting.await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_closed_link_is_never_lost_and_gives_nothing_more() {
    let broker = broker(|_| ());
    let link = link(&broker).await;
    let mut consumer = consume(&link, 1).await;
    broker.publish(order("a")).await.unwrap();
    take(&mut consumer).await;
    let lost = link.lost();
    link.close().await;
    broker.cut_links();
    assert!(timeout(millis(1000), lost).await.is_err());
    assert_eq!(broker.queue_depth(Q).unwrap().ready, 1);
    assert!(next(&mut consumer).await.unwrap().is_err());
}

#[tokio::test(start_paused = true)]
async fn refused_connections_are_unreachable_until_they_are_not() {
    let broker = broker(|_| ());
    let transport = EmbeddedTransport::new(broker.clone());
    broker.refuse_connections(true);
    let refused = transport.connect(&Plan::default()).await;
    assert_eq!(refused.err().unwrap().kind(), &TransportErrorKind::Unreachable);
    broker.refuse_connections(false);
    transport.connect(&Plan::default()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn consumers_of_one_queue_can_be_ended_as_a_broker_does_and_the_link_goes_on() {
    let broker = broker(|_| ());
    let link = link(&broker).await;
    let mut other = link.subscribe(&Subscription::new("on_other", "other")).await.unwrap();
    for (count, kind) in
        [(1, TransportErrorKind::ConsumerCancelled), (2, TransportErrorKind::ConsumerTimeout)]
    {
        let mut consumer = consume(&link, 2).await;
        let waiting = consume(&link, 2).await;
        if count == 1 {
            broker.publish(order("a")).await.unwrap();
        }
        take(&mut consumer).await;
        match kind {
            TransportErrorKind::ConsumerTimeout => broker.time_out_consumers(Q),
            _ => broker.cancel_consumers(Q),
        }
        for mut consumer in [consumer, waiting] {
            let error = next(&mut consumer).await.unwrap().unwrap_err();
            assert_eq!(error.kind(), &kind);
            assert!(error.to_string().contains(Q), "{error}");
            assert!(next(&mut consumer).await.is_none());
        }
        assert_eq!(broker.queue_depth(Q).unwrap().ready, 1);
        let mut again = consume(&link, 1).await;
        assert_eq!(take(&mut again).await.delivery_count, 2 * count - 1);
    }
    broker.cancel_consumers("none");
    broker.publish(Outgoing::new("other".into(), Message::new("b"))).await.unwrap();
    take(&mut other).await;
}
