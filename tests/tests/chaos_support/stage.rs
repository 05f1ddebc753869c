//! Consumers that are processes of their own, and what they leave.

use super::{CONCURRENCY, PREFETCH, SOON};
use hearken_tests::broker;
use hearken_tests::chaos::eventually;
use hearken_tests::inspect::Inspector;
use hearken_tests::ledger::Ledger;
use hearken_tests::process::{Consumer, Job};
use hearken_tests::records::Reader;
use hearken_tests::vhost::VirtualHost;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A virtual host with a queue, and the records of the processes that consume it.
pub struct Stage {
    pub url: String,
    pub queue: String,
    records: PathBuf,
    pub ledger: Ledger,
    reader: Reader,
    _folder: tempfile::TempDir,
    _host: VirtualHost,
}

impl Stage {
    pub async fn new() -> Self {
        let (host, folder) = (VirtualHost::create().await, tempfile::tempdir().unwrap());
        let (ledger, records) = (Ledger::default(), folder.path().join("records"));
        Self {
            url: host.url(),
            queue: broker::unique("process"),
            reader: Reader::new(&records, ledger.clone()).unwrap(),
            records,
            ledger,
            _folder: folder,
            _host: host,
        }
    }

    pub fn consumer(&self, work: Duration, settings: &[(&str, &str)]) -> Consumer {
        self.consumer_in(&[], work, settings)
    }

    /// A consumer with these variables in its environment.
    pub fn consumer_in(
        &self,
        environment: &[(&str, &str)],
        work: Duration,
        settings: &[(&str, &str)],
    ) -> Consumer {
        let (concurrency, prefetch) = (CONCURRENCY.to_string(), PREFETCH.to_string());
        let common = [("container.concurrency", &*concurrency), ("container.prefetch", &*prefetch)];
        let (url, queue, records): (_, _, &Path) = (&self.url, &self.queue, &self.records);
        let settings = &[&common, settings].concat();
        let job = Job { program: env!("CARGO_BIN_EXE_consumer"), url, queue, work, records, settings };
        Consumer::start_in(&job, environment)
    }

    pub async fn until(&mut self, what: &str, mut holds: impl FnMut(&Ledger) -> bool) -> Duration {
        eventually(2 * SOON, what, async || {
            self.reader.read().unwrap();
            holds(&self.ledger)
        })
        .await
    }

    /// Waits until so many copies wait at the broker, all in the level of the highest second of the wait, and until their
    /// originals are acknowledged.
    pub async fn copies_wait(&self, application: &str, level: u32, count: u32) {
        let inspector = Inspector::connect(&self.url).await;
        let queue = format!("hearken.v1.{application}.l{level:02}");
        let waiting = async || inspector.find(&queue).await.is_some_and(|depth| depth.ready == count);
        eventually(SOON, "the copies", waiting).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        inspector.close().await;
    }

    pub async fn calls(&mut self, more: usize) -> Duration {
        self.reader.read().unwrap();
        let wanted = self.ledger.starts() + more;
        self.until("calls", |ledger| ledger.starts() >= wanted).await
    }
}
