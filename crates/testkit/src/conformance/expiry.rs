//! Messages with a time to live.

use super::{Bench, Rig};
use hearken_core::message::Message;
use hearken_core::outcome::Outcome;
use std::time::Duration;

/// It waits behind a slow one, expires in the queue, and is found in the dead letter queue; the others are handled.
pub async fn a_message_that_expired_is_never_handled_and_becomes_a_dead_letter(rig: Rig) {
    let bench = Bench::start(rig, &[("prefetch", "1")], |call| {
        let slow = call.message.body() == "slow";
        Box::pin(async move {
            if slow {
                tokio::time::sleep(Duration::from_millis(600)).await;
            }
            Outcome::Acknowledge
        })
    })
    .await;
    bench.send(&["slow"]).await;
    bench.journal.wait_for("call slow", 1).await;
    bench.send_message(Message::new("mortal").with_time_to_live(Duration::from_millis(100))).await;
    bench.send_message(Message::new("patient").with_time_to_live(Duration::from_secs(60))).await;
    bench.journal.wait_for("call patient", 1).await;
    bench.journal.wait_for("dead mortal", 1).await;
    assert_eq!(bench.journal.matching("call"), ["call slow 1", "call patient 1"]);
    assert_eq!(bench.letters()[0].headers().text("x-first-death-reason"), Some("expired"));
    assert_eq!(bench.letters()[0].properties().time_to_live, None);
    bench.end().await;
}
