//! One connection at a time. Each is an epoch: nothing is settled, committed or redelivered across epochs.

use hearken_core::transport::Link;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// A link and whether it still lives.
#[derive(Clone)]
pub(crate) struct Epoch {
    pub(crate) link: Arc<dyn Link>,
    pub(crate) number: u64,
    condition: Arc<Condition>,
}

struct Condition {
    opened: Instant,
    alive: watch::Sender<bool>,
    /// The broker's word while it takes no messages.
    blocked: watch::Sender<Option<String>>,
    /// Whether a consumer of this epoch has received something, or waited for it in peace.
    proved: AtomicBool,
}

impl Epoch {
    pub(crate) fn new(link: Arc<dyn Link>, number: u64) -> Self {
        let condition = Condition {
            opened: Instant::now(),
            alive: watch::Sender::new(true),
            blocked: watch::Sender::new(None),
            proved: AtomicBool::new(false),
        };
        Self { link, number, condition: Arc::new(condition) }
    }

    pub(crate) fn is_alive(&self) -> bool {
        *self.condition.alive.borrow()
    }

    pub(crate) fn end(&self) {
        self.condition.alive.send_replace(false);
    }

    /// Resolves when the connection is lost.
    pub(crate) async fn lost(&self) {
        // The sender lives in self: the channel cannot close.
        let _ = self.condition.alive.subscribe().wait_for(|alive| !alive).await;
    }

    /// The broker's word while it takes no messages.
    pub(crate) fn blocked(&self) -> watch::Receiver<Option<String>> {
        self.condition.blocked.subscribe()
    }

    pub(crate) fn set_blocked(&self, reason: Option<String>) {
        self.condition.blocked.send_replace(reason);
    }

    /// A successful receive: what resets the back-off.
    pub(crate) fn prove(&self) {
        self.condition.proved.store(true, Ordering::Relaxed);
    }

    /// Whether something was received, or, where nobody may be consuming, the connection lasted this long.
    pub(crate) fn is_proved(&self, lasted: Duration) -> bool {
        self.condition.proved.load(Ordering::Relaxed) || self.condition.opened.elapsed() >= lasted
    }
}

/// The connection of an application.
#[derive(Clone)]
pub(crate) enum Connection {
    /// There is none; the supervisor tries to get one.
    Down,
    /// It is there, or its loss has not been noticed yet.
    Up(Epoch),
    /// The back-off has given up.
    GivenUp(Arc<str>),
}

impl Connection {
    pub(crate) fn living(&self) -> Option<&Epoch> {
        match self {
            Self::Up(epoch) if epoch.is_alive() => Some(epoch),
            _ => None,
        }
    }
}

/// The current connection.
pub(crate) type Connections = watch::Receiver<Connection>;

/// Waits for a living epoch. `None` when there will be none.
pub(crate) async fn living(connections: &mut Connections) -> Option<Epoch> {
    let ready = |now: &Connection| now.living().is_some() || matches!(now, Connection::GivenUp(_));
    connections.wait_for(ready).await.ok()?.living().cloned()
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
