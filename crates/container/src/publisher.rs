//! Publishing on whatever link is up.

use crate::epoch::{Connections, living};
use hearken_core::BoxFuture;
use hearken_core::session::Publish;
use hearken_core::transport::{Outgoing, PublishError};
use std::time::Duration;

/// Publishes on the current link; waits for one, but not for ever.
pub(crate) struct LinkPublisher {
    pub(crate) connections: Connections,
    pub(crate) patience: Duration,
}

impl Publish for LinkPublisher {
    fn publish(&self, outgoing: Outgoing) -> BoxFuture<'_, Result<(), PublishError>> {
        let mut connections = self.connections.clone();
        Box::pin(async move {
            let current = connections.borrow().living().cloned();
            let epoch = match current {
                Some(epoch) => epoch,
                None => tokio::time::timeout(self.patience, living(&mut connections))
                    .await
                    .ok()
                    .flatten()
                    .ok_or_else(|| PublishError::Refused {
                        reason: format!("there was no connection to the broker for {:?}", self.patience),
                    })?,
            };
            epoch.link.publish(outgoing).await
        })
    }
}
