//! Bodies that mean harm: each is a dead letter at once, and nobody else notices.

mod chaos_support;

use chaos_support::SOON;
use chaos_support::stage::Stage;
use hearken_tests::chaos::{eventually, pick};
use hearken_tests::dead_letters::DeadLetter;
use hearken_tests::inspect::Inspector;
use hearken_tests::ledger::{Ledger, Verdict};
use lapin::BasicProperties;
use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// One of so many bodies is hostile.
const SHARE: u64 = 100;
/// How much more memory they may take than the same number of good ones, in KiB.
const MORE_MEMORY: u64 = 64 * 1024;

/// A body, its content type and its content encoding.
struct Hostile(Vec<u8>, &'static str, &'static str);

/// Invalid UTF-8, cut off, nested far too deep, empty, of another type, small until it is unpacked, with very many keys.
fn hostile() -> [Hostile; 7] {
    const JSON: &str = "application/json";
    let keys: Vec<_> = (0..1_000_000).map(|number| format!("\"{number}\":1")).collect();
    let deep = [&b"{\"id\":1,\"more\":"[..], &[b'['; 100_000], &[b']'; 100_000], b"}"].concat();
    [
        Hostile(b"{\"id\":1,\"name\":\"\xff\xfe\"}".to_vec(), JSON, ""),
        Hostile(b"{\"id\":1,".to_vec(), JSON, ""),
        Hostile(deep, JSON, ""),
        Hostile(Vec::new(), JSON, ""),
        Hostile(b"{\"id\":1}".to_vec(), "application/x-protobuf", ""),
        Hostile(bomb(), JSON, "gzip"),
        Hostile(format!("{{{}}}", keys.join(",")).into_bytes(), JSON, ""),
    ]
}

/// A thousand times as large once it is unpacked.
fn bomb() -> Vec<u8> {
    let mut gzip = Command::new("gzip").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = gzip.stdin.take().unwrap();
    let writing = std::thread::spawn(move || input.write_all(&vec![0; 16 * 1024 * 1024]));
    let output = gzip.wait_with_output().unwrap();
    writing.join().unwrap().unwrap();
    assert!(output.stdout.len() < 32 * 1024);
    output.stdout
}

/// Publishes so many orders, and hostile bodies among them if there are any.
async fn publish(
    inspector: &Inspector,
    queue: &str,
    count: u64,
    hostile: &[Hostile],
    ledger: &Ledger,
) -> usize {
    let channel = inspector.channel();
    channel.confirm_select(ConfirmSelectOptions::default()).await.unwrap();
    let (mut confirms, mut sent) = (Vec::new(), 0);
    for id in 1..=count {
        let mut properties =
            BasicProperties::default().with_message_id(id.to_string().into()).with_delivery_mode(2);
        let order = format!("{{\"id\":{id}}}").into_bytes();
        let body = if id % SHARE == 0 && !hostile.is_empty() {
            let Hostile(body, content_type, encoding) = &hostile[sent % hostile.len()];
            sent += 1;
            properties = properties.with_content_type((*content_type).into());
            if !encoding.is_empty() {
                properties = properties.with_content_encoding((*encoding).into());
            }
            body
        } else {
            properties = properties.with_content_type("application/json".into());
            &order
        };
        let options = BasicPublishOptions::default();
        confirms
            .push(channel.basic_publish("".into(), queue.into(), options, body, properties).await.unwrap());
        ledger.published(id);
        if confirms.len() == 100 || id == count {
            for confirm in confirms.drain(..) {
                assert!(confirm.await.unwrap().is_ack());
            }
        }
    }
    sent
}

/// What a consumer makes of them: its verdict, the most memory it took, and how many it completed in a second.
async fn run(count: u64, hostile: &[Hostile]) -> (Verdict, u64, f64) {
    let mut stage = Stage::new().await;
    let settings = [
        ("test.decodes", "true"),
        ("redelivery.default.initialRedeliveryDelay", "100ms"),
        ("container.deadLetter", "dead"),
    ];
    let mut consumer = stage.consumer(Duration::from_millis(5), &settings);
    eventually(SOON, "the consumer", async || consumer.log().contains("listener is running")).await;
    // All is there before the first is handled.
    consumer.terminate();
    assert!(consumer.wait(SOON).await.success(), "{}", consumer.log());
    let inspector = Inspector::connect(&stage.url).await;
    let sent = publish(&inspector, &stage.queue, count, hostile, &stage.ledger).await;
    let consumer = stage.consumer(Duration::from_millis(5), &settings);
    let begin = Instant::now();
    let good = count as usize - sent;
    let mut most = 0;
    stage
        .until("the good ones", |ledger| {
            most = most.max(consumer.memory());
            ledger.verdict().completed.len() == good
        })
        .await;
    let rate = good as f64 / begin.elapsed().as_secs_f64();
    eventually(SOON, "the dead letters", async || {
        most = most.max(consumer.memory());
        inspector.depth("dead").await.ready as usize == sent
    })
    .await;
    let letters = DeadLetter::drain(&inspector, "dead").await;
    for letter in &letters {
        assert_eq!(
            (&*letter.kind, &*letter.reason, letter.attempts),
            ("undecodable", "undecodable", 1),
            "{letter:?}"
        );
        stage.ledger.dead_lettered(letter.id.parse().unwrap());
    }
    if !hostile.is_empty() {
        let mut told: Vec<_> = letters.iter().map(|letter| &*letter.text).collect();
        told.sort_unstable();
        told.dedup();
        println!("{told:#?}");
    }
    assert!(consumer.threads() > 0, "it ended: {}", consumer.log());
    let log = consumer.log();
    assert!(!log.contains("panic") && !log.contains("connection lost"), "{log}");
    inspector.close().await;
    (stage.ledger.verdict(), most, rate)
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_bodies_are_dead_letters_at_once_and_the_good_ones_flow_as_if_alone() {
    let count = pick(2_100, 10_500);
    let (clean, clean_memory, clean_rate) = run(count, &[]).await;
    assert_eq!((clean.completed.len() as u64, clean.dead_lettered.len()), (count, 0), "{clean}");
    let (verdict, memory, rate) = run(count, &hostile()).await;
    println!(
        "B09 {count}, one in {SHARE} hostile: {:.0} % of the clean rate of {clean_rate:.0}/s, {} MiB beside {} MiB; {verdict}",
        100.0 * rate / clean_rate,
        memory / 1024,
        clean_memory / 1024,
    );
    assert_eq!(verdict.dead_lettered.len() as u64, count / SHARE, "{verdict}");
    assert_eq!(
        (verdict.lost.len(), verdict.duplicates(), verdict.calls),
        (0, 0, verdict.completed.len()),
        "{verdict}"
    );
    assert!(memory <= clean_memory + MORE_MEMORY, "{memory} KiB beside {clean_memory} KiB");
    assert!(rate >= clean_rate / 2.0, "{rate} beside {clean_rate}");
}
