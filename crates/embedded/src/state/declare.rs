use super::consumer::Status;
use super::exchange::Exchange;
use super::queue::Queue;
use super::shape::Shape;
use super::slab::{ConsumerId, QueueId};
use super::{State, names};
use hearken_core::transport::{BindingKind, TransportError, TransportErrorKind};
use std::sync::Arc;
use tokio::time::Instant;

impl State {
    /// Makes sure that a queue exists, with this dead letter queue beside it.
    pub(crate) fn declare_queue(
        &mut self,
        name: &str,
        dead_letter_queue: Option<&str>,
    ) -> Result<(), TransportError> {
        names::check("queue", name)?;
        if let Some(dead_letters) = dead_letter_queue {
            names::check("dead letter queue", dead_letters)?;
            self.check_dead_letters(name, dead_letters)?;
            self.ensure_plain(dead_letters);
        }
        let id = self.ensure_plain(name);
        self.set_dead_letters(id, dead_letter_queue);
        Ok(())
    }

    /// Makes sure that an exchange of this type exists.
    pub(crate) fn declare_exchange(&mut self, name: &str, kind: BindingKind) -> Result<(), TransportError> {
        names::check("exchange", name)?;
        self.check_exchange_kind(name, kind)?;
        if !self.exchanges.contains_key(name) {
            self.exchanges.insert(name.into(), Exchange::new(name, kind));
        }
        Ok(())
    }

    /// Binds a queue to an exchange; both exist.
    pub(crate) fn bind(&mut self, queue: &str, exchange: &str, key: &str) -> Result<(), TransportError> {
        names::check_length("binding key", key)?;
        let id = self.find(queue).ok_or_else(|| names::queue_missing(queue))?;
        let place = self.exchanges.get_mut(exchange).ok_or_else(|| names::exchange_missing(exchange))?;
        place.bind(key, id);
        if let Some(queue) = self.queues.get_mut(id) {
            queue.bound_to.insert(Arc::clone(&place.name));
        }
        Ok(())
    }

    /// Refuses an exchange that exists with another type.
    pub(crate) fn check_exchange_kind(&self, name: &str, kind: BindingKind) -> Result<(), TransportError> {
        let there = self.exchanges.get(name).map_or(kind, Exchange::kind);
        if there == kind {
            return Ok(());
        }
        Err(mismatch(&format!("exchange `{name}`"), "type", kind.as_str(), there.as_str()))
    }

    /// Refuses a queue that exists with another dead letter queue.
    pub(crate) fn check_dead_letters(&self, queue: &str, ours: &str) -> Result<(), TransportError> {
        let place = self.find(queue).and_then(|id| self.queues.get(id));
        match place.and_then(|place| place.dead_letter_queue.as_deref()) {
            Some(theirs) if theirs != ours => {
                Err(mismatch(&format!("queue `{queue}`"), "x-dead-letter-routing-key", ours, theirs))
            }
            _ => Ok(()),
        }
    }

    /// Deletes a queue with its messages. Copies still delayed for it stay: they arrive if it is declared again
    /// before they are due, and go to the orphans if not.
    pub(crate) fn delete_queue(&mut self, name: &str, now: Instant) -> bool {
        let found = self.find(name);
        if let Some(id) = found {
            self.delete(id, now);
        }
        found.is_some()
    }

    pub(super) fn delete(&mut self, id: QueueId, now: Instant) {
        let Some(queue) = self.queues.get_mut(id) else { return };
        queue.exists = false;
        queue.shape = None;
        queue.active = None;
        queue.dead_letter_queue = None;
        queue.unacknowledged = 0;
        let name = Arc::clone(&queue.name);
        let consumers = std::mem::take(&mut queue.consumers);
        let ready = std::mem::take(&mut queue.lane);
        let publishers = std::mem::take(&mut queue.publishers);
        for exchange in std::mem::take(&mut queue.bound_to) {
            if let Some(exchange) = self.exchanges.get_mut(&exchange) {
                exchange.unbind_all(id);
            }
        }
        let mut freed = 0;
        for entry in ready.iter() {
            freed += entry.payload.cost;
            if let Some(due) = entry.expires {
                self.timers.cancel(due, entry.sequence);
            }
        }
        for consumer in consumers {
            freed += self.bereave(consumer, &name);
        }
        if let Some(queue) = self.queues.get_mut(id) {
            queue.bytes -= freed;
        }
        self.reap(id);
        for publisher in publishers {
            self.retry(publisher, now);
        }
    }

    /// Takes a consumer's queue away, and returns what the messages counted for that it holds. As on RabbitMQ, one that
    /// was cancelled before is not told.
    fn bereave(&mut self, id: ConsumerId, queue: &str) -> usize {
        let Some(consumer) = self.consumers.get_mut(id) else { return 0 };
        let cost = consumer.cost();
        if matches!(consumer.status, Status::Cancelled) {
            consumer.status = Status::Adrift;
        } else {
            let text = format!("consumer cancelled: queue `{queue}` was deleted");
            self.fail(id, TransportError::new(TransportErrorKind::ConsumerCancelled, text));
        }
        cost
    }

    /// The queue of this name; if need be one with nothing special about it. The name is not checked.
    fn ensure_plain(&mut self, name: &str) -> QueueId {
        if let Some(id) = self.find(name) {
            return id;
        }
        let id = self.ensure_queue(name);
        self.set_shape(id, Shape::default());
        id
    }

    pub(super) fn set_dead_letters(&mut self, id: QueueId, dead_letter_queue: Option<&str>) {
        if let (Some(queue), Some(dead_letters)) = (self.queues.get_mut(id), dead_letter_queue) {
            queue.dead_letter_queue.get_or_insert_with(|| dead_letters.into());
        }
    }

    pub(super) fn set_shape(&mut self, id: QueueId, shape: Shape) {
        if let Some(queue) = self.queues.get_mut(id) {
            queue.shape.get_or_insert(shape);
        }
    }

    /// The queue of this name, made if need be; the name is not checked.
    pub(super) fn ensure_queue(&mut self, name: &str) -> QueueId {
        if let Some(&id) = self.names.get(name)
            && let Some(queue) = self.queues.get_mut(id)
        {
            queue.exists = true;
            return id;
        }
        let name: Arc<str> = name.into();
        let id = self.queues.insert(Queue::new(Arc::clone(&name)));
        self.names.insert(name, id);
        id
    }

    /// Forgets a deleted queue that nothing waits for any more.
    pub(super) fn reap(&mut self, id: QueueId) {
        if let Some(queue) = self.queues.get(id)
            && !queue.exists
            && queue.delayed == 0
        {
            self.names.remove(&queue.name);
            self.queues.remove(id);
        }
    }
}

pub(super) fn mismatch(thing: &str, argument: &str, ours: &str, theirs: &str) -> TransportError {
    let text = format!("the {thing} exists with {argument} `{theirs}`, not `{ours}`");
    let (argument, ours, theirs) = (argument.to_owned(), ours.to_owned(), theirs.to_owned());
    TransportError::new(TransportErrorKind::ArgumentMismatch { argument, ours, theirs }, text)
}
