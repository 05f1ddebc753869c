//! The count of a message outlives the processes that tried it: killed between two attempts or within one, joined by others,
//! or stopped in order.

mod chaos_support;

use chaos_support::SOON;
use chaos_support::stage::Stage;
use hearken_tests::broker::unique;
use hearken_tests::chaos::{eventually, pick};
use hearken_tests::ledger::Ledger;
use hearken_tests::load::Load;
use hearken_tests::process::Consumer;
use std::time::Duration;

const MESSAGES: u64 = 20;
/// The clock of the records has this resolution.
const TICK: Duration = Duration::from_millis(10);
/// How late a redelivery may be, on a machine that is busy with something else.
const LATE: Duration = Duration::from_secs(5);

/// Consumers of one application that fail the first attempts at each message.
struct Scene {
    stage: Stage,
    application: String,
    settings: Vec<(&'static str, String)>,
}

impl Scene {
    async fn new(queue_type: &str, fails: u64, delay: Duration) -> Self {
        let application = unique("app");
        let delay = delay.as_millis().to_string();
        let settings = vec![
            ("application.name", application.clone()),
            ("transport.queueType", queue_type.to_owned()),
            ("redelivery.default.initialRedeliveryDelay", delay.clone()),
            ("redelivery.default.redeliveryDelay", delay),
            ("test.fails", fails.to_string()),
        ];
        Self { stage: Stage::new().await, application, settings }
    }

    fn set(mut self, key: &'static str, value: &str) -> Self {
        self.settings.push((key, value.to_owned()));
        self
    }

    async fn consumer(&self, work: Duration) -> Consumer {
        let settings: Vec<_> = self.settings.iter().map(|(key, value)| (*key, &**value)).collect();
        let consumer = self.stage.consumer(work, &settings);
        let lines = |log: String| log.matches("listener is running").count();
        let before = lines(consumer.log());
        eventually(SOON, "the consumer", async || lines(consumer.log()) > before).await;
        consumer
    }

    async fn send(&self, count: u64) {
        Load::new(&self.stage.url, &self.stage.queue, 100, self.stage.ledger.clone()).send(count).await;
    }

    /// All were tried as these attempts and then succeeded, and never sooner than the policy says.
    async fn ends_with(mut self, count: u64, attempts: &[u64], delay: Duration) {
        self.stage.until("all to be completed", Ledger::is_done).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        self.stage.calls(0).await;
        let ledger = &self.stage.ledger;
        for id in 1..=count {
            assert_eq!(ledger.attempts(id), attempts, "message {id}");
            let tries = ledger.tries(id);
            for pair in tries.windows(2).filter(|pair| pair[1].1 > pair[0].1) {
                let waited = pair[1].0 - pair[0].0;
                assert!(
                    waited + TICK >= delay && waited <= delay + LATE,
                    "message {id}: {waited:?} in {tries:?}"
                );
            }
        }
        let verdict = ledger.verdict();
        println!("{verdict}");
        assert_eq!((verdict.lost.len(), verdict.duplicates()), (0, 0), "{verdict}");
    }
}

async fn between_attempts(queue_type: &str) {
    let delay = Duration::from_secs(4);
    let mut scene = Scene::new(queue_type, 2, delay).await.set("container.redeliveryMode", "broker");
    let first = scene.consumer(Duration::ZERO).await;
    scene.send(MESSAGES).await;
    scene.stage.copies_wait(&scene.application, 2, MESSAGES as u32).await;
    first.kill();
    let second = scene.consumer(Duration::ZERO).await;
    scene.stage.until("the second attempts", |ledger| ledger.starts() as u64 == 2 * MESSAGES).await;
    // One more, and one less.
    scene.stage.copies_wait(&scene.application, 2, MESSAGES as u32).await;
    let _third = scene.consumer(Duration::ZERO).await;
    second.kill();
    scene.ends_with(MESSAGES, &[1, 2, 3], delay).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_killed_between_attempts_changes_no_count_on_quorum_queues() {
    between_attempts("quorum").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_killed_between_attempts_changes_no_count_on_classic_queues() {
    between_attempts("classic").await;
}

/// The second attempt at a message ends three processes, one after the other.
async fn within_an_attempt(queue_type: &str, attempts: &[u64]) {
    let (long, delay) = (Duration::from_secs(600), Duration::from_secs(4));
    let scene = Scene::new(queue_type, 1, delay).await.set("container.redeliveryMode", "broker");
    // With more, the broker may hand to one what the other had before it learns that both are dead: two returns.
    let mut scene = scene.set("container.concurrency", "1");
    let mut consumer = scene.consumer(Duration::ZERO).await;
    scene.send(1).await;
    scene.stage.copies_wait(&scene.application, 2, 1).await;
    for calls in 2..=4 {
        consumer.kill();
        consumer = scene.consumer(long).await;
        scene.stage.until("its call", |ledger| ledger.starts() >= calls).await;
    }
    consumer.kill();
    let _last = scene.consumer(Duration::ZERO).await;
    scene.ends_with(1, attempts, Duration::ZERO).await;
}

/// The third one had it from the suspect queue, where a death is an attempt.
#[tokio::test(flavor = "multi_thread")]
async fn a_process_killed_within_an_attempt_keeps_the_count_and_the_deaths_of_a_suspect_add_to_it() {
    within_an_attempt("quorum", &[1, 2, 2, 2, 3]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_killed_within_an_attempt_keeps_the_count_on_classic_queues() {
    within_an_attempt("classic", &[1, 2, 2, 2, 2]).await;
}

/// Held in the client, an attempt is known to its process only.
#[tokio::test(flavor = "multi_thread")]
async fn a_process_killed_with_what_it_holds_repeats_the_attempt_and_nothing_else() {
    for queue_type in ["quorum", "classic"] {
        let delay = Duration::from_secs(3);
        let mut scene = Scene::new(queue_type, 1, delay).await.set("container.redeliveryMode", "client");
        let first = scene.consumer(Duration::ZERO).await;
        scene.send(MESSAGES).await;
        scene.stage.until("the first attempts", |ledger| ledger.starts() as u64 == MESSAGES).await;
        first.kill();
        let _second = scene.consumer(Duration::ZERO).await;
        scene.ends_with(MESSAGES, &[1, 1, 2], delay).await;
    }
}

/// 50 that wait a minute (shorter in the short form) while their process is replaced.
async fn restarted(mode: &str, end: impl AsyncFn(Consumer)) {
    let (count, delay) = (50, Duration::from_secs(pick(9, 60)));
    let mut scene = Scene::new("quorum", 1, delay).await.set("container.redeliveryMode", mode);
    let first = scene.consumer(Duration::ZERO).await;
    scene.send(count).await;
    scene.stage.until("the first attempts", |ledger| ledger.starts() as u64 == count).await;
    tokio::time::sleep(delay / 6).await;
    end(first).await;
    let _second = scene.consumer(Duration::ZERO).await;
    scene.ends_with(count, &[1, 2], delay).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_outlives_a_killed_process_and_comes_when_it_is_due() {
    restarted("auto", async |consumer| consumer.kill()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_outlives_a_process_that_stops_and_comes_when_it_is_due_wherever_it_waited() {
    for mode in ["auto", "client"] {
        restarted(mode, async |mut consumer| {
            consumer.terminate();
            assert!(consumer.wait(SOON).await.success(), "{}", consumer.log());
        })
        .await;
    }
}
