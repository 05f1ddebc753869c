//! Policies from every source, as they show at a handler.

use super::*;
use hearken::Error;
use hearken::failure::{Failure, FailureKind};
use hearken_testkit::{Journal, RecordingTransactions};
use tempfile::TempDir;

#[listener(queue = "work")]
async fn moody(Text(body): Text, attempt: Attempt, State(journal): State<Journal>) -> Result<(), Failure> {
    journal.write(format!("call {body} {attempt}"));
    match body.as_str() {
        "panic" => panic!("as told"),
        "permanent" => Err(Failure::permanent("as told")),
        "busy" | "early" => Err(Failure::new(FailureKind::Error, "as told").code(body)),
        other => Err(other.to_owned().into()),
    }
}

#[listener(queue = "work", redelivery(maximum = 2, initial = "200ms", exponential = true, multiplier = 2))]
async fn hasty(Text(body): Text, State(journal): State<Journal>) -> Result<(), Failure> {
    journal.write(format!("call {body}"));
    Err(body.into())
}

struct Bench {
    broker: Broker,
    journal: Journal,
    _directory: TempDir,
    running: Running,
}

/// A file as a service would have it.
fn configured(text: &str) -> (TempDir, Builder) {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("shop.toml");
    std::fs::write(&file, text).unwrap();
    (directory, Hearken::builder().config_file(file))
}

impl Bench {
    async fn new(text: &str) -> Self {
        Self::with(&broker(), text, |builder| builder.listen::<moody>()).await
    }

    async fn with(broker: &Broker, text: &str, build: impl FnOnce(Builder) -> Builder) -> Self {
        let (directory, builder) = configured(text);
        let journal = Journal::default();
        let builder = builder.transport(Arc::new(EmbeddedTransport::new(broker.clone())));
        let running = start(build(builder).state(journal.clone())).await;
        Self { broker: broker.clone(), journal, _directory: directory, running }
    }

    async fn send(&self, body: &str) {
        self.running.publisher().send("work", body).await.unwrap();
    }

    /// How many calls there were after this time.
    async fn calls_after(&self, ms: u64) -> usize {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        self.journal.matching("call").len()
    }

    fn dead(&self) -> usize {
        self.broker.peek("ActiveMQ.DLQ").len()
    }
}

/// Without a rule: once more after a second, then a dead letter.
const DISCERNING: &str = r#"
[redelivery.default]
maximumRedeliveries = 1

[[redelivery.default.rules]]
code = "busy"
then = "redeliver"
maximumRedeliveries = 3
initialRedeliveryDelay = "100ms"
useExponentialBackOff = true
backOffMultiplier = 2

[[redelivery.default.rules]]
code = "early"
then = "defer"
for = "1m"

[[redelivery.default.rules]]
kind = "panic"
then = "dead-letter"

[[redelivery.default.rules]]
kind = "permanent"
then = "redeliver"

[[redelivery.default.rules]]
kind = "undecodable"
then = "discard"

[[redelivery.default.rules]]
errorContains = "refused"
then = "pause"
for = "30s"
"#;

#[tokio::test(start_paused = true)]
async fn a_failure_without_a_rule_follows_the_policy() {
    let bench = Bench::new(DISCERNING).await;
    bench.send("other").await;
    assert_eq!(bench.calls_after(500).await, 1);
    assert_eq!(bench.calls_after(600).await, 2);
    assert_eq!(bench.calls_after(60_000).await, 2);
    assert_eq!(bench.dead(), 1);
    bench.running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_rule_redelivers_with_limits_and_delays_of_its_own() {
    let bench = Bench::new(DISCERNING).await;
    bench.send("busy").await;
    assert_eq!(bench.calls_after(50).await, 1);
    assert_eq!(bench.calls_after(100).await, 2, "after 100 ms");
    assert_eq!(bench.calls_after(200).await, 3, "after 200 ms more");
    assert_eq!(bench.calls_after(400).await, 4, "after 400 ms more");
    assert_eq!(bench.calls_after(60_000).await, 4);
    assert_eq!(bench.dead(), 1);
    bench.running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_rule_defers_without_end_and_burns_no_attempt() {
    let bench = Bench::new(DISCERNING).await;
    bench.send("early").await;
    assert_eq!(bench.calls_after(59_000).await, 1);
    assert_eq!(bench.calls_after(9 * 60_000).await, 10);
    assert!(bench.journal.matching("call").iter().all(|call| call == "call early 1"));
    assert_eq!(bench.dead(), 0);
    bench.running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn rules_by_kind_make_dead_letters_at_once_or_drop_or_try_the_permanent_again() {
    let bench = Bench::new(DISCERNING).await;
    bench.send("panic").await;
    assert_eq!(bench.calls_after(10).await, 1);
    assert_eq!(bench.dead(), 1, "at once");
    bench.running.publisher().send("work", Message::new(vec![0xFF, 0xFE])).await.unwrap();
    assert_eq!(bench.calls_after(60_000).await, 1);
    assert_eq!(bench.dead(), 1, "dropped");
    bench.send("permanent").await;
    assert_eq!(bench.calls_after(60_000).await, 3);
    assert_eq!(bench.dead(), 2, "within the limit of the policy");
    bench.running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_rule_hears_of_a_commit_that_failed() {
    let text = "[redelivery.default]\nmaximumRedeliveries = 0\n\
                [[redelivery.default.rules]]\nkind = \"transaction\"\nthen = \"defer\"\nfor = \"1m\"\n";
    let manager = RecordingTransactions::new(Journal::default());
    manager.fail_commits(2);
    let build = |builder: Builder| builder.listen::<steady>().transaction_manager("session", manager.clone());
    let bench = Bench::with(&broker(), text, build).await;
    bench.send("good").await;
    assert_eq!(bench.calls_after(59_000).await, 1);
    assert_eq!(bench.calls_after(600_000).await, 3, "both commits that failed were deferred");
    assert_eq!(bench.dead(), 0);
    bench.running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_rule_pauses_the_listener() {
    let bench = Bench::new(DISCERNING).await;
    bench.send("refused").await;
    assert_eq!(bench.calls_after(1_000).await, 1);
    let state = bench.running.handle().state("moody").unwrap();
    assert!(matches!(state, ListenerState::Tripped { .. }), "{state:?}");
    bench.send("other").await;
    assert_eq!(bench.calls_after(28_000).await, 1, "paused");
    assert!(bench.calls_after(10_000).await > 1);
    bench.running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_predicate_of_the_application_decides_by_its_name() {
    let text = "[[redelivery.default.rules]]\npredicate = \"is_odd\"\nthen = \"discard\"\n";
    let build = |builder: Builder| {
        builder.listen::<moody>().failure_predicate("is_odd", |failure| failure.text().contains("odd"))
    };
    let bench = Bench::with(&broker(), text, build).await;
    bench.send("odd").await;
    assert_eq!(bench.calls_after(60_000).await, 1);
    assert_eq!(bench.dead(), 0);
    bench.send("even").await;
    assert_eq!(bench.calls_after(60_000).await, 8);
    assert_eq!(bench.dead(), 1);
    bench.running.stop().await;
}

#[test]
fn a_predicate_that_is_not_registered_keeps_the_application_from_starting() {
    let (_directory, builder) =
        configured("[[redelivery.default.rules]]\npredicate = \"is_odd\"\nthen = \"discard\"\n");
    let builder = builder.listen::<moody>().state(Journal::default());
    let Err(Error::Problems(problems)) = builder.build() else { panic!("it started") };
    let text = problems.to_string();
    assert!(text.contains("redelivery.default.rules[0].predicate: there is no failure predicate `is_odd`"));
}

#[tokio::test(start_paused = true)]
async fn a_queue_has_the_policy_that_the_map_gives_its_name() {
    let text = "[redelivery.once]\nmaximumRedeliveries = 1\n[redelivery.never]\nmaximumRedeliveries = 0\n\
                [[redeliveryMap]]\nqueue = \"work.>\"\nredelivery = \"never\"\n\
                [[redeliveryMap]]\nqueue = \"work\"\nredelivery = \"once\"\n";
    let bench = Bench::new(text).await;
    bench.send("other").await;
    assert_eq!(bench.calls_after(60_000).await, 2);
    assert_eq!(bench.broker.peek("ActiveMQ.DLQ")[0].headers().text("hearken-policy"), Some("once"));
    bench.running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_policy_stands_in_the_attribute() {
    let bench = Bench::with(&broker(), "", |builder| builder.listen::<hasty>()).await;
    bench.send("other").await;
    assert_eq!(bench.calls_after(100).await, 1);
    assert_eq!(bench.calls_after(200).await, 2, "after 200 ms");
    assert_eq!(bench.calls_after(200).await, 2);
    assert_eq!(bench.calls_after(200).await, 3, "after 400 ms more");
    assert_eq!(bench.calls_after(60_000).await, 3);
    let letters = bench.broker.peek("ActiveMQ.DLQ");
    assert_eq!(letters[0].headers().text("hearken-policy"), Some("inline:hasty"));
    bench.running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_listener_registered_later_brings_the_policy_of_its_attribute() {
    let bench = Bench::new("").await;
    let handle = bench.running.handle();
    handle.unregister("moody").await.unwrap();
    handle.register::<hasty>().await.unwrap();
    bench.send("other").await;
    assert_eq!(bench.calls_after(60_000).await, 3);
    bench.running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_policy_is_written_as_a_uri_of_activemq() {
    let text = "[redelivery.default]\nuri = \"failover:(tcp://a:61616,tcp://b:61616)?jms.nonBlockingRedelivery=false\
                &jms.redeliveryPolicy.maximumRedeliveries=1&jms.redeliveryPolicy.initialRedeliveryDelay=300\"\n";
    let bench = Bench::new(text).await;
    bench.send("first").await;
    bench.send("second").await;
    assert_eq!(bench.calls_after(200).await, 1, "in order: the second waits behind the first");
    assert_eq!(bench.calls_after(300).await, 3);
    assert_eq!(bench.calls_after(60_000).await, 4);
    assert_eq!(
        bench.journal.matching("call"),
        ["call first 1", "call first 2", "call second 1", "call second 2"]
    );
    assert_eq!(bench.dead(), 2);
    bench.running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_exhausted_is_dropped_where_the_policy_says_so() {
    let bench =
        Bench::new("[redelivery.default]\nmaximumRedeliveries = 1\nonExhausted = \"discard\"\n").await;
    bench.send("other").await;
    assert_eq!(bench.calls_after(60_000).await, 2);
    assert_eq!(bench.dead(), 0);
    assert_eq!(bench.broker.peek("work").len(), 0);
    bench.send("permanent").await;
    assert_eq!(bench.calls_after(60_000).await, 3);
    assert_eq!(bench.dead(), 1, "not exhausted, but final");
    bench.running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn without_the_check_before_dispatch_a_lowered_limit_costs_one_more_call() {
    for (check, calls) in [(true, 0), (false, 1)] {
        let broker = broker();
        let listen = |builder: Builder| builder.listen::<moody>();
        let endless = "[redelivery.default]\nmaximumRedeliveries = -1\n";
        let bench = Bench::with(&broker, endless, listen).await;
        bench.send("other").await;
        assert_eq!(bench.calls_after(4_500).await, 5);
        bench.running.stop().await;
        let lowered = format!("[redelivery.default]\nmaximumRedeliveries = 1\npreDispatchCheck = {check}\n");
        let bench = Bench::with(&broker, &lowered, listen).await;
        assert_eq!(bench.calls_after(60_000).await, calls);
        assert_eq!(bench.dead(), 1);
        bench.running.stop().await;
    }
}
