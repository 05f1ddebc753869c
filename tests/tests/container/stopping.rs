//! Stopping in order, bounded in every state.

use super::*;

#[tokio::test(start_paused = true)]
async fn what_is_buffered_goes_back_at_once_while_the_running_call_ends() {
    let (broker, journal) = (broker(), Journal::default());
    let running = start(on(&broker).listen::<steady>().state(journal.clone())).await;
    for body in ["slow", "a", "b"] {
        running.publisher().send("work", body).await.unwrap();
    }
    journal.wait_for("call slow", 1).await;
    let handle = running.handle();
    let stopping = tokio::spawn(async move { handle.stop("steady").await.unwrap() });
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert_eq!(running.state("steady"), Some(ListenerState::Draining));
    assert_eq!(broker.queue_depth("work").unwrap().ready, 2, "another consumer may have them");
    let report = stopping.await.unwrap();
    assert_eq!((report.finished, report.unhandled), (1, 2));
    assert_eq!(journal.lines(), ["call slow 1", "done slow"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_stop_is_immediate_in_every_state_without_a_running_call() {
    let hour = "1h";
    for (name, prepare) in [("idle", false), ("recovering", true)] {
        let (broker, journal) = (broker(), Journal::default());
        let builder = on(&broker)
            .listen::<steady>()
            .state(journal.clone())
            .set("container.receiveTimeout", hour)
            .set("container.recoveryInterval", hour);
        let running = start(builder).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        if prepare {
            broker.refuse_connections(true);
            broker.cut_links();
            running.wait_for_state("steady", |state| !state.is_consuming()).await;
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        let begin = tokio::time::Instant::now();
        running.stop().await;
        assert!(begin.elapsed() < Duration::from_millis(10), "{name}: {:?}", begin.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_while_the_broker_is_gone_lasts_when_it_comes_back() {
    let (broker, journal) = (broker(), Journal::default());
    let builder = on(&broker).listen::<steady>().state(journal.clone());
    let running = start(builder.set("listeners.steady.concurrency", 4)).await;
    broker.refuse_connections(true);
    broker.cut_links();
    running.wait_for_state("steady", |state| !state.is_consuming()).await;
    let handle = running.handle();
    handle.stop("steady").await.unwrap();
    broker.refuse_connections(false);
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(handle.listener("steady").unwrap().consumers, 0);
    handle.start("steady").await.unwrap();
    running.wait_for_state("steady", ListenerState::is_consuming).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(handle.listener("steady").unwrap().consumers, 4);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn dropping_a_running_application_ends_its_listeners() {
    let (broker, journal) = (broker(), Journal::default());
    let running = start(on(&broker).listen::<steady>().state(journal.clone())).await;
    let publisher = running.publisher();
    publisher.send("work", "slow").await.unwrap();
    journal.wait_for("call slow", 1).await;
    drop(running);
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(journal.lines(), ["call slow 1"]);
    assert_eq!(broker.queue_depth("work").unwrap().ready, 1, "its message went back");
}

#[tokio::test(start_paused = true)]
async fn with_accept_messages_while_stopping_what_is_buffered_is_still_handled() {
    let (broker, journal) = (broker(), Journal::default());
    let builder = on(&broker).listen::<steady>().state(journal.clone());
    let builder = builder.set("listeners.steady.acceptMessagesWhileStopping", true);
    let running = start(builder.set("listeners.steady.prefetch", 3)).await;
    for body in ["slow", "a", "b", "not buffered"] {
        running.publisher().send("work", body).await.unwrap();
    }
    journal.wait_for("call slow", 1).await;
    let report = running.stop().await;
    assert_eq!((report.finished, report.unhandled), (3, 0));
    assert_eq!(journal.matching("done"), ["done slow", "done a", "done b"]);
    assert_eq!(broker.queue_depth("work").unwrap().ready, 1);
}

#[listener(queue = "first", phase = 1)]
async fn first(State(journal): State<Journal>) {
    tokio::time::sleep(Duration::from_secs(1)).await;
    journal.write("first");
}

#[listener(queue = "last", phase = 2)]
async fn last(State(journal): State<Journal>) {
    tokio::time::sleep(Duration::from_secs(5)).await;
    journal.write("last");
}

#[tokio::test(start_paused = true)]
async fn phases_start_upwards_and_stop_downwards() {
    let (broker, journal) = (broker(), Journal::default());
    let application = on(&broker).listen::<last>().listen::<first>().state(journal.clone()).build().unwrap();
    let mut events = application.handle().events();
    let running = application.start().await.unwrap();
    let handle = running.handle();
    for queue in ["first", "last"] {
        running.publisher().send(queue, "x").await.unwrap();
    }
    let stopping = tokio::spawn(running.stop());
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(handle.state("last"), Some(ListenerState::Draining));
    assert_eq!(handle.state("first"), Some(ListenerState::Running), "it stops when the later phase has");
    stopping.await.unwrap();
    drop(handle);
    let mut changes = Vec::new();
    while let Some(event) = events.next().await {
        if let hearken::EventKind::StateChanged { to, .. } = event.kind
            && matches!(to, ListenerState::Running | ListenerState::Stopped)
        {
            changes.push(format!("{} {to}", event.listener));
        }
    }
    assert_eq!(changes, ["first running", "last running", "last stopped", "first stopped"]);
}

#[listener(queue = "ordered", single_active_consumer = true, prefetch = 10)]
async fn ordered(Text(body): Text, State(journal): State<Journal>, State(name): State<&'static str>) {
    journal.write(format!("begin {body} {name}"));
    tokio::time::sleep(Duration::from_millis(20)).await;
    journal.write(format!("end {body} {name}"));
}

#[tokio::test(start_paused = true)]
async fn a_single_active_consumer_hands_over_in_order_and_one_after_the_other() {
    let (broker, journal) = (broker(), Journal::default());
    let instance = async |name: &'static str| {
        start(on(&broker).listen::<ordered>().state(journal.clone()).state(name)).await
    };
    let (old, new) = (instance("old").await, instance("new").await);
    for body in 0..20 {
        new.publisher().send("ordered", body.to_string().as_str()).await.unwrap();
    }
    journal.wait_for("begin 5", 1).await;
    let report = old.stop().await;
    assert!(report.finished == 1 && report.unhandled >= 9, "{report:?}");
    journal.wait_for("end 19", 1).await;
    new.stop().await;
    let name = |body| if body <= 5 { "old" } else { "new" };
    let expected: Vec<_> = (0..20)
        .flat_map(|body| ["begin", "end"].map(|word| format!("{word} {body} {}", name(body))))
        .collect();
    assert_eq!(journal.lines(), expected);
}
