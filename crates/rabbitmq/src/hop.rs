//! What changes on a copy that travels through hearken's own exchanges, and what is put back when it arrives.
//!
//! RabbitMQ up to 3.13 believes death headers that a client sends and then drops or strands the message in the levels;
//! `CC` would deliver another copy at each level; a foreign `user_id` closes the channel; `expiration` releases early;
//! a priority is not kept in order by a level of RabbitMQ 4.

use hearken_core::delivery::Origin;
use hearken_core::history::{self, History};
use hearken_core::message::{HeaderValue, Headers, Message};
use std::time::Duration;

const TARGET: &str = "hearken-target-queue";
const HOLD: &str = "hearken-hold-ms";
const REST: &str = "hearken-remaining-ms";
const PRIORITY: &str = "hearken-priority";
const TIME_TO_LIVE: &str = "hearken-time-to-live-ms";
const CC: &str = "CC";
const BCC: &str = "BCC";
const X_DEATH: &str = "x-death";

/// Headers that come back under their own name: (on the message, on the way).
const SAVED: [(&str, &str); 2] = [(CC, "hearken-cc"), (X_DEATH, "hearken-x-death")];

const DELIVERY_COUNT: &str = "x-delivery-count";
/// Headers that the broker counts in, beside the death headers.
const COUNTS: [&str; 2] = [DELIVERY_COUNT, "x-acquired-count"];

fn is_death(name: &str) -> bool {
    name == X_DEATH || name.starts_with("x-first-death-") || name.starts_with("x-last-death-")
}

/// Removes what the broker counted: in the way of a handler, and wrong on a copy. Returns how often it took the message
/// back from a consumer. On a message that was never handed out before, a count is a sender's claim, or the past of a
/// dead letter in another queue.
pub(crate) fn take_count(headers: &mut Headers, redelivered: bool) -> u64 {
    let count = headers.integer(DELIVERY_COUNT).filter(|_| redelivered);
    headers.retain(|name, _| !COUNTS.contains(&name));
    count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0)
}

/// Removes what would change the way of a copy that is published to a place of its own, such as a dead letter.
pub(crate) fn strip(message: &mut Message) {
    message.properties_mut().user_id = None;
    message.properties_mut().time_to_live = None;
    message
        .headers_mut()
        .retain(|name, _| !is_death(name) && !COUNTS.contains(&name) && name != CC && name != BCC);
}

/// Prepares a copy for the levels: what [`strip`] removes is saved where it can be put back.
pub(crate) fn pack(message: &mut Message, queue: &str, hold: Duration, rest: Duration) {
    let (priority, time_to_live) = (message.properties().priority, message.properties().time_to_live);
    let saved = SAVED.map(|(name, on_the_way)| (on_the_way, message.headers().get(name).cloned()));
    strip(message);
    message.properties_mut().priority = None;
    message.properties_mut().delivery_mode = hearken_core::message::DeliveryMode::Persistent;
    let headers = message.headers_mut();
    headers.insert(TARGET, queue);
    for (name, value) in saved {
        set(headers, name, value);
    }
    set(headers, PRIORITY, priority.map(|priority| i64::from(priority).into()));
    set(headers, TIME_TO_LIVE, time_to_live.map(millis));
    set(headers, HOLD, (!hold.is_zero()).then(|| millis(hold)));
    set(headers, REST, (!rest.is_zero()).then(|| millis(rest)));
}

fn set(headers: &mut Headers, name: &str, value: Option<HeaderValue>) {
    match value {
        Some(value) => headers.insert(name, value),
        None => {
            headers.remove(name);
        }
    }
}

fn millis(duration: Duration) -> HeaderValue {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX).into()
}

fn duration(value: &HeaderValue) -> Option<Duration> {
    value.as_integer().and_then(|millis| u64::try_from(millis).ok()).map(Duration::from_millis)
}

/// What a copy told about its way.
#[derive(Debug, PartialEq)]
pub(crate) struct Arrival {
    /// The queue it was meant for.
    pub(crate) target: Option<String>,
    /// To be held before the handler sees it.
    pub(crate) hold: Duration,
    /// To be spent in another round first.
    pub(crate) rest: Duration,
}

/// Takes back what [`pack`] did, and what the levels added. The history stays in the headers.
pub(crate) fn unpack(message: &mut Message) -> Arrival {
    let headers = message.headers_mut();
    headers.retain(|name, _| !is_death(name) && name != CC);
    let mut take = |name: &str| headers.remove(name);
    let arrival = Arrival {
        target: take(TARGET).and_then(|target| target.as_text().map(str::to_owned)),
        // Less than a second was packed: a longer hold is not ours.
        hold: take(HOLD).as_ref().and_then(duration).unwrap_or_default().min(Duration::from_secs(1)),
        rest: take(REST).as_ref().and_then(duration).unwrap_or_default(),
    };
    let saved = SAVED.map(|(name, on_the_way)| (name, take(on_the_way)));
    let priority =
        take(PRIORITY).and_then(|priority| priority.as_integer()).and_then(|n| u8::try_from(n).ok());
    let time_to_live = take(TIME_TO_LIVE).as_ref().and_then(duration);
    for (name, value) in saved {
        set(message.headers_mut(), name, value);
    }
    message.properties_mut().priority = priority;
    message.properties_mut().time_to_live = time_to_live;
    arrival
}

/// History and origin of a copy that arrived; the origin names no exchange of hearken's own even when the copy carries no
/// history.
pub(crate) fn story(headers: &Headers, queue: &str) -> (Option<History>, Origin) {
    match History::read(headers) {
        Some((history, origin)) => (Some(history), origin),
        None => {
            let text = |name, default| headers.text(name).unwrap_or(default).into();
            let origin = Origin {
                queue: text(history::QUEUE, queue),
                exchange: text(history::EXCHANGE, ""),
                routing_key: text(history::ROUTING_KEY, queue),
            };
            (None, origin)
        }
    }
}

#[cfg(test)]
mod tests;
