use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Which deliveries of one connection had to be repaired: written by the screen as the frames pass, read by the
/// consumers as the deliveries come out of lapin.
#[derive(Default)]
pub(crate) struct Repairs {
    // Read for every delivery of every consumer: the set is locked only when there is something in it.
    count: AtomicUsize,
    deliveries: Mutex<HashSet<(u16, u64)>>,
}

impl Repairs {
    pub(super) fn record(&self, channel: u16, tag: u64) {
        let mut deliveries = self.deliveries.lock().unwrap_or_else(PoisonError::into_inner);
        deliveries.insert((channel, tag));
        self.count.store(deliveries.len(), Ordering::Release);
    }

    /// Whether the delivery `tag` of `channel` was repaired. Forgets it.
    pub(crate) fn take(&self, channel: u16, tag: u64) -> bool {
        if self.count.load(Ordering::Acquire) == 0 {
            return false;
        }
        let mut deliveries = self.deliveries.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = deliveries.remove(&(channel, tag));
        self.count.store(deliveries.len(), Ordering::Release);
        taken
    }

    /// Forgets a closed channel: its number may be used again, with the same tags.
    pub(crate) fn forget(&self, channel: u16) {
        let mut deliveries = self.deliveries.lock().unwrap_or_else(PoisonError::into_inner);
        deliveries.retain(|(of, _)| *of != channel);
        self.count.store(deliveries.len(), Ordering::Release);
    }
}
