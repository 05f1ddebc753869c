use super::{Group, Waiting};
use crate::convert::{self, header_size, short};
use bytes::Bytes;
use hearken_core::message::Message;
use hearken_core::session::Destination;
use hearken_core::transport::{PublishError, TransportError};
use lapin::BasicProperties;
use lapin::types::ShortString;

/// Room for what the broker adds to the headers of any message.
pub(crate) const HEADROOM: usize = 4 * 1024;
/// Room on the way through the delay levels, each of which leaves a mark with long names in it.
pub(crate) const HEADROOM_ON_LEVELS: usize = 20 * 1024;
/// A content header frame beside the properties: frame start and end, class, weight, body size.
const AROUND: usize = 7 + 1 + 2 + 2 + 8;
/// Larger bodies travel alone: one that the broker refuses closes the channel under its neighbours.
const LARGE: usize = 1024 * 1024;

/// A message that is ready for the wire.
pub(crate) struct Job {
    pub(super) exchange: ShortString,
    pub(super) routing_key: ShortString,
    pub(super) properties: BasicProperties,
    pub(super) body: Bytes,
}

impl Job {
    /// Checks everything that the broker would answer by closing the channel or the connection.
    pub(crate) fn new(
        destination: &Destination,
        message: &Message,
        frame_max: usize,
        headroom: usize,
    ) -> Result<Self, PublishError> {
        let properties = convert::properties(message)?;
        let (size, most) = (header_size(&properties), frame_max.saturating_sub(headroom + AROUND));
        if size > most {
            let reason = format!("properties and headers take {size} bytes; at most {most} fit one frame");
            return Err(PublishError::Invalid { reason });
        }
        Ok(Self {
            exchange: short("name of the exchange", &destination.exchange)?,
            routing_key: short("routing key", &destination.routing_key)?,
            properties,
            body: message.body().clone(),
        })
    }

    pub(crate) fn group(&self) -> Group {
        Group(self.exchange.as_str().into(), self.routing_key.as_str().into())
    }

    /// Whether the broker may refuse it in a way that hurts its neighbours: a foreign user id, or its size.
    pub(super) fn travels_alone(&self) -> bool {
        self.properties.user_id().is_some() || self.body.len() > LARGE
    }

    pub(super) fn returned(&self) -> PublishError {
        PublishError::Returned {
            exchange: self.exchange.as_str().to_owned(),
            routing_key: self.routing_key.as_str().to_owned(),
        }
    }
}

impl Waiting {
    /// Whether nobody waits for an answer any more.
    pub(super) fn is_withdrawn(&self) -> bool {
        self.answer.is_closed() || self.taken.is_taken()
    }

    pub(super) fn fail(self, error: &TransportError) {
        self.answer(Err(PublishError::unknown(format!("not sent: {error}"))));
    }

    pub(super) fn answer(self, result: Result<(), PublishError>) {
        // The caller may have stopped waiting.
        let _ = self.answer.send(result);
    }
}
