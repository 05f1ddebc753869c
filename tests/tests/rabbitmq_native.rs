//! `redeliveryMode = "native"`: from RabbitMQ 4.3 on a quorum queue waits and counts itself; before, the start is refused.

#[path = "rabbitmq_support/raw.rs"]
#[allow(dead_code, unreachable_pub)]
mod raw;

use hearken::outcome::Action;
use hearken::prelude::*;
use hearken::redelivery::RedeliveryPolicy;
use hearken::transport::TransportErrorKind;
use hearken::{Application, Error, EventKind, HandleError};
use hearken_tests::broker;
use hearken_tests::chaos::eventually;
use hearken_tests::dead_letters::DeadLetter;
use hearken_tests::inspect::Inspector;
use hearken_tests::vhost::VirtualHost;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const SECOND: Duration = Duration::from_secs(1);
const SOON: Duration = Duration::from_secs(30);
/// 500 ms, 1 s, 1 s, …
const EVEN: RedeliveryPolicy = RedeliveryPolicy::new("even")
    .initial_redelivery_delay(500)
    .use_exponential_back_off(true)
    .back_off_multiplier(2.0)
    .maximum_redelivery_delay(1_000)
    .redelivery_delay(1_000)
    .maximum_redeliveries(4);

/// Body, attempt, what is said of the last failure, when.
type Call = (String, u64, String, Instant);

#[derive(Clone, Default)]
struct Calls(Arc<Mutex<Vec<Call>>>);

impl Calls {
    fn of(&self, body: &str) -> Vec<(u64, String, Instant)> {
        let calls = self.0.lock().unwrap();
        calls.iter().filter(|call| call.0 == body).map(|call| (call.1, call.2.clone(), call.3)).collect()
    }

    fn attempts(&self, body: &str) -> Vec<u64> {
        self.of(body).into_iter().map(|call| call.0).collect()
    }

    fn gaps(&self, body: &str) -> Vec<Duration> {
        self.of(body).windows(2).map(|pair| pair[1].2 - pair[0].2).collect()
    }
}

#[listener(queue = "given by the test", concurrency = 2, redelivery_mode = "native")]
async fn retried(
    Text(body): Text,
    attempt: Attempt,
    info: RedeliveryInfo,
    State(calls): State<Calls>,
) -> Result<Action, BoxError> {
    let last = info.history.map(|history| history.failure.text).unwrap_or_default();
    calls.0.lock().unwrap().push((body.clone(), attempt.number(), last, Instant::now()));
    match (body.as_str(), attempt.number()) {
        ("late", 2) => Ok(Action::retry_after(2 * SECOND)),
        ("patient", 1) => Ok(Action::defer(SECOND)),
        ("mended" | "late" | "patient", 3) => Ok(Action::Commit),
        (_, number) => Err(format!("failure {number} of {body}").into()),
    }
}

struct Bench {
    host: VirtualHost,
    application: String,
    calls: Calls,
}

impl Bench {
    async fn new() -> Self {
        Self {
            host: VirtualHost::create().await,
            application: broker::unique("native"),
            calls: Calls::default(),
        }
    }

    fn application(&self) -> Application {
        Hearken::builder()
            .listen::<retried>()
            .policy(EVEN)
            .state(self.calls.clone())
            .set("transport.url", self.host.url())
            .set("application.name", self.application.as_str())
            .set("container.deadLetter", "dead")
            .set("listeners.retried.queue", "work")
            .set("listeners.retried.redelivery", "even")
            .build()
            .unwrap()
    }
}

async fn is_offered() -> bool {
    let version = raw::server_version(&broker::amqp_url()).await;
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap());
    (parts.next().unwrap(), parts.next().unwrap()) >= (4, 3)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_queue_waits_and_counts_or_the_start_says_why_it_cannot() {
    let bench = Bench::new().await;
    let started = bench.application().start().await;
    if !is_offered().await {
        let Err(Error::Transport(error)) = started else { panic!("started") };
        assert_eq!(*error.kind(), TransportErrorKind::InvalidSettings);
        let text = error.to_string();
        assert!(
            text.contains("from RabbitMQ 4.3 on, and this is RabbitMQ ") && text.contains("`work`"),
            "{text}"
        );
        return;
    }
    let running = started.unwrap();
    let calls = &bench.calls;
    for body in ["broken", "mended", "late", "patient"] {
        running.publisher().send("work", Message::new(body).with_id(body)).await.unwrap();
    }
    // Without an id nothing is remembered of its failures but their number.
    running.publisher().send("work", "nameless").await.unwrap();
    let inspector = Inspector::connect(&bench.host.url()).await;
    eventually(SOON, "the dead letters", async || inspector.depth("dead").await.ready == 2).await;
    eventually(SOON, "the others", async || calls.attempts("late").len() == 3).await;
    for body in ["broken", "nameless"] {
        assert_eq!(calls.attempts(body), [1, 2, 3, 4, 5], "{body}");
        let waits = [500, 1_000, 1_000, 1_000].map(Duration::from_millis);
        println!("{body}: {:.2?}", calls.gaps(body));
        let gaps = calls.gaps(body).into_iter().zip(waits);
        assert!(gaps.clone().all(|(gap, wait)| gap >= wait), "never early: {:?}", calls.gaps(body));
        assert!(gaps.clone().all(|(gap, wait)| gap < wait + 5 * SECOND), "{:?}", calls.gaps(body));
    }
    assert_eq!(calls.of("broken")[2].1, "failure 2 of broken");
    assert!(calls.of("nameless")[2].1.contains("counted by the broker"), "{:?}", calls.of("nameless")[2]);
    assert_eq!(calls.attempts("mended"), [1, 2, 3]);
    // Its own wait is spent on the levels, and the count goes with it.
    assert_eq!(calls.attempts("late"), [1, 2, 3]);
    assert!(calls.gaps("late")[1] >= 2 * SECOND, "{:?}", calls.gaps("late"));
    // What is put off burns no attempt.
    assert_eq!(calls.attempts("patient")[..2], [1, 1]);
    let letters = DeadLetter::drain(&inspector, "dead").await;
    for letter in &letters {
        assert_eq!(
            (&*letter.reason, letter.attempts, &*letter.queue),
            ("exhausted", 5, "work"),
            "{letter:?}"
        );
        assert!(letter.text.starts_with("failure 5 of "), "{letter:?}");
    }
    let handle = running.handle();
    let other = RedeliveryPolicy::new("other").initial_redelivery_delay(7_000);
    let refused = handle.set_policy("retried", other).unwrap_err();
    assert!(matches!(&refused, HandleError::NativeWaits { .. }), "{refused}");
    let mut shorter = EVEN.maximum_redeliveries(2);
    shorter.name = "shorter".into();
    handle.set_policy("retried", shorter).unwrap();
    running.stop().await;
    inspector.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_count_and_the_wait_outlive_the_process_and_a_hand_back_burns_nothing() {
    if !is_offered().await {
        return;
    }
    let bench = Bench::new().await;
    let calls = &bench.calls;
    let first = bench.application().start().await.unwrap();
    first.publisher().send("work", Message::new("broken").with_id("1")).await.unwrap();
    eventually(SOON, "two attempts", async || calls.attempts("broken").len() == 2).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    first.stop().await;
    let application = bench.application();
    let mut events = application.handle().events();
    let second = application.start().await.unwrap();
    let inspector = Inspector::connect(&bench.host.url()).await;
    eventually(SOON, "the dead letter", async || inspector.depth("dead").await.ready == 1).await;
    second.stop().await;
    assert_eq!(calls.attempts("broken"), [1, 2, 3, 4, 5]);
    assert!(calls.gaps("broken")[1] >= SECOND, "{:?}", calls.gaps("broken"));
    assert!(calls.of("broken")[2].1.contains("counted by the broker"), "{:?}", calls.of("broken")[2]);
    while let Some(event) = events.next().await {
        let odd = matches!(event.kind, EventKind::Suspect { .. } | EventKind::CrashLoopsUnbounded { .. });
        assert!(!odd, "{event:?}");
    }
    inspector.close().await;
}
