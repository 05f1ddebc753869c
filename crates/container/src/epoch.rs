//! One supervisor per transport: it connects, notices the loss, waits, and connects anew. Each connection is an epoch.

use crate::pace::Pace;
use hearken_core::transport::{Link, Plan, Transport, TransportError};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

/// A link and whether it still lives. Nothing is settled, committed or redelivered across epochs.
#[derive(Clone)]
pub(crate) struct Epoch {
    pub(crate) link: Arc<dyn Link>,
    pub(crate) number: u64,
    alive: watch::Sender<bool>,
}

impl Epoch {
    fn new(link: Arc<dyn Link>, number: u64) -> Self {
        Self { link, number, alive: watch::Sender::new(true) }
    }

    pub(crate) fn is_alive(&self) -> bool {
        *self.alive.borrow()
    }

    /// Resolves when the connection is lost.
    pub(crate) async fn lost(&self) {
        // The sender lives in self: the channel cannot close.
        let _ = self.alive.subscribe().wait_for(|alive| !alive).await;
    }
}

/// The current epoch, if there is one.
pub(crate) type Epochs = watch::Receiver<Option<Epoch>>;

/// Waits for a living epoch. `None` when the supervisor is gone.
pub(crate) async fn living(epochs: &mut Epochs) -> Option<Epoch> {
    epochs.wait_for(|epoch| epoch.as_ref().is_some_and(Epoch::is_alive)).await.ok()?.clone()
}

/// Owns the connection of the application.
pub(crate) struct Supervisor {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Supervisor {
    /// Tries to connect once, then keeps the connection up. Tells whether the first try succeeded; an error is one
    /// that waiting cannot mend.
    pub(crate) async fn start(
        transport: Arc<dyn Transport>,
        plan: Plan,
        interval: Duration,
        epochs: watch::Sender<Option<Epoch>>,
    ) -> Result<(Self, bool), TransportError> {
        let mut pace = Pace::new(interval);
        pace.next(Instant::now());
        let first = match transport.connect(&plan).await {
            Ok(link) => Some(link),
            Err(error) if error.is_fatal_at_start() => return Err(error),
            Err(error) => {
                refused(&*transport, &error, interval);
                None
            }
        };
        let connected = first.is_some();
        let (stop, stopped) = watch::channel(false);
        let mut supervision = Supervision { transport, plan, interval, pace, epochs, stopped, number: 0 };
        if let Some(link) = &first {
            supervision.open(link);
        }
        let task = tokio::spawn(supervision.run(first));
        Ok((Self { stop, task }, connected))
    }

    /// Closes the connection. Consumers were closed before.
    pub(crate) async fn stop(self, within: Duration) {
        let _ = self.stop.send(true);
        let abort = self.task.abort_handle();
        if tokio::time::timeout(within, self.task).await.is_err() {
            abort.abort();
        }
    }
}

struct Supervision {
    transport: Arc<dyn Transport>,
    plan: Plan,
    interval: Duration,
    pace: Pace,
    epochs: watch::Sender<Option<Epoch>>,
    stopped: watch::Receiver<bool>,
    number: u64,
}

impl Supervision {
    fn open(&mut self, link: &Arc<dyn Link>) {
        self.number += 1;
        tracing::info!(
            messaging.system = self.transport.system(),
            address = self.transport.address(),
            epoch = self.number,
            "connected"
        );
        self.epochs.send_replace(Some(Epoch::new(Arc::clone(link), self.number)));
    }

    async fn run(mut self, first: Option<Arc<dyn Link>>) {
        let mut current = first;
        loop {
            if let Some(link) = current.take() {
                let lost = tokio::select! {
                    error = link.lost() => Some(error),
                    _ = self.stopped.wait_for(|stop| *stop) => None,
                };
                let Some(error) = lost else {
                    self.epochs.send_replace(None);
                    link.close().await;
                    return;
                };
                self.lose(&error);
            }
            let at = self.pace.next(Instant::now());
            tokio::select! {
                () = sleep_until(at) => {}
                _ = self.stopped.wait_for(|stop| *stop) => return,
            }
            let connected = tokio::select! {
                connected = self.transport.connect(&self.plan) => connected,
                _ = self.stopped.wait_for(|stop| *stop) => return,
            };
            match connected {
                Ok(link) => {
                    self.open(&link);
                    current = Some(link);
                }
                Err(error) => refused(&*self.transport, &error, self.interval),
            }
        }
    }

    fn lose(&mut self, error: &TransportError) {
        if let Some(epoch) = self.epochs.send_replace(None) {
            epoch.alive.send_replace(false);
        }
        tracing::warn!(
            messaging.system = self.transport.system(),
            address = self.transport.address(),
            epoch = self.number,
            error = %error,
            "connection lost"
        );
    }
}

fn refused(transport: &dyn Transport, error: &TransportError, interval: Duration) {
    tracing::warn!(
        messaging.system = transport.system(),
        address = transport.address(),
        error = %chain(error),
        "cannot connect; trying again in {interval:?}"
    );
}

/// An error and its causes in one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.ends_with(&next) {
            text.push_str(": ");
            text.push_str(&next);
        }
        cause = error.source();
    }
    text
}
