//! Consumers as processes of their own, to be ended by signals.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// What a consumer is to do.
pub struct Job<'a> {
    /// The program: `env!("CARGO_BIN_EXE_consumer")`, which only a test knows.
    pub program: &'a str,
    /// Where the broker is.
    pub url: &'a str,
    /// What it consumes.
    pub queue: &'a str,
    /// How long a handler call takes.
    pub work: Duration,
    /// Where it writes its records; its log goes beside it.
    pub records: &'a Path,
    /// Configuration keys and their values.
    pub settings: &'a [(&'a str, &'a str)],
}

/// A consumer that runs; it is killed when it is dropped.
pub struct Consumer {
    child: Child,
    log: PathBuf,
}

impl Consumer {
    /// Starts it.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start(job: &Job<'_>) -> Self {
        Self::start_in(job, &[])
    }

    /// Starts it with these variables in its environment.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_in(job: &Job<'_>, environment: &[(&str, &str)]) -> Self {
        let log = job.records.with_extension("log");
        let output = File::options().create(true).append(true).open(&log);
        let output = output.unwrap_or_else(|error| panic!("{}: {error}", log.display()));
        let mut command = Command::new(job.program);
        command.arg(job.url).arg(job.queue).arg(job.work.as_millis().to_string()).arg(job.records);
        command.args(job.settings.iter().map(|(key, value)| format!("{key}={value}")));
        command.envs(environment.iter().copied());
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(output).spawn();
        Self { child: child.unwrap_or_else(|error| panic!("{}: {error}", job.program)), log }
    }

    /// Kills it: `kill -9`.
    ///
    /// # Panics
    /// When that fails.
    pub fn kill(mut self) {
        let ended = self.child.kill().and_then(|()| self.child.wait());
        ended.unwrap_or_else(|error| panic!("{error}"));
    }

    /// Asks it to stop: `kill -TERM`.
    ///
    /// # Panics
    /// When that fails.
    pub fn terminate(&self) {
        let sent = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "no signal for {}", self.child.id());
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// When it does not end within `limit`, with its log.
    pub async fn wait(&mut self, limit: Duration) -> ExitStatus {
        let mut status = None;
        let waiting = async {
            while status.is_none() {
                status = self.child.try_wait().unwrap_or_else(|error| panic!("{error}"));
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let _ = tokio::time::timeout(limit, waiting).await;
        status.unwrap_or_else(|| panic!("the consumer does not end\n{}", self.log()))
    }

    /// What it has logged, and those before it with the same records.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// How many file descriptors it has open.
    pub fn descriptors(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.child.id())).map_or(0, Iterator::count)
    }

    /// How many KiB of memory are its own.
    pub fn memory(&self) -> u64 {
        self.status("VmRSS:")
    }

    /// How many threads it has.
    pub fn threads(&self) -> u64 {
        self.status("Threads:")
    }

    fn status(&self, key: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let value = status.lines().find_map(|line| line.strip_prefix(key));
        value.and_then(|value| value.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    }
}

impl Drop for Consumer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
