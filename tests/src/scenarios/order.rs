//! Who overtakes whom.

use super::Stage;
use super::stage::{bodies, numbers};

fn called(bodies: &[String], attempt: u64) -> Vec<String> {
    bodies.iter().map(|body| format!("{body} {attempt}")).collect()
}

/// Blocking: each message that failed comes before all that was handed out meanwhile.
pub async fn what_failed_is_replayed_before_what_is_buffered(stage: Stage) {
    let scene = stage.delays(200, 200).maximum(3).start(|call| call.attempt <= 2).await;
    let numbers = numbers(5);
    scene.send_together(&bodies(&numbers)).await;
    scene.settles_at(15).await;
    let expected: Vec<_> =
        numbers.iter().flat_map(|body| (1..=3).map(move |attempt| format!("{body} {attempt}"))).collect();
    assert_eq!(scene.calls(), expected);
    scene.end().await;
}

/// Some of those that were handed out together fail. Blocking, each is replayed in its place and nothing overtakes it;
/// without blocking all others go by, and those that failed keep their order among themselves.
pub async fn some_of_a_batch_fail_and_keep_their_order_with_and_without_blocking(stage: Stage) {
    let bad = |body: &[u8]| [&b"2"[..], b"3", b"5"].contains(&body);
    let numbers = numbers(8);
    for non_blocking in [false, true] {
        let stage = stage.beside().mode("client").delays(4_000, 4_000).maximum(3).set("prefetch", 5);
        let stage = stage.set("nonBlockingRedelivery", non_blocking);
        let scene = stage.start(move |call| bad(call.message.body()) && call.attempt <= 2).await;
        scene.send_together(&bodies(&numbers)).await;
        scene.settles_at(14).await;
        let replays = |body: &String| if bad(body.as_bytes()) { 3 } else { 1 };
        let expected: Vec<_> = if non_blocking {
            (1..=3)
                .flat_map(|attempt| {
                    let called: Vec<_> =
                        numbers.iter().filter(|body| replays(body) >= attempt).cloned().collect();
                    self::called(&called, attempt)
                })
                .collect()
        } else {
            let replayed = |body| (1..=replays(body)).map(move |attempt| format!("{body} {attempt}"));
            numbers.iter().flat_map(replayed).collect()
        };
        assert_eq!(scene.calls(), expected, "non-blocking: {non_blocking}");
        for body in ["2", "3", "5"] {
            scene.assert_waits(body, &[4_000, 4_000]);
        }
        scene.end().await;
    }
}

/// S13.
pub async fn only_the_failed_message_is_overtaken_and_only_without_blocking(stage: Stage) {
    for (non_blocking, expected) in
        [(false, ["1st 1", "1st 2", "2nd 1"]), (true, ["1st 1", "2nd 1", "1st 2"])]
    {
        let stage = stage.beside().delays(2_000, 1_000).set("nonBlockingRedelivery", non_blocking);
        let scene = stage.start(|call| call.message.body() == "1st" && call.attempt == 1).await;
        scene.send_together(&["1st", "2nd"]).await;
        scene.journal.wait_for("call", 3).await;
        assert_eq!(scene.calls(), expected);
        scene.end().await;
    }
}

/// A consumer that waits keeps what it was handed; the rest goes to the others.
pub async fn other_consumers_go_on_while_one_blocks(stage: Stage) {
    let stage = stage.delays(8_000, 1_000).set("concurrency", 2).set("prefetch", 1);
    let scene = stage.start(|call| call.message.body() == "stuck" && call.attempt == 1).await;
    let others = numbers(10);
    scene.send_together(&[&["stuck"][..], &bodies(&others)].concat()).await;
    scene.settles_at(12).await;
    let calls = scene.calls();
    assert_eq!(calls.last().map(String::as_str), Some("stuck 2"), "{calls:?}");
    scene.assert_waits("stuck", &[8_000]);
    scene.end().await;
}

/// S26 and S27: a hundred that fail, and a hundred more.
pub async fn what_failed_together_comes_again_in_the_same_order_after_all_newer_ones(stage: Stage) {
    let stage = stage.mode("client").non_blocking().delays(2_000, 2_000).maximum(-1).set("prefetch", 300);
    let fails = |body: &[u8]| std::str::from_utf8(body).is_ok_and(|body| body.len() < 3 || body == "100");
    let scene = stage.start(move |call| call.attempt == 1 && fails(call.message.body())).await;
    let numbers = numbers(200);
    scene.send_together(&bodies(&numbers)).await;
    scene.settles_at(300).await;
    let calls = scene.calls();
    let (firsts, seconds): (Vec<_>, Vec<_>) = calls.iter().cloned().partition(|call| call.ends_with(" 1"));
    assert_eq!(firsts, called(&numbers, 1));
    assert_eq!(seconds, called(&numbers[..100], 2));
    let at = |call: &str| calls.iter().position(|known| known == call);
    assert!(at("101 1") < at("1 2"), "what is newer does not wait");
    scene.end().await;
}

/// S29.
pub async fn every_eleventh_that_fails_once_is_received_in_the_end(stage: Stage) {
    let stage = stage.non_blocking().delays(500, 500).maximum(5);
    let eleventh = |body: &[u8]| {
        let number: Option<u32> = std::str::from_utf8(body).ok().and_then(|body| body.parse().ok());
        number.is_some_and(|number| number % 11 == 0)
    };
    let scene = stage.start(move |call| call.attempt == 1 && eleventh(call.message.body())).await;
    let numbers = numbers(100);
    scene.send_together(&bodies(&numbers)).await;
    scene.settles_at(109).await;
    for (index, body) in numbers.iter().enumerate() {
        let expected: &[u64] = if (index + 1) % 11 == 0 { &[1, 2] } else { &[1] };
        assert_eq!(scene.attempts(body), expected, "{body}");
    }
    assert!(scene.letters().is_empty());
    scene.end().await;
}

/// S29 where all fail, and S30.
pub async fn all_that_fail_for_ever_are_tried_equally_often(stage: Stage) {
    for (count, maximum) in [(100, 5), (10, 2)] {
        let stage = stage.beside().non_blocking().delays(1_000, 1_000).maximum(maximum);
        let scene = stage.start(|_| true).await;
        let (numbers, calls) = (numbers(count), maximum.unsigned_abs() + 1);
        scene.send_together(&bodies(&numbers)).await;
        scene.journal.wait_for("dead", count).await;
        scene.settles_at(count * calls as usize).await;
        for body in &numbers {
            assert_eq!(scene.attempts(body), (1..=calls).collect::<Vec<_>>(), "{body}");
        }
        scene.end().await;
    }
}
