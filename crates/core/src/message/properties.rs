use crate::time::Timestamp;
use std::time::Duration;

/// Whether a broker keeps a message on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeliveryMode {
    /// Kept in memory: lost when the broker stops.
    NonPersistent,
    /// Written to disk by a durable queue. The default, as in JMS.
    #[default]
    Persistent,
}

/// The standard properties of AMQP 0-9-1, by their names there.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Properties {
    /// MIME type of the body.
    pub content_type: Option<String>,
    /// Encoding of the body, such as `gzip`. hearken does not decode it.
    pub content_encoding: Option<String>,
    /// Persistent unless said otherwise.
    pub delivery_mode: DeliveryMode,
    /// 0 (lowest) to 255; brokers cap it.
    pub priority: Option<u8>,
    /// Ties a reply to its request.
    pub correlation_id: Option<String>,
    /// Where a reply is to be sent.
    pub reply_to: Option<String>,
    /// AMQP's `expiration`: how long the message may wait in a queue. Millisecond resolution.
    pub time_to_live: Option<Duration>,
    /// Identifies the message for its sender; kept over all redeliveries.
    pub message_id: Option<String>,
    /// When the sender made the message.
    pub timestamp: Option<Timestamp>,
    /// The sender's word for the kind of message.
    pub kind: Option<String>,
    /// The sender's user, checked by RabbitMQ. Never copied to a redelivery.
    pub user_id: Option<String>,
    /// The sender's application.
    pub app_id: Option<String>,
}
