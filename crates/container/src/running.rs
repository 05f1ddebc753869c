//! A running application: watch it, publish through it, stop it.

use crate::epoch::living;
use crate::handle::Handle;
use crate::state::ListenerState;
use crate::supervisor::Supervisor;
use hearken_core::session::Publisher;
use hearken_core::transport::{TransportError, TransportErrorKind};
use std::time::Duration;

/// How long closing a connection may take after all listeners have stopped.
const CLOSE: Duration = Duration::from_secs(5);
/// How long an aborted call may take to reach its next await.
pub(crate) const ABORT: Duration = Duration::from_secs(1);

/// How long a stop may take beyond the `shutdownTimeout` of its listeners.
pub(crate) const STOP_AT_MOST: Duration = CLOSE.saturating_add(ABORT).saturating_add(Duration::from_secs(1));

/// What a stop came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StopReport {
    /// Calls that were running and ended, or, with `acceptMessagesWhileStopping`, began and ended since.
    pub finished: u64,
    /// Deliveries that no handler had seen, handed back.
    pub unhandled: u64,
    /// Deliveries held for a redelivery, handed back with their count.
    pub held: u64,
    /// Invokers whose call did not end by the deadline. Their messages come again.
    pub aborted: u64,
    /// Invokers that could not even be aborted: their handlers never reach an await.
    pub stuck: u64,
}

impl StopReport {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            finished: self.finished + other.finished,
            unhandled: self.unhandled + other.unhandled,
            held: self.held + other.held,
            aborted: self.aborted + other.aborted,
            stuck: self.stuck + other.stuck,
        }
    }
}

/// An application whose listeners run. Dropping it stops nothing in order: call [`stop`](Self::stop).
pub struct Running {
    pub(crate) handle: Handle,
    pub(crate) supervisor: Option<Supervisor>,
}

impl Running {
    /// Steers the application, from anywhere.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Publishes outside of any call.
    pub fn publisher(&self) -> Publisher {
        self.handle.publisher()
    }

    /// The state of the listener `id`; `None` if there is no such listener.
    pub fn state(&self, id: &str) -> Option<ListenerState> {
        self.handle.state(id)
    }

    /// Resolves when the state of the listener `id` is one that `wanted` accepts; at once if there is no such listener.
    pub async fn wait_for_state(&self, id: &str, wanted: impl FnMut(&ListenerState) -> bool) {
        self.handle.wait_for_state(id, wanted).await;
    }

    /// Resolves when somebody asked the application to stop by [`Handle::shut_down`].
    pub async fn shut_down_asked(&self) {
        // The sender lives in the handle: the channel cannot close.
        let _ = self.handle.shared.shut_down.subscribe().wait_for(|asked| *asked).await;
    }

    /// Deletes a queue and what is in it. Fine if it does not exist.
    ///
    /// # Errors
    /// [`TransportError`] when the broker refuses or there is no connection within 10 s.
    pub async fn delete_queue(&self, queue: &str) -> Result<(), TransportError> {
        let mut connections = self.handle.shared.connections.clone();
        let epoch = tokio::time::timeout(Duration::from_secs(10), living(&mut connections)).await;
        let epoch = epoch.ok().flatten().ok_or_else(|| {
            let kind = TransportErrorKind::ConnectionLost;
            TransportError::new(kind, "there is no connection to the broker")
        })?;
        epoch.link.delete_queue(queue).await
    }

    /// Stops in order, the listeners of the highest phase first: nothing new is taken, running calls end, what is
    /// buffered or held goes back to its queue. At the deadline of each listener (`shutdownTimeout`) its calls are
    /// dropped. Then the connection closes.
    pub async fn stop(mut self) -> StopReport {
        let report = self.stop_listeners().await;
        if let Some(supervisor) = self.supervisor.take() {
            supervisor.stop(CLOSE).await;
        }
        report
    }

    /// The first half of [`stop`](Self::stop): listeners stop, the connection stays, so that an application can still
    /// publish or delete queues. A second time there is nothing left to stop.
    pub async fn stop_listeners(&mut self) -> StopReport {
        self.handle.shared.stop_all().await
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.handle.shared.close();
    }
}
