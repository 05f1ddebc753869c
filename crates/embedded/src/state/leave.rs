//! Consumers that go, and what they leave behind.

use super::State;
use super::consumer::Status;
use super::payload::Entry;
use super::shape::Lifetime;
use super::slab::{ConsumerId, QueueId};
use hearken_core::transport::TransportError;
use std::collections::BTreeMap;
use tokio::time::Instant;

impl State {
    /// Hands a consumer no more; what is buffered stays its own.
    pub(crate) fn cancel(&mut self, id: ConsumerId, now: Instant) {
        let Some(consumer) = self.consumers.get_mut(id) else { return };
        if !consumer.is_open() {
            return;
        }
        consumer.status = Status::Cancelled;
        self.effects.wake(consumer.waker.take());
        let queue = consumer.queue;
        self.leave_turns(id);
        self.close_ranks(queue, Vec::new(), now);
    }

    /// Frees a consumer's place. What it had unsettled goes back to its queue.
    pub(crate) fn detach(&mut self, id: ConsumerId, now: Instant) {
        self.leave_turns(id);
        let Some(mut consumer) = self.consumers.remove(id) else { return };
        self.links.forget(consumer.link, id);
        if !consumer.is_attached() {
            return;
        }
        if let Some(queue) = self.queues.get_mut(consumer.queue) {
            queue.consumers.retain(|other| *other != id);
        }
        self.close_ranks(consumer.queue, consumer.take_unsettled(), now);
    }

    /// Ends consumers with an error. All of them end before anything goes back, or one that ends next would get what
    /// the first one had.
    pub(super) fn end_consumers(
        &mut self,
        consumers: impl IntoIterator<Item = ConsumerId>,
        error: impl Fn() -> TransportError,
        now: Instant,
    ) {
        let mut left = BTreeMap::<QueueId, Vec<Entry>>::new();
        for id in consumers {
            if let Some((queue, entries)) = self.fail(id, error()) {
                left.entry(queue).or_default().extend(entries);
            }
        }
        for (queue, entries) in left {
            self.close_ranks(queue, entries, now);
        }
    }

    /// Ends the consumers of one queue with an error.
    pub(crate) fn end_consumers_of(&mut self, queue: &str, error: impl Fn() -> TransportError, now: Instant) {
        let Some(id) = self.find(queue) else { return };
        let consumers = self.queues.get(id).map(|queue| queue.consumers.clone()).unwrap_or_default();
        self.end_consumers(consumers, error, now);
    }

    /// Ends a consumer with an error, and returns what it had unsettled together with its queue.
    pub(super) fn fail(&mut self, id: ConsumerId, error: TransportError) -> Option<(QueueId, Vec<Entry>)> {
        self.leave_turns(id);
        let consumer = self.consumers.get_mut(id)?;
        let was_attached = consumer.is_attached();
        if matches!(consumer.status, Status::Failed(_)) {
            return None;
        }
        consumer.status = Status::Failed(Some(error));
        self.effects.wake(consumer.waker.take());
        let unsettled = (consumer.queue, consumer.take_unsettled());
        if !was_attached {
            return None;
        }
        if let Some(queue) = self.queues.get_mut(unsettled.0) {
            queue.consumers.retain(|other| *other != id);
        }
        Some(unsettled)
    }

    /// After consumers of a queue have gone: what they had unsettled returns to its place, and whoever has room is
    /// served, or the queue goes with the last of them.
    fn close_ranks(&mut self, id: QueueId, unsettled: Vec<Entry>, now: Instant) {
        if self.is_deserted(id) {
            // Before anything goes back: what has expired meanwhile is no dead letter of a queue that is gone.
            if let Some(queue) = self.queues.get_mut(id) {
                queue.bytes -= unsettled.iter().map(|entry| entry.payload.cost).sum::<usize>();
            }
            self.delete(id, now);
            return;
        }
        for entry in unsettled {
            self.put_back(id, entry, now);
        }
        self.elect(id);
        self.dispatch(id, now);
    }

    fn is_deserted(&self, id: QueueId) -> bool {
        let Some(queue) = self.queues.get(id) else { return false };
        queue.shape().lifetime != Lifetime::Durable && self.open_consumers(id).next().is_none()
    }
}
