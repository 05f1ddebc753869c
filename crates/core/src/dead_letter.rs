//! The dead letter: the message after its last attempt, with the story of its failure in headers.

use crate::delivery::Origin;
use crate::history::{History, PREFIX};
use crate::message::{DeliveryMode, Message};
use std::collections::HashSet;

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

/// How many headers of the message were left out because they left no room for the story.
pub const HEADERS_LEFT_OUT: &str = "hearken-headers-left-out";

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

/// Leaves out the largest headers of a dead letter that are not hearken's own, until about `bytes` bytes are gained, and
/// counts them in [`HEADERS_LEFT_OUT`]. For a broker that cannot carry all of them. `false` if there are none to leave
/// out.
pub fn make_room(letter: &mut Message, bytes: usize) -> bool {
    let headers = letter.headers_mut();
    let theirs = headers.iter().filter(|(name, _)| !name.starts_with(PREFIX));
    let mut sizes: Vec<_> =
        theirs.map(|(name, value)| (name.len() + value.size(), name.to_owned())).collect();
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
    !leave_out.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_made_by_the_largest_headers_of_others() {
        let mut letter = Message::new("x");
        let headers = letter.headers_mut();
        headers.insert("small", "s");
        headers.insert("large", "l".repeat(1000));
        headers.insert("larger", "l".repeat(2000));
        headers.insert("hearken-error-text", "t".repeat(5000));
        assert!(make_room(&mut letter, 100));
        let names =
            |letter: &Message| letter.headers().iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
        assert!(
            !names(&letter).contains(&"larger".to_owned()) && names(&letter).contains(&"large".to_owned())
        );
        assert!(make_room(&mut letter, 10_000));
        assert_eq!(letter.headers().integer(HEADERS_LEFT_OUT), Some(3));
        assert!(letter.headers().text("hearken-error-text").is_some());
        assert!(!make_room(&mut letter, 1), "nothing is left to leave out");
    }
}
