//! An alarm: links publish nothing for now, and consuming goes on.

use crate::{Q, body, broker, consume, link, millis, order, take};
use hearken_core::message::Message;
use hearken_core::transport::{Link, Notice, PublishError};
use std::sync::Arc;
use tokio::time::{Instant, sleep, timeout};

fn blocked(reason: &str) -> Notice {
    Notice::Blocked { reason: reason.to_owned() }
}

async fn silent(link: &Arc<dyn Link>) -> bool {
    timeout(millis(1), link.notice()).await.is_err()
}

#[tokio::test(start_paused = true)]
async fn what_was_published_into_an_alarm_arrives_in_order_when_it_is_over() {
    const MANY: usize = 50;
    let broker = broker(|_| ());
    let link = link(&broker).await;
    let mut consumer = consume(&link, 100).await;
    link.publish(order("before")).await.unwrap();
    broker.alarm(Some("low on memory"));
    let mut publishing = Vec::new();
    for number in 0..MANY {
        let link = Arc::clone(&link);
        publishing.push(tokio::spawn(async move {
            if number % 5 == 0 {
                return link.redeliver(Q, Message::new(number.to_string()), millis(0)).await;
            }
            link.publish(order(&number.to_string())).await
        }));
        tokio::task::yield_now().await;
    }
    assert_eq!(body(&take(&mut consumer).await.message), "before", "consuming goes on");
    sleep(millis(100)).await;
    assert!(publishing.iter().all(|publishing| !publishing.is_finished()));
    broker.alarm(None);
    for number in 0..MANY {
        assert_eq!(body(&take(&mut consumer).await.message), number.to_string());
    }
    for publishing in publishing {
        publishing.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_publish_that_outwaits_an_alarm_is_refused_with_its_reason_and_leaves_nothing() {
    let broker = broker(|_| ());
    let link = link(&broker).await;
    let _consumer = consume(&link, 1).await;
    broker.alarm(Some("low on disk"));
    let start = Instant::now();
    let (published, redelivered) =
        tokio::join!(link.publish(order("a")), link.redeliver(Q, Message::new("b"), millis(1)));
    assert_eq!(start.elapsed(), millis(30_000));
    for result in [published, redelivered] {
        assert!(matches!(&result, Err(PublishError::Refused { reason }) if reason.contains("low on disk")));
    }
    broker.publish(order("the broker's own")).await.unwrap();
    assert!(timeout(millis(1), link.publish(order("dropped"))).await.is_err());
    broker.alarm(None);
    assert_eq!(broker.queue_depth(Q).unwrap().unacknowledged, 1);
}

#[tokio::test(start_paused = true)]
async fn a_publish_waits_no_longer_than_once_for_an_alarm_and_for_room_together() {
    let broker = broker(|settings| settings.max_queue_messages = Some(1));
    broker.declare_queue(Q).unwrap();
    broker.publish(order("a")).await.unwrap();
    let link = link(&broker).await;
    broker.alarm(Some("low on memory"));
    let start = Instant::now();
    let publishing = tokio::spawn(async move { link.publish(order("b")).await });
    sleep(millis(20_000)).await;
    broker.alarm(None);
    let error = publishing.await.unwrap().unwrap_err();
    assert_eq!(start.elapsed(), millis(30_000));
    assert!(error.to_string().contains("is full"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_link_that_ends_in_an_alarm_ends_what_it_publishes() {
    let broker = broker(|_| ());
    broker.declare_queue(Q).unwrap();
    for cut in [true, false] {
        let (link, other) = (link(&broker).await, link(&broker).await);
        broker.alarm(Some("low on memory"));
        let publishing = [order("a"), order("b")].map(|order| {
            let link = Arc::clone(&link);
            tokio::spawn(async move { link.publish(order).await })
        });
        let staying = tokio::spawn(async move { other.publish(order("c")).await });
        sleep(millis(1)).await;
        let start = Instant::now();
        if cut {
            broker.cut_links();
        } else {
            link.close().await;
        }
        for publishing in publishing {
            let result = publishing.await.unwrap();
            assert!(matches!(result, Err(PublishError::Unknown { .. })), "{result:?}");
        }
        assert_eq!(start.elapsed(), millis(0));
        broker.alarm(None);
        assert_eq!(staying.await.unwrap().is_err(), cut);
        assert_eq!(broker.peek(Q).len(), usize::from(!cut));
    }
}

#[tokio::test(start_paused = true)]
async fn links_are_told_each_begin_and_end_of_an_alarm_once() {
    let broker = broker(|_| ());
    let link = link(&broker).await;
    broker.alarm(None);
    assert!(silent(&link).await, "there was none");
    broker.alarm(Some("low on memory"));
    broker.alarm(Some("low on disk"));
    broker.alarm(None);
    broker.alarm(Some("low on disk"));
    let late = crate::link(&broker).await;
    for notice in [blocked("low on memory"), Notice::Unblocked, blocked("low on disk")] {
        assert_eq!(link.notice().await, notice);
    }
    assert_eq!(late.notice().await, blocked("low on disk"), "it goes on already");
    assert!(silent(&link).await && silent(&late).await);
    let waiting = tokio::spawn({
        let link = Arc::clone(&link);
        async move { link.notice().await }
    });
    sleep(millis(1)).await;
    broker.alarm(None);
    assert_eq!(waiting.await.unwrap(), Notice::Unblocked);
    link.close().await;
    broker.cut_links();
    broker.alarm(Some("low on memory"));
    late.close().await;
    assert!(silent(&link).await && silent(&late).await, "a link that is gone hears nothing");
}
