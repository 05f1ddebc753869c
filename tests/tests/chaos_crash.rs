//! A message that ends every process that handles it: B06 on quorum queues.

use hearken_tests::broker::unique;
use hearken_tests::chaos::within;
use hearken_tests::dead_letters::DeadLetter;
use hearken_tests::inspect::Inspector;
use hearken_tests::ledger::Ledger;
use hearken_tests::load::Load;
use hearken_tests::records::Reader;
use hearken_tests::vhost::VirtualHost;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};

const LIMIT: Duration = Duration::from_secs(60);
const MESSAGES: u64 = 40;
const DEADLY: u64 = 7;
const MAXIMUM_REDELIVERIES: u64 = 1;

fn spawn(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aborts"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    command.spawn().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_ends_the_process_is_a_dead_letter_after_at_most_three_deaths_more_than_its_limit() {
    let (host, ledger, folder) =
        (VirtualHost::create().await, Ledger::default(), tempfile::tempdir().unwrap());
    let records = folder.path().join("records");
    let (url, queue, dead) = (host.url(), unique("crash"), unique("dead"));
    let (application, deadly) = (unique("app"), DEADLY.to_string());
    let arguments = [&*url, &application, &queue, &dead, &deadly, records.to_str().unwrap()];
    let mut reader = Reader::new(&records, ledger.clone()).unwrap();

    // The first one declares the queues.
    let mut process = spawn(&arguments);
    let inspector = Inspector::connect(&url).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    Load::new(&url, &queue, 100, ledger.clone()).send(MESSAGES).await;
    let mut deaths = 0;
    let letter = within(LIMIT, "the dead letter", async {
        loop {
            if process.try_wait().unwrap().is_some() {
                deaths += 1;
                process = spawn(&arguments);
            }
            if let Some(letter) = inspector.get(&dead).await {
                return letter;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    within(LIMIT, "all others", async {
        while ledger.verdict().completed.len() as u64 != MESSAGES - 1 {
            reader.read().unwrap();
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    ledger.dead_lettered(DEADLY);
    process.kill().await.unwrap();
    let verdict = ledger.verdict();
    println!("B06 quorum: {deaths} deaths; {verdict}");
    assert!(deaths <= MAXIMUM_REDELIVERIES + 3, "{deaths} deaths");
    let letter = DeadLetter::read(&letter);
    assert_eq!(letter.kind, "crash");
    assert_eq!(letter.queue, queue);
    assert_eq!(verdict.lost.len(), 0, "{verdict}");
    inspector.close().await;
}
