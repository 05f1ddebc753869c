//! A running application: watch it, publish through it, stop it.

use crate::epoch::{Epochs, Supervisor, living};
use crate::invoker::HandedBack;
use crate::listener::ListenerRuntime;
use crate::state::ListenerState;
use hearken_core::session::Publisher;
use hearken_core::transport::TransportError;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How long closing a connection may take after all listeners have stopped.
const CLOSE: Duration = Duration::from_secs(5);
/// How long an aborted call may take to reach its next await.
const ABORT: Duration = Duration::from_secs(1);

/// How long a stop may take beyond the `shutdownTimeout` of its listeners.
pub(crate) const STOP_AT_MOST: Duration = CLOSE.saturating_add(ABORT).saturating_add(Duration::from_secs(1));

/// What a stop came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StopReport {
    /// Deliveries that no handler had seen, handed back.
    pub unhandled: u64,
    /// Deliveries held for a redelivery, handed back with their count.
    pub held: u64,
    /// Invokers whose call did not end by the deadline. Their messages come again.
    pub aborted: u64,
    /// Invokers that could not even be aborted: their handlers never reach an await.
    pub stuck: u64,
}

/// The invokers of one listener.
pub(crate) struct Container {
    pub(crate) listener: Arc<ListenerRuntime>,
    pub(crate) slots: JoinSet<HandedBack>,
}

/// An application whose listeners run. Dropping it stops nothing in order: call [`stop`](Self::stop).
pub struct Running {
    pub(crate) containers: Vec<Container>,
    pub(crate) supervisor: Supervisor,
    pub(crate) epochs: Epochs,
    pub(crate) stop: watch::Sender<bool>,
    pub(crate) publisher: Publisher,
}

impl Running {
    /// Publishes outside of any call.
    pub fn publisher(&self) -> Publisher {
        self.publisher.clone()
    }

    /// The state of the listener `id`; `None` if there is no such listener.
    pub fn state(&self, id: &str) -> Option<ListenerState> {
        self.listener(id).map(|listener| listener.state.state())
    }

    /// Resolves when the state of the listener `id` is one that `wanted` accepts; at once if there is no such listener.
    pub async fn wait_for_state(&self, id: &str, wanted: impl FnMut(&ListenerState) -> bool) {
        if let Some(listener) = self.listener(id) {
            listener.state.wait_for(wanted).await;
        }
    }

    /// Deletes a queue and what is in it. Fine if it does not exist.
    ///
    /// # Errors
    /// [`TransportError`] when the broker refuses or there is no connection within 10 s.
    pub async fn delete_queue(&self, queue: &str) -> Result<(), TransportError> {
        let mut epochs = self.epochs.clone();
        let epoch = tokio::time::timeout(Duration::from_secs(10), living(&mut epochs)).await.ok().flatten();
        let epoch = epoch.ok_or_else(|| {
            let kind = hearken_core::transport::TransportErrorKind::ConnectionLost;
            TransportError::new(kind, "there is no connection to the broker")
        })?;
        epoch.link.delete_queue(queue).await
    }

    /// Stops in order: nothing new is taken, running calls end, what is buffered or held goes back to its queue. At the
    /// deadline of each listener (`shutdownTimeout`) its calls are dropped. Then the connection closes.
    pub async fn stop(mut self) -> StopReport {
        let report = self.stop_listeners().await;
        self.supervisor.stop(CLOSE).await;
        report
    }

    /// The first half of [`stop`](Self::stop): listeners stop, the connection stays, so that an application can still
    /// publish or delete queues.
    pub async fn stop_listeners(&mut self) -> StopReport {
        let _ = self.stop.send(true);
        let containers = std::mem::take(&mut self.containers);
        let stopping = containers.into_iter().map(stop_container);
        let parts = futures_util::future::join_all(stopping).await;
        parts.into_iter().fold(StopReport::default(), |sum, part| StopReport {
            unhandled: sum.unhandled + part.unhandled,
            held: sum.held + part.held,
            aborted: sum.aborted + part.aborted,
            stuck: sum.stuck + part.stuck,
        })
    }

    fn listener(&self, id: &str) -> Option<&ListenerRuntime> {
        self.containers.iter().map(|container| &*container.listener).find(|listener| &*listener.id == id)
    }
}

async fn stop_container(mut container: Container) -> StopReport {
    let listener = Arc::clone(&container.listener);
    listener.state.draining();
    let mut report = StopReport::default();
    let deadline = tokio::time::Instant::now() + listener.settings.shutdown_timeout;
    while let Ok(Some(joined)) = tokio::time::timeout_at(deadline, container.slots.join_next()).await {
        let handed_back = joined.unwrap_or_default();
        report.unhandled += handed_back.unhandled;
        report.held += handed_back.held;
    }
    report.aborted = container.slots.len() as u64;
    if report.aborted > 0 {
        container.slots.abort_all();
        let aborting = async { while container.slots.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(ABORT, aborting).await;
        report.stuck = container.slots.len() as u64;
        tracing::warn!(
            hearken.listener = &*listener.id,
            aborted = report.aborted,
            stuck = report.stuck,
            "calls were still running after {:?}: they are dropped, their messages come again",
            listener.settings.shutdown_timeout
        );
    }
    listener.state.stopped();
    report
}
