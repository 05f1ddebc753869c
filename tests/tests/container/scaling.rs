//! The number of invokers between its bounds.

use super::*;
use hearken::{Concurrency, EventKind};

async fn elastic(broker: &Broker, journal: &Journal, prefetch: i64) -> Running {
    let builder = on(broker).listen::<steady>().state(journal.clone());
    let builder = builder.set("listeners.steady.concurrency", "1-4");
    start(builder.set("listeners.steady.prefetch", prefetch)).await
}

fn invokers(running: &Running) -> u32 {
    running.handle().listener("steady").unwrap().invokers
}

async fn send(running: &Running, bodies: usize) {
    for _ in 0..bodies {
        running.publisher().send("work", "slow").await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn it_grows_while_all_are_busy_and_messages_wait_and_shrinks_when_idle() {
    let (broker, journal) = (broker(), Journal::default());
    let running = elastic(&broker, &journal, 1).await;
    let mut events = running.handle().events();
    assert_eq!(invokers(&running), 1);
    send(&running, 8).await;
    journal.wait_for("call slow", 4).await;
    let status = running.handle().listener("steady").unwrap();
    assert_eq!((status.invokers, status.busy, status.consumers, status.bounds), (4, 4, 4, (1, 4)));
    journal.wait_for("done slow", 8).await;
    assert_eq!(journal.matching("call").len(), 8, "no busy one was cancelled");
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(invokers(&running), 1, "idle ones leave after ten ticks of one second");
    running.stop().await;
    let mut sizes = Vec::new();
    while let Some(event) = events.next().await {
        if let EventKind::Scaled { to, .. } = event.kind {
            sizes.push(to);
        }
    }
    assert_eq!(sizes, [2, 3, 4, 3, 2, 1]);
}

#[tokio::test(start_paused = true)]
async fn a_single_message_at_a_time_needs_one_invoker() {
    let (broker, journal) = (broker(), Journal::default());
    let running = elastic(&broker, &journal, 50).await;
    for done in 1..=5 {
        send(&running, 1).await;
        journal.wait_for("done slow", done).await;
        assert_eq!(invokers(&running), 1);
    }
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn surplus_invokers_handle_what_they_were_handed_before_they_leave() {
    let (broker, journal) = (broker(), Journal::default());
    let builder = on(&broker).listen::<steady>().state(journal.clone());
    let running = start(builder.set("listeners.steady.concurrency", 3)).await;
    let handle = running.handle();
    send(&running, 9).await;
    journal.wait_for("call slow", 3).await;
    handle.scale("steady", Concurrency::fixed(1).unwrap()).await.unwrap();
    assert_eq!(broker.queue_depth("work").unwrap().ready, 0, "nothing is handed back");
    journal.wait_for("done slow", 9).await;
    assert_eq!(journal.matching("call").len(), 9, "each message is handled once");
    tokio::time::sleep(Duration::from_secs(1)).await;
    let status = handle.listener("steady").unwrap();
    assert_eq!((status.consumers, status.invokers), (1, 1));
    send(&running, 1).await;
    journal.wait_for("done slow", 10).await;
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn bounds_that_were_changed_survive_a_reconnect() {
    let (broker, journal) = (broker(), Journal::default());
    let running = start(on(&broker).listen::<steady>().state(journal.clone())).await;
    let handle = running.handle();
    handle.scale("steady", Concurrency::fixed(3).unwrap()).await.unwrap();
    send(&running, 3).await;
    journal.wait_for("call slow", 3).await;
    broker.cut_links();
    running.wait_for_state("steady", |state| !state.is_consuming()).await;
    running.wait_for_state("steady", ListenerState::is_consuming).await;
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!(handle.listener("steady").unwrap().consumers, 3);
    running.stop().await;
}

#[listener(queue = "alone", exclusive = true)]
async fn alone() {}

#[tokio::test(start_paused = true)]
async fn a_listener_that_has_its_queue_for_itself_is_not_scaled() {
    let broker = broker();
    let running = start(on(&broker).listen::<alone>()).await;
    let error = running.handle().scale("alone", Concurrency::new(1, 2).unwrap()).await.unwrap_err();
    assert_eq!(error.to_string(), "listener `alone` has its queue for itself: its concurrency is 1");
    running.handle().scale("alone", Concurrency::ONE).await.unwrap();
    running.stop().await;
}
