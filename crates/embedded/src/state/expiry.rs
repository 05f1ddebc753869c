use super::State;
use super::payload::{Entry, Payload, message_bytes};
use super::slab::QueueId;
use crate::settings::MESSAGE_OVERHEAD;
use hearken_core::message::{HeaderValue, Headers, Message};
use hearken_core::time::Timestamp;
use std::sync::Arc;
use tokio::time::Instant;

const X_DEATH: &str = "x-death";
const REASON: &str = "expired";

impl State {
    /// The timer of a ready message is due.
    pub(super) fn expire_ready(&mut self, id: QueueId, sequence: u64, now: Instant) {
        if let Some(entry) = self.queues.get_mut(id).and_then(|queue| queue.lane.remove(sequence)) {
            self.expire(id, entry, now);
        }
    }

    /// An expired message that is in no lane any more leaves its queue.
    pub(super) fn expire(&mut self, id: QueueId, entry: Entry, now: Instant) {
        self.release(id, entry.payload.cost);
        let Some(queue) = self.queues.get(id) else { return };
        let Some(target) = queue.dead_letter_queue.clone() else {
            tracing::debug!(queue = &*queue.name, "a message expired and is dropped: no dead letter queue");
            return;
        };
        let mut payload = Arc::unwrap_or_clone(entry.payload);
        let death = Death {
            queue: &queue.name,
            exchange: &payload.exchange,
            routing_key: &payload.routing_key,
            time: self.wall_clock(now),
        };
        death.write(&mut payload.message);
        let payload = Payload {
            cost: message_bytes(&payload.message) + MESSAGE_OVERHEAD,
            message: payload.message,
            exchange: Arc::clone(&self.default_exchange),
            routing_key: target,
            trusted: false,
        };
        match self.find(&payload.routing_key) {
            Some(target) => self.admit(target, Arc::new(payload), None, now),
            None => {
                let queue = &*payload.routing_key;
                tracing::warn!(queue, "a dead letter queue was deleted: an expired message is kept apart");
                self.adopt(payload, now);
            }
        }
    }
}

/// An expiry, told in the headers that RabbitMQ uses.
struct Death<'a> {
    queue: &'a str,
    exchange: &'a str,
    routing_key: &'a str,
    time: Timestamp,
}

impl Death<'_> {
    /// Writes the death into the message, before earlier ones, and takes its time to live away.
    fn write(&self, message: &mut Message) {
        let time_to_live = message.properties_mut().time_to_live.take();
        let headers = message.headers_mut();
        let mut deaths = match headers.remove(X_DEATH) {
            Some(HeaderValue::List(deaths)) => deaths,
            _ => Vec::new(),
        };
        let earlier = deaths.iter().position(|death| self.is_same(death)).map(|at| deaths.remove(at));
        let count = earlier.as_ref().and_then(count).unwrap_or(0).max(0).saturating_add(1);
        let mut death = Headers::new();
        death.insert("count", count);
        death.insert("reason", REASON);
        death.insert("queue", self.queue);
        death.insert("time", self.time);
        death.insert("exchange", self.exchange);
        death.insert("routing-keys", vec![HeaderValue::from(self.routing_key)]);
        if let Some(time_to_live) = time_to_live {
            death.insert("original-expiration", time_to_live.as_millis().to_string());
        }
        deaths.insert(0, death.into());
        headers.insert(X_DEATH, deaths);
        let first = [("reason", REASON), ("queue", self.queue), ("exchange", self.exchange)];
        for (what, value) in first {
            let name = format!("x-first-death-{what}");
            if headers.get(&name).is_none() {
                headers.insert(name, value);
            }
        }
    }

    fn is_same(&self, death: &HeaderValue) -> bool {
        matches!(death, HeaderValue::Table(death)
            if death.text("queue") == Some(self.queue) && death.text("reason") == Some(REASON))
    }
}

fn count(death: &HeaderValue) -> Option<i64> {
    if let HeaderValue::Table(death) = death { death.integer("count") } else { None }
}
