//! An alarm as brokers raise it: no message is taken in for now, and consuming goes on.

use hearken_core::transport::{Notice, PublishError};
use std::time::Duration;
use tokio::sync::{Mutex, watch};
use tokio::time::timeout;

/// Whether there is an alarm, with the reason.
pub(crate) struct Alarm(watch::Sender<Option<String>>);

impl Alarm {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(None))
    }

    pub(crate) fn set(&self, reason: Option<String>) {
        self.0.send_replace(reason);
    }

    /// What a link will be told of: an alarm that goes on already, too.
    pub(crate) fn notices(&self) -> Notices {
        let mut alarm = self.0.subscribe();
        if alarm.borrow().is_some() {
            alarm.mark_changed();
        }
        Notices(Mutex::new(alarm))
    }

    /// Waits until there is no alarm, but no longer than this.
    pub(crate) async fn pass(&self, patience: Duration) -> Result<(), PublishError> {
        if self.0.borrow().is_none() {
            return Ok(());
        }
        let mut alarm = self.0.subscribe();
        // The sender lives in self: the channel cannot close.
        match timeout(patience, alarm.wait_for(Option::is_none)).await {
            Ok(_) => Ok(()),
            Err(_) => {
                let reason = self.0.borrow().clone().unwrap_or_default();
                Err(PublishError::Refused { reason: format!("the broker takes no messages: {reason}") })
            }
        }
    }
}

/// What one link hears.
pub(crate) struct Notices(Mutex<watch::Receiver<Option<String>>>);

impl Notices {
    pub(crate) async fn next(&self) -> Notice {
        let mut alarm = self.0.lock().await;
        if alarm.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
        let reason = alarm.borrow_and_update().clone();
        reason.map_or(Notice::Unblocked, |reason| Notice::Blocked { reason })
    }
}
