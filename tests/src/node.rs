//! A RabbitMQ of a test's own, to be killed. It takes seconds to start: one for a test binary.

use crate::broker;
use crate::vhost::{command, said};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::OwnedMutexGuard;

/// A node is killed no sooner than this after its queues were declared: it would lose quorum queues that are younger.
pub const SETTLED: Duration = Duration::from_secs(2);

/// A private node, which goes with its folder when it is dropped.
pub struct Node {
    dir: PathBuf,
    settings: Vec<String>,
    url: String,
}

impl Node {
    /// Starts one with these lines in `rabbitmq.conf`.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn start(settings: &[&str]) -> Self {
        Self::start_advanced(settings, "[].").await
    }

    /// Starts one with these lines in `rabbitmq.conf` and this `advanced.config`.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn start_advanced(settings: &[&str], advanced: &str) -> Self {
        // Where `scripts/test` looks for nodes that outlived their tests.
        let nodes = Path::new(&broker::from_environment("HEARKEN_TEST_RABBITMQ_DIR")).join("nodes");
        let dir = nodes.join(uuid::Uuid::new_v4().simple().to_string());
        std::fs::create_dir_all(&dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
        std::fs::write(dir.join("advanced.config"), advanced).unwrap_or_else(|error| panic!("{error}"));
        let settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
        let mut node = Self { dir, settings, url: String::new() };
        let said = node.up().await;
        let url = said.lines().find_map(|line| line.strip_prefix("AMQP_URL="));
        node.url = url.unwrap_or_else(|| panic!("no address: {said}")).to_owned();
        node
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its host and port.
    pub fn address(&self) -> &str {
        self.url.rsplit('@').next().and_then(|rest| rest.split('/').next()).unwrap_or_default()
    }

    /// Its address behind this host and port, such as a proxy's.
    pub fn url_at(&self, authority: &str) -> String {
        self.url.replace(self.address(), authority)
    }

    /// Starts it, if it does not run.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn up(&self) -> String {
        let mut words = vec!["--port", "0"];
        for setting in &self.settings {
            words.extend(["--set", setting]);
        }
        self.run("start", &words).await
    }

    /// Stops it in order.
    ///
    /// # Panics
    /// When that fails.
    pub async fn stop(&self) {
        self.run("stop", &[]).await;
    }

    /// Kills it: `kill -9`.
    ///
    /// # Panics
    /// When it does not run.
    pub async fn kill(&self) {
        self.run("kill", &[]).await;
    }

    /// Runs `rabbitmqctl`.
    ///
    /// # Panics
    /// When it fails.
    pub async fn ctl(&self, words: &[&str]) -> String {
        self.run("ctl", &[&["--", "-q"], words].concat()).await
    }

    /// Raises or clears the memory alarm.
    ///
    /// # Panics
    /// When that fails.
    pub async fn memory_alarm(&self, on: bool) {
        self.ctl(&["set_vm_memory_high_watermark", if on { "0" } else { "0.6" }]).await;
    }

    /// Raises or clears the disk alarm.
    ///
    /// # Panics
    /// When that fails.
    pub async fn disk_alarm(&self, on: bool) {
        self.ctl(&["set_disk_free_limit", if on { "1000000GB" } else { "50MB" }]).await;
    }

    /// Resolves with the moment when it answers the first words of AMQP, which is before its start is complete.
    pub async fn answers(&self) -> Instant {
        loop {
            if greeted(self.address()).await.unwrap_or(false) {
                return Instant::now();
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn run(&self, word: &str, words: &[&str]) -> String {
        let mut run = tokio::process::Command::new(command());
        run.arg(word).arg("--dir").arg(&self.dir).args(words);
        said(run.output().await, word)
    }
}

/// A broker answers the protocol header with a method frame, whose first byte is 1.
async fn greeted(address: &str) -> std::io::Result<bool> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(b"AMQP\x00\x00\x09\x01").await?;
    let answer = tokio::time::timeout(Duration::from_secs(1), stream.read_u8()).await;
    Ok(matches!(answer, Ok(Ok(1))))
}

impl Drop for Node {
    fn drop(&mut self) {
        let mut stop = std::process::Command::new(command());
        let stopped = stop.args(["stop", "--purge", "--dir"]).arg(&self.dir).output();
        if !stopped.is_ok_and(|output| output.status.success()) {
            eprintln!("the node in {} was not stopped", self.dir.display());
        }
    }
}

type Turn = tokio::sync::Mutex<Option<Node>>;

/// The node of this test binary, for one test at a time. It lives as long as a test has it or waits for it.
pub struct Lease(OwnedMutexGuard<Option<Node>>);

impl Lease {
    /// Waits for the turn, and for the node to be up and without an alarm.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn take() -> Self {
        static SHARED: Mutex<Weak<Turn>> = Mutex::new(Weak::new());
        let shared = {
            let mut known = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
            known.upgrade().unwrap_or_else(|| {
                let new = Arc::default();
                *known = Arc::downgrade(&new);
                new
            })
        };
        let mut turn = shared.lock_owned().await;
        match &*turn {
            None => *turn = Some(Node::start(&[]).await),
            Some(node) => {
                // Whatever the test before has left.
                node.up().await;
                node.memory_alarm(false).await;
                node.disk_alarm(false).await;
            }
        }
        Self(turn)
    }
}

impl std::ops::Deref for Lease {
    type Target = Node;

    fn deref(&self) -> &Node {
        self.0.as_ref().unwrap_or_else(|| unreachable!("taken with a node"))
    }
}
