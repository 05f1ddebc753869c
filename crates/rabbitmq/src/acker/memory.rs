use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

/// How many moves are remembered.
const CAPACITY: usize = 10_000;

/// Deliveries whose copy is safe at the broker but whose acknowledgement may have got lost: when one comes again, it is
/// acknowledged instead of handed out. Outlives connections; lost with the process.
#[derive(Default)]
pub(crate) struct Memory(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    known: HashSet<u64>,
    order: VecDeque<u64>,
}

impl Memory {
    pub(crate) fn remember(&self, identities: impl IntoIterator<Item = u64>) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for identity in identities {
            if inner.known.insert(identity) {
                inner.order.push_back(identity);
            }
            while inner.order.len() > CAPACITY {
                if let Some(oldest) = inner.order.pop_front() {
                    inner.known.remove(&oldest);
                }
            }
        }
    }

    /// Whether this is a remembered move; once.
    pub(crate) fn take(&self, identity: u64) -> bool {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = inner.known.remove(&identity);
        if known {
            inner.order.retain(|other| *other != identity);
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_remembered_once() {
        let memory = Memory::default();
        memory.remember([1, 2, 1]);
        assert!(memory.take(1));
        assert!(!memory.take(1) && !memory.take(3));
        assert!(memory.take(2));
    }

    #[test]
    fn the_oldest_is_forgotten_first() {
        let memory = Memory::default();
        memory.remember(0..=CAPACITY as u64);
        assert!(!memory.take(0));
        assert!(memory.take(1) && memory.take(CAPACITY as u64));
    }
}
