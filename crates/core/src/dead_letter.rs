//! The dead letter: the message after its last attempt, with the story of its failure in headers.

use crate::delivery::Origin;
use crate::history::History;
use crate::message::{DeliveryMode, Message};

/// The name of the redelivery policy that ended the message.
pub const POLICY: &str = "hearken-policy";
/// The id of the listener.
pub const LISTENER: &str = "hearken-listener";
/// The host that wrote the dead letter.
pub const HOST: &str = "hearken-host";
/// Why it is a dead letter: `exhausted`, or the kind of the failure that needs no further attempt.
pub const REASON: &str = "hearken-reason";
/// The delivery mode of a message that was not persistent.
pub const ORIGINAL_DELIVERY_MODE: &str = "hearken-original-delivery-mode";
/// The time to live, in milliseconds, of a message that had one.
pub const ORIGINAL_EXPIRATION: &str = "hearken-original-expiration";

/// ActiveMQ's shared dead letter queue, the default.
pub const SHARED_QUEUE: &str = "ActiveMQ.DLQ";
/// The prefix of ActiveMQ's individual dead letter queues.
pub const INDIVIDUAL_PREFIX: &str = "ActiveMQ.DLQ.Queue.";

/// Who ended the message, and by which rule.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances<'a> {
    /// The listener's id.
    pub listener: &'a str,
    /// The policy's name.
    pub policy: &'a str,
    /// This host.
    pub host: &'a str,
    /// Whether the policy's limit was reached.
    pub exhausted: bool,
}

/// Makes the dead letter of a message: persistent, without expiration, with the story of its failure in headers.
/// Body, id and all other properties and headers stay.
pub fn dead_letter(
    mut message: Message,
    origin: &Origin,
    history: &History,
    circumstances: Circumstances<'_>,
) -> Message {
    let properties = message.properties_mut();
    let persistent = properties.delivery_mode == DeliveryMode::Persistent;
    properties.delivery_mode = DeliveryMode::Persistent;
    let time_to_live = properties.time_to_live.take();
    let headers = message.headers_mut();
    history.write(origin, headers);
    headers.insert(POLICY, circumstances.policy);
    headers.insert(LISTENER, circumstances.listener);
    headers.insert(HOST, circumstances.host);
    headers.insert(REASON, if circumstances.exhausted { "exhausted" } else { history.failure.kind.as_str() });
    if !persistent {
        headers.insert(ORIGINAL_DELIVERY_MODE, "NON_PERSISTENT");
    }
    if let Some(time_to_live) = time_to_live {
        headers.insert(ORIGINAL_EXPIRATION, i64::try_from(time_to_live.as_millis()).unwrap_or(i64::MAX));
    }
    message
}
