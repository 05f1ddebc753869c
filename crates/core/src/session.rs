//! The session of one call: what a handler publishes, and when it leaves.

use crate::BoxFuture;
use crate::message::{Encode, EncodeError, Message};
use crate::transport::{Outgoing, PublishError};
use std::sync::{Arc, Mutex, PoisonError};

/// Sends one message and waits for the broker's word.
pub trait Publish: Send + Sync + 'static {
    /// Resolves once the broker has taken responsibility for the message.
    ///
    /// # Errors
    /// [`PublishError`]: returned, refused, or unknown. Only the first two say that the broker does not have it.
    fn publish(&self, outgoing: Outgoing) -> BoxFuture<'_, Result<(), PublishError>>;
}

/// What became of a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "buffered and accepted are different promises"]
pub enum Sent {
    /// The broker has taken responsibility.
    Accepted,
    /// The message waits for the commit of the call: published, confirmed, before the input is acknowledged; or never,
    /// if the call fails.
    Buffered,
}

/// A send failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// The payload could not be encoded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The broker did not take it, or did not say so.
    #[error(transparent)]
    Publish(#[from] PublishError),
    /// The call this session belongs to has ended.
    #[error("the session is closed: the call it belongs to has ended")]
    Closed,
}

/// Where a message is sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The exchange; empty for the default exchange, which routes to the queue named by the routing key.
    pub exchange: String,
    /// The routing key.
    pub routing_key: String,
}

impl Destination {
    /// The queue `name`.
    pub fn queue(name: impl Into<String>) -> Self {
        Self { exchange: String::new(), routing_key: name.into() }
    }

    /// The exchange `name` with a routing key.
    pub fn exchange(name: impl Into<String>, routing_key: impl Into<String>) -> Self {
        Self { exchange: name.into(), routing_key: routing_key.into() }
    }
}

impl From<&str> for Destination {
    fn from(queue: &str) -> Self {
        Self::queue(queue)
    }
}

impl From<String> for Destination {
    fn from(queue: String) -> Self {
        Self::queue(queue)
    }
}

/// Publishes inside a call. A handler argument.
///
/// In a transacted call a send is *buffered*: all messages are published with confirms when the call commits, then the
/// input is acknowledged; if the call fails, none is sent. At-least-once, all or nothing but for a crash between
/// confirm and acknowledgement, after which the input comes again.
#[derive(Clone)]
pub struct Session {
    inner: Arc<Inner>,
}

struct Inner {
    publisher: Arc<dyn Publish>,
    // A std mutex held for a push: never across an await.
    buffer: Mutex<Buffer>,
}

enum Buffer {
    Direct,
    Open(Vec<Outgoing>),
    Closed,
}

impl Session {
    /// A session whose sends wait for the commit.
    pub fn transacted(publisher: Arc<dyn Publish>) -> Self {
        Self::with(publisher, Buffer::Open(Vec::new()))
    }

    /// A session whose sends leave at once.
    pub fn direct(publisher: Arc<dyn Publish>) -> Self {
        Self::with(publisher, Buffer::Direct)
    }

    fn with(publisher: Arc<dyn Publish>, buffer: Buffer) -> Self {
        Self { inner: Arc::new(Inner { publisher, buffer: Mutex::new(buffer) }) }
    }

    /// Sends `payload` to a queue (a name) or an exchange ([`Destination::exchange`]).
    ///
    /// # Errors
    /// [`SendError`]. In a transacted call the broker's answer comes at the commit, which fails if it is a refusal.
    pub async fn send(
        &self,
        destination: impl Into<Destination>,
        payload: impl Encode,
    ) -> Result<Sent, SendError> {
        let message = payload.encode()?;
        self.publish(Outgoing::new(destination.into(), message)).await
    }

    async fn publish(&self, outgoing: Outgoing) -> Result<Sent, SendError> {
        match &mut *self.buffer() {
            Buffer::Open(buffer) => {
                buffer.push(outgoing);
                return Ok(Sent::Buffered);
            }
            Buffer::Closed => return Err(SendError::Closed),
            Buffer::Direct => {}
        }
        self.inner.publisher.publish(outgoing).await?;
        Ok(Sent::Accepted)
    }

    /// For transaction managers: takes what was buffered and closes the session. Later sends are refused.
    pub fn close(&self) -> Vec<Outgoing> {
        match std::mem::replace(&mut *self.buffer(), Buffer::Closed) {
            Buffer::Open(buffer) => buffer,
            Buffer::Direct | Buffer::Closed => Vec::new(),
        }
    }

    /// For transaction managers: publishes one message with confirm, past the buffer.
    ///
    /// # Errors
    /// [`PublishError`], as [`Publish::publish`].
    pub async fn publish_now(&self, outgoing: Outgoing) -> Result<(), PublishError> {
        self.inner.publisher.publish(outgoing).await
    }

    fn buffer(&self) -> std::sync::MutexGuard<'_, Buffer> {
        self.inner.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Publishes outside of any call.
#[derive(Clone)]
pub struct Publisher {
    publisher: Arc<dyn Publish>,
}

impl Publisher {
    /// A publisher on this port.
    pub fn new(publisher: Arc<dyn Publish>) -> Self {
        Self { publisher }
    }

    /// Sends `payload` to a queue (a name) or an exchange ([`Destination::exchange`]); resolves once the broker has
    /// accepted it.
    ///
    /// # Errors
    /// [`SendError`]: after [`PublishError::Unknown`] the broker may have the message all the same.
    pub async fn send(
        &self,
        destination: impl Into<Destination>,
        payload: impl Encode,
    ) -> Result<(), SendError> {
        let message: Message = payload.encode()?;
        Ok(self.publisher.publish(Outgoing::new(destination.into(), message)).await?)
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Session")
    }
}

impl std::fmt::Debug for Publisher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Publisher")
    }
}
