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

/// So many processes, each of which is started again whenever it ends, until the message is a dead letter and all others
/// are completed.
async fn supervised(processes: usize, maximum: u64) {
    let (host, ledger, folder) =
        (VirtualHost::create().await, Ledger::default(), tempfile::tempdir().unwrap());
    let records = folder.path().join("records");
    let (url, queue, dead) = (host.url(), unique("crash"), unique("dead"));
    let (application, deadly, limit) = (unique("app"), DEADLY.to_string(), maximum.to_string());
    let arguments = [&*url, &application, &queue, &dead, &limit, &deadly, records.to_str().unwrap()];
    let mut reader = Reader::new(&records, ledger.clone()).unwrap();

    // They declare the queues.
    let mut running: Vec<_> = (0..processes).map(|_| spawn(&arguments)).collect();
    let inspector = Inspector::connect(&url).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    Load::new(&url, &queue, 100, ledger.clone()).send(MESSAGES).await;
    let mut deaths = 0;
    let mut supervise = || {
        for process in &mut running {
            if process.try_wait().unwrap().is_some() {
                deaths += 1;
                *process = spawn(&arguments);
            }
        }
        deaths
    };
    let letter = within(LIMIT, "the dead letter", async {
        loop {
            supervise();
            if let Some(letter) = inspector.get(&dead).await {
                return letter;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    within(LIMIT, "all others", async {
        while ledger.verdict().completed.len() as u64 != MESSAGES - 1 {
            supervise();
            reader.read().unwrap();
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let deaths = supervise();
    assert_eq!(inspector.drain(&dead).await, [0; 0], "no other, and not twice");
    ledger.dead_lettered(DEADLY);
    let verdict = ledger.verdict();
    println!(
        "B06 quorum, {processes} processes, limit {maximum}: {deaths} deaths, tried as {:?}; {verdict}",
        ledger.attempts(DEADLY)
    );
    assert!(deaths <= maximum + 3, "{deaths} deaths");
    let letter = DeadLetter::read(&letter);
    assert_eq!((letter.kind, letter.queue, letter.id), ("crash".to_owned(), queue, deadly));
    assert_eq!(letter.attempts as u64, maximum + 1);
    assert_eq!(verdict.lost.len(), 0, "{verdict}");
    inspector.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_ends_the_process_is_a_dead_letter_after_at_most_three_deaths_more_than_its_limit() {
    for maximum in [0, 1, 3] {
        supervised(1, maximum).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_ends_processes_in_turn_is_a_dead_letter_as_soon() {
    supervised(2, 1).await;
}
