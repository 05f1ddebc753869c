//! The end of a link, told to whoever waits for it.

use crate::connection::Connection;
use crate::error::say;
use futures_util::StreamExt;
use hearken_core::transport::{TransportError, TransportErrorKind};
use lapin::Event;
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
pub(crate) async fn watch(connection: Arc<Connection>, loss: Loss, closed: impl Future<Output = ()>) {
    tokio::select! {
        () = closed => {}
        error = ended(&connection) => {
            tracing::debug!(target: "hearken::rabbitmq", %error, "lost");
            loss.tell(&error);
        }
    }
}

async fn ended(connection: &Connection) -> TransportError {
    let mut events = std::pin::pin!(connection.lapin().events_listener());
    let mut look = tokio::time::interval(LOOK);
    loop {
        tokio::select! {
            event = events.next() => match event {
                // Errors of single channels come along here too.
                Some(Event::Error(error)) if !connection.is_open() => {
                    // However the broker worded it.
                    return lost(&say(&error));
                }
                Some(event) => note(&event, "consume"),
                None => return lost("it is closed"),
            },
            _ = look.tick() => if !connection.is_open() {
                return lost("it is closed");
            },
        }
    }
}

fn lost(reason: &str) -> TransportError {
    let message = format!("the connection to the broker is lost: {reason}");
    TransportError::new(TransportErrorKind::ConnectionLost, message)
}

/// Writes down what a connection says about itself, until it ends.
pub(crate) async fn listen(events: impl futures_core::Stream<Item = Event>, role: &'static str) {
    let mut events = std::pin::pin!(events);
    while let Some(event) = events.next().await {
        note(&event, role);
    }
}

fn note(event: &Event, role: &'static str) {
    match event {
        Event::ConnectionBlocked(reason) => {
            tracing::warn!(target: "hearken::rabbitmq", role, reason, "the broker blocks the connection");
        }
        Event::ConnectionUnblocked => tracing::info!(target: "hearken::rabbitmq", role, "no longer blocked"),
        Event::Error(error) => {
            let error = say(error);
            tracing::debug!(target: "hearken::rabbitmq", role, error, "closed by the broker or the network");
        }
        _ => {}
    }
}
