//! Messages that mean harm, through a running container: B10 (large bodies) and B11 (hostile headers).

mod chaos_support;
mod rabbitmq_support;

use chaos_support::SOON;
use hearken::prelude::*;
use hearken_testkit::Journal;
use hearken_tests::broker::{self, Guard};
use hearken_tests::chaos::{eventually, pick, within};
use hearken_tests::dead_letters::DeadLetter;
use hearken_tests::inspect::Inspector;
use hearken_tests::ledger::Ledger;
use hearken_tests::load::Load;
use hearken_tests::node::Node;
use hearken_tests::process::{Consumer, Job};
use hearken_tests::records::Reader;
use rabbitmq_support::raw::{Raw, nested, short};
use std::time::Duration;

#[listener(queue = "given by the test", concurrency = 1, prefetch = 5)]
async fn careful(message: Message, attempt: Attempt, State(journal): State<Journal>) -> Result<(), BoxError> {
    let body = String::from_utf8_lossy(message.body()).into_owned();
    journal.write(format!("call {body} {attempt}"));
    if body.is_empty() {
        return Err("a forged count must not change how often this is tried".into());
    }
    Ok(())
}

/// `name` and an integer (`l`), a text (`S`) or nothing but padding.
fn header(name: &str, kind: u8, value: &[u8]) -> Vec<u8> {
    [&short(name.as_bytes())[..], &[kind], value].concat()
}

fn text(value: &str) -> Vec<u8> {
    [&u32::try_from(value.len()).unwrap().to_be_bytes(), value.as_bytes()].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_headers_become_dead_letters_or_are_handled_and_all_others_flow() {
    let (guard, journal) = (Guard::new(), Journal::default());
    let (queue, dead) = (guard.queue("hostile"), guard.queue("dead"));
    let builder = chaos_support::configured(&broker::amqp_url())
        .listen::<careful>()
        .state(journal.clone())
        .set("application.name", guard.application("hostile"))
        .set("container.deadLetter", dead.as_str())
        .set("redelivery.default.maximumRedeliveries", 2)
        .set("redelivery.default.initialRedeliveryDelay", "50ms")
        .set("redelivery.default.redeliveryDelay", "50ms")
        .set("listeners.careful.concurrency", 1)
        .set("listeners.careful.queue", queue.as_str());
    let running = chaos_support::start(builder).await;
    let count = |value: i64| header("hearken-attempts", b'l', &value.to_be_bytes());
    let forged = [
        [count(i64::MAX), header("x-delivery-count", b'l', &i64::MAX.to_be_bytes())].concat(),
        [count(-1), header("x-delivery-count", b'l', &(-1i64).to_be_bytes())].concat(),
        header("hearken-attempts", b'S', &text("many")),
        header("x-death", b'S', &text("many")),
    ];
    let unreadable = [[&short(b"k\xff")[..], b"t\x01"].concat(), nested(b'F', 1_200), nested(b'A', 18_000)];
    let bulky = [
        header("large", b'S', &text(&"x".repeat(120 * 1024))),
        (0..5_000).flat_map(|n| header(&format!("k{n}"), b't', &[1])).collect(),
    ];
    for headers in forged.iter().chain(&unreadable).chain(&bulky) {
        // A connection each: the broker itself may have enough of one.
        let mut raw = Raw::connect(&broker::amqp_url()).await;
        raw.publish(b"", queue.as_bytes(), b"text/plain", headers).await;
        raw.close().await;
    }
    for body in 0..50 {
        running.publisher().send(&*queue, format!("good {body}").as_str()).await.unwrap();
    }
    within(SOON, "the good ones", journal.wait_for("call good", 50)).await;
    let letters = forged.len() + unreadable.len() + bulky.len();
    let inspector = Inspector::connect(&broker::amqp_url()).await;
    let all = async || inspector.depth(&dead).await.ready as usize == letters;
    eventually(2 * SOON, "the dead letters", all).await;
    let letters = DeadLetter::drain(&inspector, &dead).await;
    let counted = |kind: &str| letters.iter().filter(|letter| letter.kind == kind).count();
    let calls = journal.matching("call  ").len();
    println!(
        "B11: {} undecodable, {} exhausted after {calls} calls",
        counted("undecodable"),
        counted("error")
    );
    assert_eq!((counted("undecodable"), counted("error")), (unreadable.len(), forged.len() + bulky.len()));
    // Three calls each, whatever a sender claims.
    assert_eq!(calls, 3 * (forged.len() + bulky.len()));
    chaos_support::stop(running).await;
    inspector.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_of_the_largest_size_take_no_more_memory_than_a_few_of_them() {
    const BODY: usize = 128 * 1024 * 1024;
    let node = Node::start(&["max_message_size = 134217728"]).await;
    let folder = tempfile::tempdir().unwrap();
    for (name, limit) in [("taken", "129MiB"), ("refused", "1MiB")] {
        let (ledger, records) = (Ledger::default(), folder.path().join(name));
        let mut reader = Reader::new(&records, ledger.clone()).unwrap();
        let settings = [
            ("transport.maxMessageBytes", limit),
            ("transport.queueType", "classic"),
            ("transport.heartbeat", "5s"),
            ("container.prefetch", "1"),
            ("container.concurrency", "1"),
        ];
        let job = Job {
            program: env!("CARGO_BIN_EXE_consumer"),
            url: node.url(),
            queue: name,
            work: Duration::from_millis(10),
            records: &records,
            settings: &settings,
        };
        let consumer = Consumer::start(&job);
        let inspector = Inspector::connect(node.url()).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        let bodies = pick(2, 8);
        Load::new(node.url(), name, BODY, ledger.clone()).send(bodies).await;
        let mut most = 0;
        let ended = async || {
            most = most.max(consumer.memory());
            reader.read().unwrap();
            let ready = inspector.depth("ActiveMQ.DLQ").await.ready;
            ledger.verdict().completed.len() + ready as usize >= bodies as usize
        };
        eventually(4 * SOON, name, ended).await;
        for id in inspector.drain("ActiveMQ.DLQ").await {
            ledger.dead_lettered(id);
        }
        let (mebibytes, verdict) = (most / 1024, ledger.verdict());
        println!("B10 {name}: at most {mebibytes} MiB resident for bodies of 128 MiB; {verdict}");
        assert!(mebibytes <= 3 * 128 + 100, "{mebibytes} MiB");
        assert_eq!(verdict.lost.len(), 0, "{verdict}");
        assert_eq!(verdict.completed.len(), if name == "taken" { bodies as usize } else { 0 }, "{verdict}");
        assert!(!consumer.log().contains("connection lost"), "{}", consumer.log());
        inspector.close().await;
    }
}
