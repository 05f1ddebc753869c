use super::links::LinkId;
use super::payload::Entry;
use super::slab::{ConsumerId, QueueId};
use hearken_core::transport::{Subscription, TransportError};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::task::Waker;

/// What a consumer asks for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Terms {
    pub(crate) prefetch: u16,
    pub(crate) priority: i32,
    /// Whether nobody else may consume.
    pub(crate) exclusive: bool,
}

impl From<&Subscription> for Terms {
    fn from(subscription: &Subscription) -> Self {
        Self {
            prefetch: subscription.prefetch,
            priority: subscription.priority.unwrap_or(0),
            exclusive: subscription.exclusive,
        }
    }
}

/// A consumer just opened.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) id: ConsumerId,
    pub(crate) queue: Arc<str>,
}

pub(crate) enum Status {
    Open,
    /// Gets no more; what is buffered still comes.
    Cancelled,
    /// Cancelled, and its queue is gone: what is buffered still comes, but nothing is left of it to settle.
    Adrift,
    /// Has nothing any more, the queue it names may be gone. The error is handed out once.
    Failed(Option<TransportError>),
}

/// One consumer. Its place is freed by its handle only, so that a key never names another consumer.
pub(crate) struct Consumer {
    pub(crate) queue: QueueId,
    pub(crate) link: LinkId,
    pub(crate) prefetch: usize,
    pub(crate) priority: i32,
    pub(crate) exclusive: bool,
    pub(crate) status: Status,
    /// Reserved for this consumer, not yet handed out.
    pub(crate) buffered: VecDeque<Entry>,
    /// Handed out, by tag.
    pub(crate) handed: BTreeMap<u64, Entry>,
    pub(crate) last_tag: u64,
    /// Whether it stands among its queue's turns.
    pub(crate) in_turn: bool,
    pub(crate) waker: Option<Waker>,
}

impl Consumer {
    pub(crate) fn new(queue: QueueId, link: LinkId, terms: Terms) -> Self {
        // 0 is AMQP's "no limit".
        let prefetch = if terms.prefetch == 0 { usize::MAX } else { usize::from(terms.prefetch) };
        Self {
            queue,
            link,
            prefetch,
            priority: terms.priority,
            exclusive: terms.exclusive,
            status: Status::Open,
            buffered: VecDeque::new(),
            handed: BTreeMap::new(),
            last_tag: 0,
            in_turn: false,
            waker: None,
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        matches!(self.status, Status::Open)
    }

    /// Whether its queue answers for what it holds.
    pub(crate) fn is_attached(&self) -> bool {
        matches!(self.status, Status::Open | Status::Cancelled)
    }

    /// What the messages it holds count for.
    pub(crate) fn cost(&self) -> usize {
        self.handed.values().chain(&self.buffered).map(|entry| entry.payload.cost).sum()
    }

    pub(crate) fn has_room(&self) -> bool {
        self.is_open() && self.buffered.len() + self.handed.len() < self.prefetch
    }

    /// Takes everything unsettled out.
    pub(crate) fn take_unsettled(&mut self) -> Vec<Entry> {
        let handed = std::mem::take(&mut self.handed).into_values();
        handed.chain(std::mem::take(&mut self.buffered)).collect()
    }
}
