//! A broker may be made before a runtime, outlive it, and be used from another.

use crate::{Q, body, broker, consume, link, millis, order, take};
use hearken_core::message::Message;
use hearken_core::transport::Outgoing;
use std::task::{Context, Poll, Waker};
use tokio::runtime::{Builder, Runtime};
use tokio::time::sleep;

fn paused() -> Runtime {
    Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

#[test]
fn a_broker_made_outside_of_a_runtime_serves_one_after_another() {
    let broker = broker(|_| ());
    broker.declare_queue(Q).unwrap();
    for _ in 0..2 {
        paused().block_on(async {
            let link = link(&broker).await;
            let mut consumer = consume(&link, 1).await;
            link.redeliver(Q, Message::new("far"), millis(100_000_000)).await.unwrap();
            link.redeliver(Q, Message::new("near"), millis(10)).await.unwrap();
            assert_eq!(body(&take(&mut consumer).await.message), "near");
            broker.delete_queue(Q);
            broker.declare_queue(Q).unwrap();
        });
    }
}

#[test]
fn without_a_runtime_what_is_due_is_caught_up_with_at_the_next_call() {
    let broker = broker(|_| ());
    broker.declare_queue(Q).unwrap();
    let message = Message::new("a").with_time_to_live(millis(0));
    let mut publish = Box::pin(broker.publish(Outgoing::new(Q.into(), message)));
    let polled = publish.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(polled, Poll::Ready(Ok(()))));
    assert_eq!(broker.queue_depth(Q).unwrap().ready, 0);
}

#[tokio::test(start_paused = true)]
async fn the_task_ends_with_the_broker() {
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let broker = broker(|_| ());
    broker.declare_queue(Q).unwrap();
    assert_eq!(tasks(), 0, "no timer, no task");
    for text in ["a", "b"] {
        let message = Message::new(text).with_time_to_live(millis(1000));
        broker.publish(Outgoing::new(Q.into(), message)).await.unwrap();
    }
    assert_eq!(tasks(), 1);
    sleep(millis(2000)).await;
    broker.publish(order("c")).await.unwrap();
    assert_eq!(tasks(), 1, "it stays for the next timer");
    drop(broker);
    sleep(millis(1)).await;
    assert_eq!(tasks(), 0);
}
