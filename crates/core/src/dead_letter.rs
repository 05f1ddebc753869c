//! The dead letter: the message after its last attempt, with the story of its failure in headers.

use crate::delivery::Origin;
use crate::failure::FailureKind;
use crate::history::{ERROR_TEXT, History, MARK, PREFIX, shorten};
use crate::message::{DeliveryMode, Message};
use std::collections::HashSet;
use std::time::Duration;

/// The name of the redelivery policy that ended the message.
pub const POLICY: &str = "hearken-policy";
/// The id of the listener.
pub const LISTENER: &str = "hearken-listener";
/// The host that wrote the dead letter.
pub const HOST: &str = "hearken-host";
/// Why it is a dead letter, as [`Reason`] says it: `exhausted`, `expired`, or the kind of the failure that needs no further
/// attempt.
pub const REASON: &str = "hearken-reason";
/// The delivery mode of a message that was not persistent.
pub const ORIGINAL_DELIVERY_MODE: &str = "hearken-original-delivery-mode";
/// The time to live, in milliseconds, of a message that had one.
pub const ORIGINAL_EXPIRATION: &str = "hearken-original-expiration";

/// ActiveMQ's shared dead letter queue, the default.
pub const SHARED_QUEUE: &str = "ActiveMQ.DLQ";
/// The prefix of ActiveMQ's individual dead letter queues.
pub const INDIVIDUAL_PREFIX: &str = "ActiveMQ.DLQ.Queue.";

/// How many headers of the message were left out because they left no room for the story.
pub const HEADERS_LEFT_OUT: &str = "hearken-headers-left-out";

/// Spring's name of the last failure's text.
pub const SPRING_MESSAGE: &str = "x-exception-message";
/// Spring's name of the exchange the message was published to.
pub const SPRING_EXCHANGE: &str = "x-original-exchange";
/// Spring's name of the routing key it was published with.
pub const SPRING_ROUTING_KEY: &str = "x-original-routingKey";

/// Why a message ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The policy's limit was reached.
    Exhausted,
    /// The last failure needs no further attempt.
    Failed(FailureKind),
    /// Its time to live has passed.
    Expired,
}

impl Reason {
    /// The name in [`REASON`].
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exhausted => "exhausted",
            Self::Failed(kind) => kind.as_str(),
            Self::Expired => "expired",
        }
    }

    /// The reason of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "exhausted" => Some(Self::Exhausted),
            "expired" => Some(Self::Expired),
            kind => FailureKind::from_name(kind).map(Self::Failed),
        }
    }
}

/// Who ended the message, and by which rule.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances<'a> {
    /// The listener's id.
    pub listener: &'a str,
    /// The policy's name.
    pub policy: &'a str,
    /// This host.
    pub host: &'a str,
    /// Why.
    pub reason: Reason,
    /// How long the dead letter itself may live; `None` for ever.
    pub expiration: Option<Duration>,
}

/// Makes the dead letter of a message: persistent, without the message's own expiration, with the story of its failure in
/// headers, under hearken's names and under Spring's. Body, id and all other properties and headers stay.
pub fn dead_letter(
    mut message: Message,
    origin: &Origin,
    history: &History,
    circumstances: Circumstances<'_>,
) -> Message {
    let properties = message.properties_mut();
    let persistent = properties.delivery_mode == DeliveryMode::Persistent;
    properties.delivery_mode = DeliveryMode::Persistent;
    let time_to_live = std::mem::replace(&mut properties.time_to_live, circumstances.expiration);
    let headers = message.headers_mut();
    history.write(origin, headers);
    headers.insert(POLICY, circumstances.policy);
    headers.insert(LISTENER, circumstances.listener);
    headers.insert(HOST, circumstances.host);
    headers.insert(REASON, circumstances.reason.as_str());
    if !persistent {
        headers.insert(ORIGINAL_DELIVERY_MODE, "NON_PERSISTENT");
    }
    if let Some(time_to_live) = time_to_live {
        headers.insert(ORIGINAL_EXPIRATION, i64::try_from(time_to_live.as_millis()).unwrap_or(i64::MAX));
    }
    headers.insert(SPRING_MESSAGE, history.failure.text.as_str());
    headers.insert(SPRING_EXCHANGE, &*origin.exchange);
    headers.insert(SPRING_ROUTING_KEY, &*origin.routing_key);
    message
}

/// Makes a dead letter smaller by about `bytes` bytes, for a broker that cannot carry all of it: leaves out the largest
/// headers that are not hearken's own, counted in [`HEADERS_LEFT_OUT`]; where there are none, shortens the text of the
/// failure. `false` if nothing is left to take.
pub fn make_room(letter: &mut Message, bytes: usize) -> bool {
    let headers = letter.headers_mut();
    let theirs = headers.iter().filter(|(name, _)| !name.starts_with(PREFIX));
    let mut sizes: Vec<_> =
        theirs.map(|(name, value)| (name.len() + value.size(), name.to_owned())).collect();
    if sizes.is_empty() {
        return shorten_text(letter, bytes);
    }
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let mut gained = 0;
    let leave_out: HashSet<_> = sizes
        .into_iter()
        .take_while(|(size, _)| {
            let wanted = gained < bytes;
            gained += size;
            wanted
        })
        .map(|(_, name)| name)
        .collect();
    let before = headers.integer(HEADERS_LEFT_OUT).unwrap_or(0);
    headers.retain(|name, _| !leave_out.contains(name));
    headers.insert(HEADERS_LEFT_OUT, before.saturating_add_unsigned(leave_out.len() as u64));
    true
}

fn shorten_text(letter: &mut Message, bytes: usize) -> bool {
    let headers = letter.headers_mut();
    let Some(text) = headers.text(ERROR_TEXT).filter(|text| text.len() > MARK.len()) else { return false };
    // Half of it where more is wanted than is there: some of it tells more than nothing.
    let wanted = text.len().saturating_sub(bytes).max(text.len() / 2);
    let shorter = shorten(text, wanted.max(MARK.len()).min(text.len() - 1));
    headers.insert(ERROR_TEXT, shorter);
    true
}

#[cfg(test)]
mod tests;
