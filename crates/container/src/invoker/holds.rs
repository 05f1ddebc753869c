use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// What waits in the client, in exact order of its due times. Never early; tokio's timer has 1 ms resolution.
#[derive(Debug)]
pub(crate) struct Holds<T> {
    waiting: BTreeMap<(Instant, u64), T>,
    sequence: u64,
}

impl<T> Default for Holds<T> {
    fn default() -> Self {
        Self { waiting: BTreeMap::new(), sequence: 0 }
    }
}

impl<T> Holds<T> {
    pub(crate) fn insert(&mut self, now: Instant, wait: Duration, held: T) {
        // A wait too long for the clock cannot come to an end in the life of this process.
        let due = now.checked_add(wait).unwrap_or_else(|| now + Duration::from_secs(u32::MAX.into()));
        self.sequence += 1;
        self.waiting.insert((due, self.sequence), held);
    }

    pub(crate) fn next_due(&self) -> Option<Instant> {
        self.waiting.first_key_value().map(|((due, _), _)| *due)
    }

    /// What is due at `now`, the longest due first.
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<T> {
        let entry = self.waiting.first_entry()?;
        (entry.key().0 <= now).then(|| entry.remove())
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Everything that waits, with what is left of its wait at `now`.
    pub(crate) fn drain(&mut self, now: Instant) -> impl Iterator<Item = (Duration, T)> + use<T> {
        std::mem::take(&mut self.waiting)
            .into_iter()
            .map(move |((due, _), held)| (due.saturating_duration_since(now), held))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_times_keep_their_order_and_nothing_is_early() {
        let (now, second) = (Instant::now(), Duration::from_secs(1));
        let mut holds = Holds::default();
        for (wait, name) in [(2, "c"), (1, "a"), (1, "b"), (u64::MAX, "never")] {
            holds.insert(now, Duration::from_secs(wait), name);
        }
        assert_eq!(holds.take_due(now), None);
        assert_eq!(holds.next_due(), Some(now + second));
        assert_eq!(holds.take_due(now + second), Some("a"));
        assert_eq!(holds.take_due(now + second), Some("b"));
        assert_eq!(holds.take_due(now + second), None);
        assert_eq!(holds.drain(now + second).next(), Some((second, "c")));
        assert_eq!(holds.len(), 0);
    }
}
