use super::State;
use super::effects::Answer;
use super::links::LinkId;
use super::payload::message_bytes;
use super::publish::{Offer, Turn};
use super::slab::QueueId;
use crate::settings::MESSAGE_OVERHEAD;
use hearken_core::transport::{Outgoing, PublishError};
use std::collections::BTreeMap;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// Publishes that wait for room in a queue, each holding its own message.
#[derive(Default)]
pub(crate) struct WaitingRoom {
    waiting: BTreeMap<u64, Waiting>,
    last: u64,
}

struct Waiting {
    outgoing: Box<Outgoing>,
    queue: QueueId,
    link: Option<LinkId>,
    answer: Answer,
}

/// Names a waiting publish.
pub(crate) struct Ticket {
    pub(crate) key: u64,
    pub(crate) answer: oneshot::Receiver<Result<(), PublishError>>,
}

impl WaitingRoom {
    /// A key for whatever waits, here or for the end of an alarm.
    pub(super) fn next_key(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}

impl State {
    pub(super) fn wait_for_room(
        &mut self,
        key: u64,
        link: Option<LinkId>,
        outgoing: Box<Outgoing>,
        queue: QueueId,
        answer: Answer,
    ) {
        self.waiting.waiting.insert(key, Waiting { outgoing, queue, link, answer });
        if let Some(place) = self.queues.get_mut(queue) {
            place.publishers.push_back(key);
        }
    }

    /// Lets in what a queue has room for, in the order in which it came.
    pub(super) fn admit_waiting(&mut self, id: QueueId, now: Instant) {
        while let Some(key) = self.queues.get_mut(id).and_then(|queue| queue.publishers.pop_front()) {
            if self.retry(key, now) == Some(id) {
                // Still this queue: it keeps its turn.
                if let Some(queue) = self.queues.get_mut(id) {
                    queue.publishers.pop_back();
                    queue.publishers.push_front(key);
                }
                return;
            }
        }
    }

    /// Tries a waiting publish again. Returns the queue behind whose last publish it waits now, if it still does.
    pub(super) fn retry(&mut self, key: u64, now: Instant) -> Option<QueueId> {
        let Waiting { outgoing, link, answer, .. } = self.waiting.waiting.remove(&key)?;
        match self.offer(*outgoing, Turn::Head, now) {
            Offer::Settled(result) => {
                self.effects.answer(answer, result);
                None
            }
            Offer::Full(outgoing, queue) => {
                self.wait_for_room(key, link, outgoing, queue, answer);
                Some(queue)
            }
        }
    }

    /// Ends a waiting publish: the refusal to answer with, or nothing if it was answered before.
    pub(crate) fn give_up(&mut self, key: u64) -> Option<PublishError> {
        let Some(waiting) = self.waiting.waiting.remove(&key) else { return self.give_up_held(key) };
        let cost = message_bytes(&waiting.outgoing.message) + MESSAGE_OVERHEAD;
        let reason = self.full(waiting.queue, cost);
        self.leave(key, waiting.queue);
        Some(PublishError::Refused { reason })
    }

    /// Fails the publishes that wait for one link, or for any.
    pub(super) fn fail_waiting(&mut self, link: Option<LinkId>) {
        self.fail_held(link);
        let ends = |waiting: &mut Waiting| waiting.link.is_some() && (link.is_none() || waiting.link == link);
        let ended: Vec<_> = self.waiting.waiting.extract_if(.., |_, waiting| ends(waiting)).collect();
        for (key, Waiting { queue, answer, .. }) in ended {
            let error = PublishError::unknown("the connection to the embedded broker was lost");
            self.effects.answer(answer, Err(error));
            self.leave(key, queue);
        }
    }

    // What stood behind it may be smaller, and fit.
    fn leave(&mut self, key: u64, queue: QueueId) {
        if let Some(place) = self.queues.get_mut(queue) {
            place.publishers.retain(|waiting| *waiting != key);
            self.freed.push_back(queue);
        }
    }
}
