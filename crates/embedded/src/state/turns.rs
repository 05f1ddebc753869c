use super::slab::ConsumerId;
use std::collections::VecDeque;

/// The consumers of a queue that have room, in the order in which they are served: by priority, and in turn among
/// equals.
#[derive(Default)]
pub(crate) struct Turns(VecDeque<(i32, ConsumerId)>);

impl Turns {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Puts a consumer behind all those of its priority.
    pub(crate) fn push(&mut self, priority: i32, consumer: ConsumerId) {
        if self.0.back().is_none_or(|(last, _)| *last >= priority) {
            self.0.push_back((priority, consumer));
        } else {
            let place = self.0.partition_point(|(other, _)| *other >= priority);
            self.0.insert(place, (priority, consumer));
        }
    }

    pub(crate) fn pop(&mut self) -> Option<ConsumerId> {
        self.0.pop_front().map(|(_, consumer)| consumer)
    }

    pub(crate) fn remove(&mut self, consumer: ConsumerId) {
        self.0.retain(|(_, other)| *other != consumer);
    }
}
