use super::consumer::{Consumer, Open, Status, Terms};
use super::links::LinkId;
use super::payload::{Entry, Handed, Payload};
use super::slab::{ConsumerId, QueueId};
use super::timers::Timer;
use super::{State, names};
use hearken_core::delivery::Settlement;
use hearken_core::transport::TransportError;
use std::sync::Arc;
use std::task::{Poll, Waker};
use tokio::time::Instant;

impl State {
    /// Opens a consumer on an existing queue.
    pub(crate) fn consume(
        &mut self,
        link: LinkId,
        queue: &str,
        terms: Terms,
        now: Instant,
    ) -> Result<Open, TransportError> {
        let missing = || names::queue_missing(queue);
        let id = self.find_for(link, queue)?.ok_or_else(missing)?;
        self.check_use(id, terms)?;
        let members = self.links.consumers(link)?;
        let consumer = self.consumers.insert(Consumer::new(id, link, terms));
        members.insert(consumer);
        let place = self.queues.get_mut(id).ok_or_else(missing)?;
        place.consumers.push(consumer);
        let queue = Arc::clone(&place.name);
        self.elect(id);
        self.take_turn(consumer);
        self.dispatch(id, now);
        Ok(Open { id: consumer, queue })
    }

    /// The next delivery of a consumer; else its waker is kept.
    pub(crate) fn next(
        &mut self,
        id: ConsumerId,
        waker: &Waker,
    ) -> Poll<Option<Result<Handed, TransportError>>> {
        let Some(consumer) = self.consumers.get_mut(id) else { return Poll::Ready(None) };
        if let Status::Failed(error) = &mut consumer.status {
            return Poll::Ready(error.take().map(Err));
        }
        if let Some(entry) = consumer.buffered.pop_front() {
            consumer.last_tag += 1;
            let tag = consumer.last_tag;
            let Entry { redelivered, returns, .. } = entry;
            let handed = Handed { tag, payload: Arc::clone(&entry.payload), redelivered, returns };
            consumer.handed.insert(tag, entry);
            return Poll::Ready(Some(Ok(handed)));
        }
        if matches!(consumer.status, Status::Cancelled | Status::Adrift) {
            return Poll::Ready(None);
        }
        match &mut consumer.waker {
            Some(known) => known.clone_from(waker),
            none => *none = Some(waker.clone()),
        }
        Poll::Pending
    }

    /// Settles a delivery. A tag that is not open is ignored. Returns what the broker has forgotten, to be freed
    /// outside of the lock.
    pub(crate) fn settle(
        &mut self,
        id: ConsumerId,
        tag: u64,
        settlement: Settlement,
        now: Instant,
    ) -> Option<Arc<Payload>> {
        let consumer = self.consumers.get_mut(id)?;
        let entry = consumer.handed.remove(&tag)?;
        if matches!(consumer.status, Status::Adrift) {
            return Some(entry.payload);
        }
        let queue = consumer.queue;
        self.take_turn(id);
        let forgotten = match settlement {
            Settlement::Acknowledge | Settlement::Moved | Settlement::Discard => {
                if let Some(place) = self.queues.get_mut(queue) {
                    place.unacknowledged -= 1;
                }
                self.release(queue, entry.payload.cost);
                Some(entry.payload)
            }
            Settlement::Requeue | Settlement::HandBack => {
                self.put_back(queue, entry, now);
                None
            }
        };
        self.dispatch(queue, now);
        forgotten
    }

    /// Reserves messages for consumers with room, in the order of their turns.
    pub(super) fn dispatch(&mut self, id: QueueId, now: Instant) {
        while let Some(queue) = self.queues.get_mut(id)
            && !queue.turns.is_empty()
            && let Some(entry) = queue.lane.pop()
        {
            if let Some(due) = entry.expires {
                self.timers.cancel(due, entry.sequence);
            }
            if let Err(entry) = self.reserve(id, entry) {
                self.wait_ready(id, entry, now);
                return;
            }
        }
    }

    /// Gives a message to the consumer whose turn it is, or hands it back where there is none.
    pub(super) fn reserve(&mut self, id: QueueId, entry: Entry) -> Result<(), Entry> {
        let Some(queue) = self.queues.get_mut(id) else { return Err(entry) };
        while let Some(turn) = queue.turns.pop() {
            let Some(consumer) = self.consumers.get_mut(turn) else { continue };
            consumer.in_turn = false;
            if !consumer.has_room() {
                continue;
            }
            consumer.buffered.push_back(entry);
            queue.unacknowledged += 1;
            if consumer.has_room() {
                consumer.in_turn = true;
                queue.turns.push(consumer.priority, turn);
            }
            self.effects.wake(consumer.waker.take());
            return Ok(());
        }
        Err(entry)
    }

    /// Lets a message wait in its queue, under its timer if it can expire; one that has expired already leaves at once.
    pub(super) fn wait_ready(&mut self, id: QueueId, entry: Entry, now: Instant) {
        if let Some(due) = entry.expires {
            if due <= now {
                self.expire(id, entry, now);
                return;
            }
            self.timers.insert(due, entry.sequence, Timer::Expire { queue: id });
        }
        if let Some(queue) = self.queues.get_mut(id) {
            queue.lane.insert(entry);
        }
    }

    pub(super) fn put_back(&mut self, id: QueueId, mut entry: Entry, now: Instant) {
        let Some(queue) = self.queues.get_mut(id) else { return };
        queue.unacknowledged -= 1;
        entry.redelivered = true;
        entry.returns = entry.returns.saturating_add(1);
        self.wait_ready(id, entry, now);
    }

    /// Puts a consumer with room among its queue's turns, if it may be served at all.
    pub(super) fn take_turn(&mut self, id: ConsumerId) {
        let Some(consumer) = self.consumers.get_mut(id) else { return };
        if consumer.in_turn || !consumer.has_room() {
            return;
        }
        if let Some(queue) = self.queues.get_mut(consumer.queue)
            && (!queue.shape().single_active || queue.active == Some(id))
        {
            consumer.in_turn = true;
            queue.turns.push(consumer.priority, id);
        }
    }

    pub(super) fn leave_turns(&mut self, id: ConsumerId) {
        let Some(consumer) = self.consumers.get_mut(id) else { return };
        if std::mem::take(&mut consumer.in_turn)
            && let Some(queue) = self.queues.get_mut(consumer.queue)
        {
            queue.turns.remove(id);
        }
    }
}
