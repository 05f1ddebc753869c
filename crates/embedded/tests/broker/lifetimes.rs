use crate::{Q, body, broker, link, link_with, millis, next, order, refused, take};
use hearken_core::delivery::Settlement;
use hearken_core::message::Message;
use hearken_core::session::Destination;
use hearken_core::transport::{
    Binding, BindingKind, Outgoing, PublishError, QueueLifetime, Subscription, TransportErrorKind as Kind,
};
use hearken_embedded::{ORPHANS, QueueStats, Topology};
use tokio::time::sleep;

fn auto_delete() -> Subscription {
    let mut subscription = Subscription::new("on_order", Q);
    subscription.lifetime = QueueLifetime::AutoDelete;
    subscription.prefetch = 2;
    subscription
}

fn temporary() -> Subscription {
    let mut subscription = Subscription::new("on_price", "");
    subscription.lifetime = QueueLifetime::Temporary;
    let (exchange, key) = ("prices".to_owned(), String::new());
    subscription.binding = Some(Binding { exchange, kind: BindingKind::Fanout, key });
    subscription
}

fn price(body: &str) -> Outgoing {
    Outgoing::new(Destination::exchange("prices", ""), Message::new(body.to_owned()))
}

#[tokio::test(start_paused = true)]
async fn an_auto_delete_queue_goes_with_its_last_consumer_whichever_way_it_goes() {
    let broker = broker(|_| ());
    for way in ["cancel", "close", "drop", "link", "cut"] {
        let link = link(&broker).await;
        let (first, mut last) =
            (link.subscribe(&auto_delete()).await.unwrap(), link.subscribe(&auto_delete()).await.unwrap());
        first.close().await.unwrap();
        link.publish(order("a")).await.unwrap();
        assert!(link.queue_exists(Q).await.unwrap(), "{way}");
        match way {
            "cancel" => last.cancel().await.unwrap(),
            "close" => last.close().await.unwrap(),
            "drop" => drop(last),
            "link" => link.close().await,
            _ => broker.cut_links(),
        }
        assert!(broker.queues().is_empty(), "{way}");
        assert!(matches!(broker.publish(order("b")).await, Err(PublishError::Returned { .. })), "{way}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_an_auto_delete_queue_has_goes_with_it_and_becomes_no_dead_letter() {
    let broker = broker(|_| ());
    let link = link(&broker).await;
    let mut subscription = auto_delete();
    subscription.dead_letter_queue = Some("dead".to_owned());
    let mut consumer = link.subscribe(&subscription).await.unwrap();
    for text in ["handed", "buffered", "ready"] {
        let message = Message::new(text).with_time_to_live(millis(10));
        broker.publish(Outgoing::new(Q.into(), message)).await.unwrap();
        if text == "handed" {
            take(&mut consumer).await;
        }
    }
    sleep(millis(10)).await;
    consumer.close().await.unwrap();
    assert_eq!(broker.queues(), ["dead"]);
    let texts: Vec<_> = broker.peek("dead").iter().map(body).collect();
    assert_eq!(texts, ["ready"], "it expired while the queue was there");
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_consumer_handles_what_it_has_though_its_queue_is_gone() {
    let broker = broker(|_| ());
    let link = link(&broker).await;
    let mut consumer = link.subscribe(&auto_delete()).await.unwrap();
    for text in ["a", "b", "c"] {
        broker.publish(order(text)).await.unwrap();
    }
    let handed = take(&mut consumer).await;
    consumer.cancel().await.unwrap();
    // Another queue may take the place of the first one: nothing of it may get mixed up.
    broker.declare_queue("another").unwrap();
    let buffered = take(&mut consumer).await;
    assert_eq!(body(&buffered.message), "b");
    assert!(next(&mut consumer).await.is_none());
    consumer.settle(handed.receipt, Settlement::Requeue);
    consumer.settle(buffered.receipt, Settlement::Acknowledge);
    consumer.close().await.unwrap();
    assert_eq!(broker.queue_depth("another"), Some(QueueStats::default()));
}

#[tokio::test(start_paused = true)]
async fn an_auto_delete_queue_is_declared_and_bound_anew_by_every_subscription() {
    let broker = broker(|_| ());
    let link = link(&broker).await;
    let mut subscription = auto_delete();
    subscription.binding = temporary().binding;
    for text in ["a", "b"] {
        let mut consumer = link.subscribe(&subscription).await.unwrap();
        broker.publish(price(text)).await.unwrap();
        let delivery = take(&mut consumer).await;
        assert_eq!((body(&delivery.message).as_str(), delivery.redelivered), (text, false));
    }
    let checking = link_with(&broker, Topology::Check).await;
    assert_eq!(refused(&checking, &auto_delete()).await, Kind::QueueMissing);
}

#[tokio::test(start_paused = true)]
async fn the_lifetime_of_a_queue_is_settled_when_it_is_declared() {
    let broker = broker(|_| ());
    let link = link(&broker).await;
    let mismatch = |ours: &str, theirs: &str| Kind::ArgumentMismatch {
        argument: "auto_delete".to_owned(),
        ours: ours.to_owned(),
        theirs: theirs.to_owned(),
    };
    let _consumer = link.subscribe(&auto_delete()).await.unwrap();
    assert_eq!(refused(&link, &Subscription::new("on_order", Q)).await, mismatch("false", "true"));
    broker.declare_queue("plain").unwrap();
    let mut plain = auto_delete();
    plain.queue = "plain".to_owned();
    assert_eq!(refused(&link, &plain).await, mismatch("true", "false"));
    link_with(&broker, Topology::Check).await.subscribe(&plain).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_dead_letter_queue_that_has_a_listener_is_what_that_one_declares() {
    let broker = broker(|_| ());
    let link = link(&broker).await;
    let mut subscription = Subscription::new("on_dead", "other");
    subscription.dead_letter_queue = Some(Q.to_owned());
    subscription.dead_letter_queue_type = None;
    link.subscribe(&subscription).await.unwrap();
    let _consumer = link.subscribe(&auto_delete()).await.unwrap();
    subscription.dead_letter_queue_type = Some(subscription.queue_type);
    assert!(matches!(refused(&link, &subscription).await, Kind::ArgumentMismatch { .. }));
}

#[tokio::test(start_paused = true)]
async fn a_temporary_queue_is_named_by_the_broker_and_filled_by_its_exchange() {
    let broker = broker(|_| ());
    broker.declare_exchange("prices", BindingKind::Fanout).unwrap();
    for topology in [Topology::Declare, Topology::Check, Topology::Assume] {
        let link = link_with(&broker, topology).await;
        let mut consumers =
            [link.subscribe(&temporary()).await.unwrap(), link.subscribe(&temporary()).await.unwrap()];
        broker.publish(price("a")).await.unwrap();
        let names = [take(&mut consumers[0]).await.origin.queue, take(&mut consumers[1]).await.origin.queue];
        assert_ne!(names[0], names[1], "{topology:?}");
        for name in &names {
            assert!(name.starts_with("amq.gen-") && link.queue_exists(name).await.unwrap(), "{name}");
        }
        let [first, second] = consumers;
        first.close().await.unwrap();
        assert_eq!(broker.queues(), [&*names[1]]);
        link.close().await;
        assert!(broker.queues().is_empty(), "{topology:?}");
        drop(second);
    }
}

#[tokio::test(start_paused = true)]
async fn a_temporary_queue_belongs_to_its_link() {
    let broker = broker(|_| ());
    let (link, other) = (link(&broker).await, link_with(&broker, Topology::Assume).await);
    let mut consumer = link.subscribe(&temporary()).await.unwrap();
    broker.publish(price("a")).await.unwrap();
    let name = take(&mut consumer).await.origin.queue;
    assert_eq!(refused(&other, &Subscription::new("on_price", &*name)).await, Kind::QueueInUse);
    assert_eq!(other.queue_exists(&name).await.unwrap_err().kind(), &Kind::QueueInUse);
    let error = other.delete_queue(&name).await.unwrap_err();
    assert!(error.kind() == &Kind::QueueInUse && error.to_string().contains(&*name), "{error}");
    other.publish(Outgoing::new(Destination::queue(&*name), Message::new("b"))).await.unwrap();
    assert_eq!(body(&take(&mut consumer).await.message), "b");
    broker.cut_links();
    assert!(broker.queues().is_empty());
    assert!(!other_link_sees(&broker, &name).await);
}

async fn other_link_sees(broker: &hearken_embedded::Broker, name: &str) -> bool {
    link(broker).await.queue_exists(name).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_temporary_subscription_that_fails_leaves_nothing_behind() {
    let broker = broker(|_| ());
    let mut named = temporary();
    named.queue = "mine".to_owned();
    assert_eq!(refused(&link(&broker).await, &named).await, Kind::InvalidName);
    for topology in [Topology::Check, Topology::Assume] {
        assert_eq!(refused(&link_with(&broker, topology).await, &temporary()).await, Kind::Other);
    }
    broker.declare_exchange("prices", BindingKind::Topic).unwrap();
    let mismatch = refused(&link(&broker).await, &temporary()).await;
    assert!(matches!(mismatch, Kind::ArgumentMismatch { .. }));
    assert!(broker.queues().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_copy_that_waits_for_a_temporary_queue_comes_back_to_it_or_is_an_orphan() {
    let broker = broker(|_| ());
    let link = link(&broker).await;
    let mut consumer = link.subscribe(&temporary()).await.unwrap();
    broker.publish(price("a")).await.unwrap();
    let delivery = take(&mut consumer).await;
    let name = delivery.origin.queue;
    consumer.settle(delivery.receipt, Settlement::Moved);
    link.redeliver(&name, Message::new("a"), millis(10)).await.unwrap();
    assert_eq!(&*take(&mut consumer).await.origin.queue, &*name);
    link.redeliver(&name, Message::new("late"), millis(10)).await.unwrap();
    link.close().await;
    sleep(millis(10)).await;
    assert_eq!(broker.queues(), [ORPHANS]);
    assert_eq!(broker.peek(ORPHANS).iter().map(body).collect::<Vec<_>>(), ["late"]);
}
