//! How often a message is handled.

use super::{Bench, Rig};
use hearken_core::failure::{Failure, FailureKind};
use hearken_core::history;
use hearken_core::message::Message;
use hearken_core::outcome::Outcome;
use std::time::Duration;

const QUICK: &[(&str, &str)] = &[
    ("redelivery.default.maximumRedeliveries", "3"),
    ("redelivery.default.initialRedeliveryDelay", "20"),
    ("redelivery.default.redeliveryDelay", "20"),
];

/// `maximumRedeliveries = 3`: four calls, then the dead letter.
pub async fn a_limit_of_n_means_n_plus_one_calls(rig: Rig) {
    let bench = Bench::start(rig, QUICK, |_| Box::pin(async { Failure::from("never").into() })).await;
    bench.send(&["a", "b"]).await;
    bench.journal.wait_for("dead", 2).await;
    for body in ["a", "b"] {
        let calls = bench.journal.matching(&format!("call {body}"));
        assert_eq!(calls, (1..=4).map(|attempt| format!("call {body} {attempt}")).collect::<Vec<_>>());
    }
    assert_eq!(bench.letters()[0].headers().integer(history::ATTEMPTS), Some(4));
    bench.end().await;
}

/// `maximumRedeliveries = 0`: one call.
pub async fn no_redelivery_means_one_call(rig: Rig) {
    let settings = [("redelivery.default.maximumRedeliveries", "0")];
    let bench = Bench::start(rig, &settings, |_| Box::pin(async { Failure::from("no").into() })).await;
    bench.send(&["a"]).await;
    bench.journal.wait_for("dead", 1).await;
    assert_eq!(bench.journal.matching("call"), ["call a 1"]);
    bench.end().await;
}

/// In both modes the handler sees the attempt, the earlier failure and the original address.
pub async fn a_handler_sees_its_attempt_and_earlier_failure(rig: Rig) {
    let settings = [QUICK, &[("redeliveryMode", "broker")]].concat();
    let bench = Bench::start(rig, &settings, |call| {
        Box::pin(async move {
            if call.attempt == 1 {
                return Failure::from("first").code("busy").into();
            }
            let Some(history) = &call.history else { return Failure::permanent("no history").into() };
            let told = (history.attempts, history.failure.text.as_str(), history.failure.code.as_deref());
            if told != (1, "first", Some("busy")) {
                return Failure::permanent(format!("told {told:?}")).into();
            }
            if (&*call.origin.exchange, &*call.origin.routing_key) != ("", &*call.origin.queue) {
                return Failure::permanent(format!("from {:?}", call.origin)).into();
            }
            if call.message.headers().iter().any(|(name, _)| name.starts_with("hearken-")) {
                return Failure::permanent("the handler sees hearken's own headers").into();
            }
            Outcome::Acknowledge
        })
    })
    .await;
    bench.send(&["a"]).await;
    bench.journal.wait_for("probe settle", 2).await;
    assert_eq!(bench.journal.matching("call"), ["call a 1", "call a 2"]);
    assert_eq!(bench.journal.matching("probe settle"), ["probe settle Moved", "probe settle Acknowledge"]);
    bench.end().await;
}

/// Kinds that no further attempt can mend.
pub async fn permanent_and_undecodable_messages_are_not_tried_again(rig: Rig) {
    let bench = Bench::start(rig, QUICK, |call| {
        Box::pin(async move {
            match &call.message.body()[..] {
                b"permanent" => Failure::permanent("closed").into(),
                _ => Failure::new(FailureKind::Undecodable, "not JSON").into(),
            }
        })
    })
    .await;
    bench.send(&["permanent", "undecodable"]).await;
    bench.journal.wait_for("dead", 2).await;
    assert_eq!(bench.journal.matching("call"), ["call permanent 1", "call undecodable 1"]);
    for letter in bench.letters() {
        let body = String::from_utf8_lossy(letter.body()).into_owned();
        assert_eq!(letter.headers().text(history::ERROR_KIND), Some(&*body));
    }
    bench.end().await;
}

/// Kinds that another attempt can mend.
pub async fn panics_and_timeouts_are_tried_again(rig: Rig) {
    let settings = [QUICK, &[("handlerTimeout", "50ms")]].concat();
    let bench = Bench::start(rig, &settings, |call| {
        Box::pin(async move {
            match &call.message.body()[..] {
                b"panic" => panic!("as told"),
                _ => std::future::pending().await,
            }
        })
    })
    .await;
    bench.send(&["panic", "timeout"]).await;
    bench.journal.wait_for("dead", 2).await;
    for letter in bench.letters() {
        let body = String::from_utf8_lossy(letter.body()).into_owned();
        assert_eq!(letter.headers().text(history::ERROR_KIND), Some(&*body));
        assert_eq!(letter.headers().integer(history::ATTEMPTS), Some(4));
    }
    bench.end().await;
}

/// The count is with the message, not with the consumer.
pub async fn the_count_survives_a_restart_in_broker_mode(rig: Rig) {
    let settings = [
        ("redelivery.default.maximumRedeliveries", "2"),
        ("redelivery.default.initialRedeliveryDelay", "500"),
        ("redelivery.default.redeliveryDelay", "500"),
        ("redeliveryMode", "broker"),
    ];
    let mut bench = Bench::start(rig, &settings, |_| Box::pin(async { Failure::from("no").into() })).await;
    bench.send(&["a"]).await;
    bench.journal.wait_for("redeliver confirmed", 1).await;
    bench.restart().await;
    bench.journal.wait_for("dead", 1).await;
    assert_eq!(bench.journal.matching("call"), ["call a 1", "call a 2", "call a 3"]);
    bench.end().await;
}

/// Counters in the headers of a message that a sender made are a claim, and ignored.
pub async fn a_forged_count_changes_nothing(rig: Rig) {
    let bench = Bench::start(rig, QUICK, |_| Box::pin(async { Failure::from("never").into() })).await;
    for (body, claim) in [("high", i64::MAX), ("low", -1)] {
        let message = Message::new(body)
            .with_header(history::ATTEMPTS, claim)
            .with_header(history::FIRST_FAILURE, 1i64)
            .with_header(history::LAST_FAILURE, 1i64)
            .with_header(history::ERROR_KIND, "error")
            .with_header(history::QUEUE, "elsewhere")
            .with_header(history::EXCHANGE, "elsewhere")
            .with_header(history::ROUTING_KEY, "elsewhere");
        bench.send_message(message).await;
    }
    bench.journal.wait_for("dead", 2).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(bench.journal.matching("call high").len(), 4);
    assert_eq!(bench.journal.matching("call low").len(), 4);
    assert_eq!(bench.letters()[0].headers().text(history::QUEUE), Some(bench.queue.as_str()));
    bench.end().await;
}
