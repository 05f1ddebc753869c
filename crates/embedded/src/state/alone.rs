//! Consumers that do not share their queue: exclusive ones, and the active one of a queue that serves one at a time.

use super::State;
use super::consumer::{Consumer, Terms};
use super::slab::{ConsumerId, QueueId};
use hearken_core::transport::{TransportError, TransportErrorKind};
use std::cmp::Reverse;

impl State {
    /// The consumers that a queue may still serve, oldest first.
    pub(super) fn open_consumers(&self, id: QueueId) -> impl Iterator<Item = (ConsumerId, &Consumer)> {
        let attached = self.queues.get(id).map_or(&[][..], |queue| &queue.consumers);
        let known = attached.iter().filter_map(|id| self.consumers.get(*id).map(|consumer| (*id, consumer)));
        known.filter(|(_, consumer)| consumer.is_open())
    }

    /// Refuses a consumer beside an exclusive one, and an exclusive one beside any.
    pub(super) fn check_use(&self, id: QueueId, terms: Terms) -> Result<(), TransportError> {
        let Some(queue) = self.queues.get(id) else { return Ok(()) };
        let name = &queue.name;
        let (kind, text) = if terms.exclusive && queue.shape().single_active {
            let reason = "serves one consumer at a time and takes no exclusive one";
            (TransportErrorKind::InvalidSettings, format!("the queue `{name}` {reason}"))
        } else if self.open_consumers(id).any(|(_, other)| other.exclusive) {
            (TransportErrorKind::QueueInUse, format!("the queue `{name}` has an exclusive consumer"))
        } else if terms.exclusive && self.open_consumers(id).next().is_some() {
            let reason = "has other consumers: an exclusive one must be alone";
            (TransportErrorKind::QueueInUse, format!("the queue `{name}` {reason}"))
        } else {
            return Ok(());
        };
        Err(TransportError::new(kind, text))
    }

    /// Where one consumer is served at a time and the one that was is gone, makes another the active one: the oldest of
    /// the highest priority. Until then, as on classic queues of RabbitMQ, priority moves nobody aside.
    pub(super) fn elect(&mut self, id: QueueId) {
        let Some(queue) = self.queues.get(id).filter(|queue| queue.shape().single_active) else { return };
        let is_active = |consumer: ConsumerId| queue.active == Some(consumer);
        if self.open_consumers(id).any(|(consumer, _)| is_active(consumer)) {
            return;
        }
        let next = self.open_consumers(id).min_by_key(|(_, consumer)| Reverse(consumer.priority));
        let next = next.map(|(consumer, _)| consumer);
        if let Some(queue) = self.queues.get_mut(id) {
            queue.active = next;
        }
        if let Some(next) = next {
            self.take_turn(next);
        }
    }
}
