//! Pause, resume, stop, start, register, unregister, shut down: at run time.

use super::*;
use hearken::{Handle, HandleError};

#[listener(queue = "late")]
async fn late(Text(body): Text, State(journal): State<Journal>) {
    journal.write(format!("late {body}"));
}

#[listener(queue = "late")]
async fn needy(State(_): State<u64>) {}

#[listener(queue = "orders")]
async fn steered(Text(order): Text, State(handle): State<Handle>, State(journal): State<Journal>) {
    journal.write(format!("call {order}"));
    match order.as_str() {
        "stop" => drop(handle.stop("steered").await.unwrap()),
        "pause" => drop(handle.pause("steered").await.unwrap()),
        "unregister" => drop(handle.unregister("steered").await.unwrap()),
        "shut down" => handle.shut_down(),
        _ => {}
    }
    journal.write(format!("done {order}"));
}

#[tokio::test(start_paused = true)]
async fn a_paused_listener_consumes_nothing_until_it_is_resumed() {
    let (broker, journal) = (broker(), Journal::default());
    let running = start(on(&broker).listen::<steady>().state(journal.clone())).await;
    let handle = running.handle();
    for body in ["slow", "a", "b"] {
        running.publisher().send("work", body).await.unwrap();
    }
    journal.wait_for("call slow", 1).await;
    let report = handle.pause("steady").await.unwrap();
    assert_eq!((report.finished, report.unhandled), (1, 2));
    assert_eq!(running.state("steady"), Some(ListenerState::Paused));
    assert_eq!(handle.pause("steady").await.unwrap(), hearken::StopReport::default(), "twice is once");
    // It stays paused across a reconnect.
    broker.cut_links();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(running.state("steady"), Some(ListenerState::Paused));
    assert_eq!(journal.lines(), ["call slow 1", "done slow"]);
    handle.resume("steady").await.unwrap();
    handle.resume("steady").await.unwrap();
    journal.wait_for("done", 3).await;
    assert_eq!(running.state("steady"), Some(ListenerState::Running));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_stopped_listener_can_be_started_again_and_stays_stopped_until_then() {
    let (broker, journal) = (broker(), Journal::default());
    let running = start(on(&broker).listen::<steady>().state(journal.clone())).await;
    let handle = running.handle();
    handle.stop("steady").await.unwrap();
    handle.stop("steady").await.unwrap();
    assert_eq!(running.state("steady"), Some(ListenerState::Stopped));
    assert!(matches!(handle.pause("steady").await, Err(HandleError::NotRunning { .. })));
    assert!(matches!(handle.resume("steady").await, Err(HandleError::NotRunning { .. })));
    broker.cut_links();
    tokio::time::sleep(Duration::from_secs(60)).await;
    running.publisher().send("work", "good").await.unwrap();
    assert_eq!(journal.lines().len(), 0);
    handle.start("steady").await.unwrap();
    handle.start("steady").await.unwrap();
    journal.wait_for("done good", 1).await;
    assert_eq!(handle.listener("steady").unwrap().consumers, 1);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_unknown_listener_is_named_with_the_nearest_one() {
    let (broker, journal) = (broker(), Journal::default());
    let running = start(on(&broker).listen::<steady>().state(journal)).await;
    let error = running.handle().pause("staedy").await.unwrap_err();
    assert_eq!(error.to_string(), "there is no listener `staedy`; did you mean `steady`?");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn listeners_can_be_registered_and_unregistered_while_the_application_runs() {
    let (broker, journal) = (broker(), Journal::default());
    let running = start(on(&broker).listen::<steady>().state(journal.clone())).await;
    let handle = running.handle();
    for round in 1..=2 {
        handle.register::<late>().await.unwrap();
        assert_eq!(running.state("late"), Some(ListenerState::Running));
        running.publisher().send("late", "x").await.unwrap();
        journal.wait_for("late x", round).await;
        let again = handle.register::<late>().await.unwrap_err();
        assert!(again.to_string().contains("there is a listener of that id already"), "{again}");
        handle.unregister("late").await.unwrap();
        assert_eq!(running.state("late"), None);
    }
    let unmet = handle.register::<needy>().await.unwrap_err();
    assert!(unmet.to_string().contains("takes State<u64>"), "{unmet}");
    running.stop().await;
    assert!(handle.register::<late>().await.is_err(), "the application does not run any more");
}

#[tokio::test(start_paused = true)]
async fn a_handler_may_stop_pause_or_unregister_its_own_listener() {
    for (order, state) in
        [("stop", Some(ListenerState::Stopped)), ("pause", Some(ListenerState::Paused)), ("unregister", None)]
    {
        let (broker, journal) = (broker(), Journal::default());
        let running = start(on(&broker).listen::<steered>().state(journal.clone())).await;
        running.publisher().send("orders", order).await.unwrap();
        journal.wait_for("done", 1).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(running.state("steered"), state, "{order}");
        assert_eq!(
            broker.queue_depth("orders").unwrap().unacknowledged,
            0,
            "{order}: its message is acknowledged"
        );
        running.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_may_shut_the_application_down() {
    let (broker, journal) = (broker(), Journal::default());
    let application = on(&broker).listen::<steered>().state(journal.clone()).build().unwrap();
    let publisher = application.publisher();
    let run = tokio::spawn(application.run());
    publisher.send("orders", "shut down").await.unwrap();
    run.await.unwrap().unwrap();
    assert_eq!(journal.lines(), ["call shut down", "done shut down"]);
}
