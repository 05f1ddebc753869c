//! The end of a link, told to whoever waits for it.

use crate::connection::Connection;
use crate::error::say;
use crate::notices::Ear;
use futures_core::Stream;
use futures_util::StreamExt;
use hearken_core::transport::{TransportError, TransportErrorKind};
use lapin::{ConnectionStatus, Event};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Whether the connection still stands is asked this often, beside listening to its events.
const LOOK: Duration = Duration::from_secs(1);

type Reason = (TransportErrorKind, Arc<str>);

/// Tells that a link is lost, once.
pub(crate) struct Loss(watch::Sender<Option<Reason>>);

/// Waits for the loss of a link.
#[derive(Clone)]
pub(crate) struct Lost(watch::Receiver<Option<Reason>>);

pub(crate) fn channel() -> (Loss, Lost) {
    let (sender, receiver) = watch::channel(None);
    (Loss(sender), Lost(receiver))
}

impl Loss {
    fn tell(&self, error: &TransportError) {
        self.0.send_replace(Some((error.kind().clone(), error.to_string().into())));
    }
}

impl Lost {
    /// The reason, if the link is ever lost; `None` once it cannot be lost any more, because it was closed.
    pub(crate) async fn wait(mut self) -> Option<TransportError> {
        let reason = self.0.wait_for(Option::is_some).await.ok()?;
        let (kind, message) = reason.as_ref()?;
        Some(TransportError::new(kind.clone(), &**message))
    }
}

/// Watches the connection a link consumes from until it is lost or `closed` resolves.
pub(crate) async fn watch(
    connection: Arc<Connection>,
    ear: Ear,
    loss: Loss,
    closed: impl Future<Output = ()>,
) {
    let (events, status) = (connection.lapin().events_listener(), connection.lapin().status());
    tokio::select! {
        () = closed => {}
        error = ended(events, status.clone(), ear) => {
            tracing::debug!(target: "hearken::rabbitmq", %error, "lost");
            loss.tell(&error);
        }
    }
}

/// Listens to a connection until it ends; returns why it did. Does not keep it open.
pub(crate) async fn ended(
    events: impl Stream<Item = Event>,
    status: ConnectionStatus,
    ear: Ear,
) -> TransportError {
    let mut events = std::pin::pin!(events);
    let mut look = tokio::time::interval(LOOK);
    loop {
        tokio::select! {
            event = events.next() => match event {
                // Errors of single channels come along here too.
                Some(Event::Error(error)) if !status.connected() => {
                    // However the broker worded it.
                    return lost(&say(&error));
                }
                Some(event) => ear.hear(&event),
                None => return lost("it is closed"),
            },
            _ = look.tick() => if !status.connected() {
                return lost("it is closed");
            },
        }
    }
}

fn lost(reason: &str) -> TransportError {
    let message = format!("the connection to the broker is lost: {reason}");
    TransportError::new(TransportErrorKind::ConnectionLost, message)
}
