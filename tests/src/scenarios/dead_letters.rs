//! What becomes of messages that were given up.

use super::stage::{bodies, numbers};
use super::{Scene, Stage};
use hearken_core::history;
use hearken_core::message::Message;
use hearken_core::session::Destination;
use hearken_core::transport::{Outgoing, Plan};

fn dead(scene: &Scene) -> Vec<String> {
    scene.letters().iter().map(|letter| String::from_utf8_lossy(letter.body()).into_owned()).collect()
}

/// S52.
pub async fn letters_are_in_the_order_of_their_messages_and_nothing_is_left_in_flight(stage: Stage) {
    for maximum in [3, 0] {
        let mut scene = stage.beside().delays(0, 0).maximum(maximum).start(|_| true).await;
        let numbers = numbers(10);
        scene.send_together(&bodies(&numbers)).await;
        scene.journal.wait_for("dead", 10).await;
        scene.journal.wait_for("probe settle Moved", 10).await;
        assert_eq!(dead(&scene), numbers);
        let calls = scene.calls().len();
        assert_eq!(calls, 10 * (maximum.unsigned_abs() as usize + 1));
        scene.restart().await;
        scene.settles_at(calls).await;
        scene.end().await;
    }
}

/// S52 with a strategy that keeps none.
pub async fn discarded_messages_leave_nothing_behind(stage: Stage) {
    let stage = stage.delays(0, 0).maximum(3).set("deadLetterStrategy", "discarding");
    let mut scene = stage.start(|_| true).await;
    let numbers = numbers(10);
    scene.send_together(&bodies(&numbers)).await;
    scene.journal.wait_for("probe settle Discard", 10).await;
    scene.restart().await;
    scene.settles_at(40).await;
    assert!(scene.letters().is_empty());
    scene.end().await;
}

/// Sends one message to the exchange that fills the queues of these scenes.
async fn fan_out(stage: &Stage, exchange: &str) {
    let link = stage.transport().connect(&Plan::default()).await.unwrap_or_else(|error| panic!("{error}"));
    let sent =
        link.publish(Outgoing::new(Destination::exchange(exchange, ""), Message::new("a").with_id("one")));
    sent.await.unwrap_or_else(|error| panic!("{error}"));
    link.close().await;
}

/// S53 with dead letter queues of their own.
pub async fn copies_of_one_message_become_letters_of_their_own_queues(stage: Stage) {
    let exchange = crate::broker::unique("composite");
    let stage =
        stage.delays(0, 0).maximum(1).set("exchange", &exchange).set("deadLetterStrategy", "individual");
    let mut scenes = Vec::new();
    for prefix in ["DLQ.", "letters."] {
        let mut scene = stage.beside().set("deadLetterPrefix", prefix).start(|_| true).await;
        let individual = format!("{prefix}{}", scene.queue);
        scene.stop().await;
        let unused = std::mem::replace(&mut scene.dead, individual);
        scene.restart().await;
        let deleted = scene.running().delete_queue(&unused).await;
        deleted.unwrap_or_else(|error| panic!("{error}"));
        scenes.push(scene);
    }
    fan_out(&stage, &exchange).await;
    for scene in scenes {
        scene.journal.wait_for("dead", 1).await;
        scene.settles_at(2).await;
        assert_eq!((dead(&scene), scene.letters()[0].id()), (vec!["a".to_owned()], Some("one")));
        scene.end().await;
    }
}

/// S53 and S55: no audit takes one for a duplicate of the other, as ActiveMQ's does.
pub async fn copies_of_one_message_all_stay_in_a_shared_dead_letter_queue(stage: Stage) {
    let exchange = crate::broker::unique("composite");
    let stage = stage.delays(0, 0).maximum(1).set("exchange", &exchange);
    let first = stage.beside().start(|_| true).await;
    let second = stage.beside().set("listeners.probe.deadLetter", &first.dead).start(|_| true).await;
    fan_out(&stage, &exchange).await;
    first.journal.wait_for("dead", 2).await;
    let from = |letter: &Message| letter.headers().text(history::QUEUE).map(str::to_owned);
    let mut queues: Vec<_> = first.letters().iter().filter_map(from).collect();
    queues.sort();
    let mut expected = vec![first.queue.clone(), second.queue.clone()];
    expected.sort();
    assert_eq!(queues, expected);
    first.settles_at(2).await;
    second.settles_at(2).await;
    second.end().await;
    first.end().await;
}

/// S56.
pub async fn many_messages_that_never_wait_are_tried_and_buried_in_order(stage: Stage) {
    let scene = stage.delays(0, 0).maximum(3).start(|_| true).await;
    let numbers = numbers(200);
    scene.send_together(&bodies(&numbers)).await;
    scene.journal.wait_for("dead", 200).await;
    let expected: Vec<_> =
        numbers.iter().flat_map(|body| (1..=4).map(move |attempt| format!("{body} {attempt}"))).collect();
    assert_eq!(scene.calls(), expected);
    assert_eq!(dead(&scene), numbers);
    scene.end().await;
}

/// S57.
pub async fn a_letter_that_is_moved_back_may_become_a_letter_again(stage: Stage) {
    for maximum in [3, 1] {
        let scene = stage.beside().delays(0, 0).maximum(maximum).start(|_| true).await;
        scene.send_message(Message::new("a").with_id("one")).await;
        let calls = maximum.unsigned_abs() + 1;
        for round in 1..=3 {
            scene.journal.wait_for("dead", round).await;
            let letters = scene.letters();
            let letter = &letters[round - 1];
            assert_eq!(letter.headers().integer(history::ATTEMPTS), i64::try_from(calls).ok());
            assert_eq!((letter.id(), letters.len()), (Some("one"), round));
            assert_eq!(scene.attempts("a").len(), round * calls as usize);
            if round < 3 {
                scene.send_message(letter.clone()).await;
            }
        }
        scene.end().await;
    }
}
