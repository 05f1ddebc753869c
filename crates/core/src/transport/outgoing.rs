use crate::message::Message;
use crate::session::Destination;

/// A message on its way to a broker.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outgoing {
    /// Where to.
    pub destination: Destination,
    /// What.
    pub message: Message,
    /// A copy of a consumed message: the adapter strips what would change its way (death headers, CC and BCC,
    /// user id, expiration).
    pub relayed: bool,
}

impl Outgoing {
    /// A message of the application's own.
    pub fn new(destination: Destination, message: Message) -> Self {
        Self { destination, message, relayed: false }
    }

    /// A copy of a consumed message.
    pub fn relayed(destination: Destination, message: Message) -> Self {
        Self { destination, message, relayed: true }
    }
}
