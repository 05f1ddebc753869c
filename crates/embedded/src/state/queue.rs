use super::lane::Lane;
use super::shape::Shape;
use super::slab::ConsumerId;
use super::turns::Turns;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// How full a queue is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueStats {
    /// Messages waiting for a consumer.
    pub ready: usize,
    /// Messages handed to a consumer, or reserved for one, and not settled.
    pub unacknowledged: usize,
    /// Copies that will arrive when their wait is over.
    pub delayed: usize,
    /// What all of these count for against
    /// [`Settings::max_queue_bytes`](crate::Settings::max_queue_bytes).
    pub bytes: usize,
}

pub(crate) struct Queue {
    pub(crate) name: Arc<str>,
    /// False for a deleted queue that delayed copies still wait for. They arrive should it be declared again.
    pub(crate) exists: bool,
    /// `None` for one that came to be as the dead letter queue of another, until it is declared itself.
    pub(crate) shape: Option<Shape>,
    pub(crate) dead_letter_queue: Option<Arc<str>>,
    pub(crate) lane: Lane,
    /// Those that hold messages of this queue or may get some, oldest first.
    pub(crate) consumers: Vec<ConsumerId>,
    /// The consumer that is served, where it is one at a time.
    pub(crate) active: Option<ConsumerId>,
    /// The consumers with room. While one is here, the lane is empty.
    pub(crate) turns: Turns,
    pub(crate) unacknowledged: usize,
    pub(crate) delayed: usize,
    pub(crate) bytes: usize,
    /// Exchanges with a binding to this queue.
    pub(crate) bound_to: BTreeSet<Arc<str>>,
    /// Publishes that wait for room here, by their keys in the waiting room.
    pub(crate) publishers: VecDeque<u64>,
}

impl Queue {
    pub(crate) fn new(name: Arc<str>) -> Self {
        Self {
            name,
            exists: true,
            shape: None,
            dead_letter_queue: None,
            lane: Lane::default(),
            consumers: Vec::new(),
            active: None,
            turns: Turns::default(),
            unacknowledged: 0,
            delayed: 0,
            bytes: 0,
            bound_to: BTreeSet::new(),
            publishers: VecDeque::new(),
        }
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape.unwrap_or_default()
    }

    pub(crate) fn stats(&self) -> QueueStats {
        QueueStats {
            ready: self.lane.len(),
            unacknowledged: self.unacknowledged,
            delayed: self.delayed,
            bytes: self.bytes,
        }
    }

    /// The messages this queue answers for.
    pub(crate) fn held(&self) -> usize {
        self.lane.len() + self.unacknowledged + self.delayed
    }
}
