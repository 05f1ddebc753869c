//! Whole processes: signals, and handlers that never return.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

struct Service {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
}

impl Service {
    fn start(handler: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_never_returns"))
            .arg(handler)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the service starts");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, output }
    }

    fn wait_until_called(&mut self) {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        assert_eq!(line, "called\n");
    }

    fn terminate(&self) {
        let sent = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
    }

    /// Waits for the end, far longer than it may take, so that a hang fails instead of hanging the suite.
    fn wait(mut self) -> (ExitStatus, String) {
        let patience = Instant::now() + Duration::from_secs(30);
        loop {
            if let Some(status) = self.child.try_wait().expect("a child of ours") {
                let mut log = String::new();
                let errors = self.child.stderr.take().expect("a pipe");
                BufReader::new(errors).read_to_string(&mut log).expect("text");
                return (status, log);
            }
            if Instant::now() > patience {
                self.child.kill().expect("a child of ours");
                panic!("the process did not end");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn a_plain_handler_that_never_returns_does_not_keep_the_process() {
    let mut service = Service::start("plain");
    service.wait_until_called();
    service.terminate();
    let (status, log) = service.wait();
    assert!(status.success(), "{status}\n{log}");
    assert!(log.contains("SIGTERM: stopping") && log.contains("aborted=1"), "{log}");
}

#[test]
fn an_async_handler_that_never_awaits_ends_with_the_process_at_the_deadline() {
    let mut service = Service::start("blocking");
    service.wait_until_called();
    service.terminate();
    let (status, log) = service.wait();
    assert_eq!(status.code(), Some(1), "{log}");
    assert!(log.contains("a handler never returns: ending the process (endProcess = true)"), "{log}");
}

#[test]
fn a_second_signal_ends_the_process_at_once() {
    let mut service = Service::start("blocking");
    service.wait_until_called();
    service.terminate();
    std::thread::sleep(Duration::from_millis(100));
    service.terminate();
    let (status, log) = service.wait();
    assert_eq!(status.code(), Some(1), "{log}");
    assert!(log.contains("SIGTERM again: ending at once"), "{log}");
}

#[test]
fn an_idle_service_stops_with_status_zero() {
    let service = Service::start("no-such-queue");
    // It says nothing: the signal handler is there once the process logs that its listeners run.
    let mut service = service;
    let mut seen = String::new();
    let mut errors = BufReader::new(service.child.stderr.take().expect("a pipe"));
    while !seen.contains("listener is running") {
        assert_ne!(errors.read_line(&mut seen).expect("text"), 0, "{seen}");
    }
    service.child.stderr = Some(errors.into_inner());
    service.terminate();
    let (status, log) = service.wait();
    assert!(status.success(), "{log}");
}
