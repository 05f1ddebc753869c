//! One message handed out once.

use crate::history::History;
use crate::message::Message;
use std::sync::Arc;
use std::time::Duration;

/// Where a message came from, as its sender addressed it.
///
/// A redelivery through the broker keeps the original: the names of hearken's own exchanges never show here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The queue it was consumed from.
    pub queue: Arc<str>,
    /// The exchange it was published to; empty for the default exchange.
    pub exchange: Arc<str>,
    /// The routing key it was published with.
    pub routing_key: Arc<str>,
}

/// Names one delivery of one channel; consumed by settling it.
///
/// It can be made by adapters only and is neither `Clone` nor `Copy`, so that nothing is settled twice.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Receipt {
    tag: u64,
    identity: Option<u64>,
}

impl Receipt {
    /// For adapters: the delivery `tag` of the consumer's channel, and what identifies this very attempt of this very
    /// message should it come again (`None` for a message without an id).
    pub fn new(tag: u64, identity: Option<u64>) -> Self {
        Self { tag, identity }
    }

    /// The delivery tag.
    pub fn tag(&self) -> u64 {
        self.tag
    }

    /// What identifies the attempt across deliveries.
    pub fn identity(&self) -> Option<u64> {
        self.identity
    }
}

/// What a transport hands out. It is settled exactly once, by handing its receipt back to the consumer it came from.
#[derive(Debug)]
pub struct Delivery {
    /// The message, without the headers that hearken and the broker added on the way.
    pub message: Message,
    /// Where it came from.
    pub origin: Origin,
    /// What is known of earlier attempts. Present only if the delivery came through hearken's own deliver exchange:
    /// headers of the same name on any other delivery are a sender's claim and are ignored.
    pub history: Option<History>,
    /// The broker's hint that it may have handed out this message before. Says nothing about handler calls.
    pub redelivered: bool,
    /// How often the broker took this message back from a consumer, by its own count (`x-delivery-count`). 0 also where
    /// it keeps none. A copy starts anew.
    pub delivery_count: u64,
    /// How long to hold the delivery before the handler sees it: the part of a delay that the broker cannot express.
    pub hold: Duration,
    /// Why no handler may see it, if so: it becomes a dead letter, undecodable, without a call.
    pub defect: Option<Defect>,
    /// Names this delivery when it is settled.
    pub receipt: Receipt,
}

impl Delivery {
    /// The number of the handler call that this delivery leads to; the first is 1.
    pub fn attempt(&self) -> u64 {
        self.history.as_ref().map_or(0, |history| history.attempts).saturating_add(1)
    }
}

/// What is wrong with a message before anyone looks into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Defect {
    /// The transport had to repair names or tables that the AMQP client could not have parsed.
    #[error("a name or a table of the message could not be parsed and was repaired")]
    Repaired,
    /// The body is larger than `maxMessageBytes`.
    #[error("too large: the body has {bytes} bytes; the limit is {limit}")]
    TooLarge {
        /// The bytes of the body.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
}

/// How a delivery is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// Done: the broker forgets it.
    Acknowledge,
    /// A copy was confirmed by the broker: it forgets this one. Remembered, should the acknowledgement get lost.
    Moved,
    /// A failed attempt goes back to its queue (`basic.reject`, requeue).
    Requeue,
    /// Not handled: goes back to its queue without a failed attempt (`basic.nack`, requeue).
    HandBack,
    /// Dropped by decision of handler or policy.
    Discard,
}
