use super::payload::Entry;
use std::collections::{BTreeMap, VecDeque};

/// The ready messages of a queue, ordered by sequence.
///
/// Two containers make the common case cheap: a new message without an expiry can only be taken from the front, so it
/// lies in a ring; one that came back, or that may expire in the middle, lies in a map. The front is the smaller of
/// the two fronts.
#[derive(Default)]
pub(crate) struct Lane {
    ring: VecDeque<Entry>,
    map: BTreeMap<u64, Entry>,
}

/// A drained ring gives its memory back down to this capacity.
const KEPT_CAPACITY: usize = 1024;

impl Lane {
    pub(crate) fn len(&self) -> usize {
        self.ring.len() + self.map.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ring.is_empty() && self.map.is_empty()
    }

    /// Takes a message in at the place of its sequence.
    pub(crate) fn insert(&mut self, entry: Entry) {
        if entry.expires.is_none() && self.ring.back().is_none_or(|last| last.sequence < entry.sequence) {
            self.ring.push_back(entry);
        } else {
            self.map.insert(entry.sequence, entry);
        }
    }

    pub(crate) fn pop(&mut self) -> Option<Entry> {
        let mapped = self.map.first_key_value().map(|(sequence, _)| *sequence);
        match (self.ring.front().map(|entry| entry.sequence), mapped) {
            (ring, Some(mapped)) if ring.is_none_or(|ring| mapped < ring) => {
                self.map.pop_first().map(|(_, entry)| entry)
            }
            _ => {
                let entry = self.ring.pop_front();
                if self.ring.is_empty() && self.ring.capacity() > KEPT_CAPACITY {
                    self.ring.shrink_to(KEPT_CAPACITY);
                }
                entry
            }
        }
    }

    /// Takes out a message that can expire.
    pub(crate) fn remove(&mut self, sequence: u64) -> Option<Entry> {
        self.map.remove(&sequence)
    }

    /// The messages in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Entry> {
        let (mut ring, mut map) = (self.ring.iter().peekable(), self.map.values().peekable());
        std::iter::from_fn(move || match (ring.peek(), map.peek()) {
            (Some(a), Some(b)) if b.sequence < a.sequence => map.next(),
            (Some(_), _) => ring.next(),
            (None, _) => map.next(),
        })
    }
}
