use crate::BoxError;
use std::fmt;

/// What went wrong between the container and a broker, as far as the container reacts to it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// Nobody answers there.
    Unreachable,
    /// No answer in time.
    Timeout,
    /// User, password or rights.
    AccessRefused,
    /// The virtual host does not exist or is closed to this user.
    VirtualHost,
    /// The certificate, its authority or the protocol version.
    Tls,
    /// The queue does not exist.
    QueueMissing,
    /// The queue or exchange exists with other arguments.
    ArgumentMismatch {
        /// The argument.
        argument: String,
        /// What hearken would declare.
        ours: String,
        /// What is there.
        theirs: String,
    },
    /// A name the protocol cannot carry.
    InvalidName,
    /// The settings contradict each other or the broker.
    InvalidSettings,
    /// The connection is gone.
    ConnectionLost,
    /// The channel was closed by the broker.
    ChannelClosed,
    /// The channel was closed by the broker because a delivery stayed unacknowledged for too long
    /// (RabbitMQ's `consumer_timeout`).
    ConsumerTimeout,
    /// The broker cancelled the consumer: queue deleted, leader lost, or moved.
    ConsumerCancelled,
    /// Another consumer has the queue for itself.
    QueueInUse,
    /// Anything else the broker or the client said.
    Other,
}

/// An error of a transport: a kind, a sentence that names the thing and never a secret, and the cause.
#[derive(Debug)]
pub struct TransportError {
    kind: TransportErrorKind,
    message: String,
    source: Option<BoxError>,
}

impl TransportError {
    /// An error of this kind.
    pub fn new(kind: TransportErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// The same error with its cause. The cause's text must hold no secret.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<BoxError>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The kind.
    pub fn kind(&self) -> &TransportErrorKind {
        &self.kind
    }

    /// Whether waiting cannot mend it: at start-up such an error ends the application, later it is tried again, since
    /// brokers are known to refuse falsely while they restart.
    pub fn is_fatal_at_start(&self) -> bool {
        use TransportErrorKind as K;
        matches!(
            self.kind,
            K::AccessRefused
                | K::VirtualHost
                | K::Tls
                | K::ArgumentMismatch { .. }
                | K::InvalidName
                | K::InvalidSettings
        )
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TransportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|error| error as _)
    }
}

/// A message was not, or not certainly, taken by the broker.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PublishError {
    /// No queue is bound for it: the broker gave it back.
    #[error("unroutable: no queue takes messages for exchange `{exchange}` with routing key `{routing_key}`")]
    Returned {
        /// The exchange.
        exchange: String,
        /// The routing key.
        routing_key: String,
    },
    /// The broker said no: a full queue, a broken replica, a message too large.
    #[error("refused by the broker: {reason}")]
    Refused {
        /// The broker's word.
        reason: String,
    },
    /// No answer: the broker may have the message all the same.
    #[error("unknown whether the broker has it: {reason}")]
    Unknown {
        /// What happened instead of an answer.
        reason: String,
        /// The cause.
        source: Option<BoxError>,
    },
    /// It cannot be sent as it is: a name over 255 bytes, headers over the frame size.
    #[error("cannot be sent: {reason}")]
    Invalid {
        /// What is wrong with it.
        reason: String,
    },
}

impl PublishError {
    /// An unknown result without a cause.
    pub fn unknown(reason: impl Into<String>) -> Self {
        Self::Unknown { reason: reason.into(), source: None }
    }
}
