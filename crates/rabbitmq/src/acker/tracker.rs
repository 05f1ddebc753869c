use std::collections::VecDeque;

/// How a delivery ended, as far as a later acknowledgement is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// To be acknowledged.
    Success,
    /// Rejected or handed back on its own: the broker does not know the tag any more, and an acknowledgement that names
    /// it closes the channel.
    Settled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Open,
    Ended(End),
}

/// What to acknowledge now: first one tag with everything below it, then single tags above the first open one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Acks {
    pub(super) up_to: Option<u64>,
    pub(super) single: Vec<u64>,
}

/// Decides which tags of one channel may be acknowledged, and how. Pure.
///
/// `up_to` is the highest *successful* tag with no open one below it. Successes above an open tag are acknowledged one by
/// one: a delivery that is held for long must not keep its neighbours unacknowledged.
#[derive(Debug)]
pub(super) struct Tracker {
    // The tag of the first slot.
    base: u64,
    slots: VecDeque<Slot>,
    // Ended since the last drain.
    fresh: Vec<u64>,
}

impl Tracker {
    pub(super) fn new() -> Self {
        // The tags of a channel count from 1.
        Self { base: 1, slots: VecDeque::new(), fresh: Vec::new() }
    }

    /// Notes the end of a delivery; `false` if it had ended before.
    pub(super) fn end(&mut self, tag: u64, end: End) -> bool {
        let Some(at) = tag.checked_sub(self.base).and_then(|at| usize::try_from(at).ok()) else {
            return false;
        };
        if self.slots.len() <= at {
            self.slots.resize(at + 1, Slot::Open);
        }
        match self.slots.get_mut(at) {
            Some(slot @ Slot::Open) => *slot = Slot::Ended(end),
            _ => return false,
        }
        if end == End::Success {
            self.fresh.push(tag);
        }
        true
    }

    /// What to acknowledge of all that ended since the last call.
    pub(super) fn drain(&mut self) -> Acks {
        let mut acks = Acks::default();
        while let Some(&Slot::Ended(end)) = self.slots.front() {
            if end == End::Success {
                acks.up_to = Some(self.base);
            }
            self.slots.pop_front();
            self.base += 1;
        }
        for tag in self.fresh.drain(..).filter(|tag| *tag >= self.base) {
            let slot = usize::try_from(tag - self.base).ok().and_then(|at| self.slots.get_mut(at));
            if let Some(slot) = slot {
                *slot = Slot::Ended(End::Settled);
                acks.single.push(tag);
            }
        }
        acks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn tracker(ends: &[(u64, End)]) -> Tracker {
        let mut tracker = Tracker::new();
        for (tag, end) in ends {
            assert!(tracker.end(*tag, *end));
        }
        tracker
    }

    #[test]
    fn a_run_from_the_start_is_acknowledged_at_once() {
        let mut tracker = tracker(&[(2, End::Success), (1, End::Success), (3, End::Success)]);
        assert_eq!(tracker.drain(), Acks { up_to: Some(3), single: vec![] });
        assert_eq!(tracker.drain(), Acks::default());
    }

    #[test]
    fn what_is_above_an_open_one_is_acknowledged_singly_and_once() {
        let mut tracker = tracker(&[(1, End::Success), (3, End::Success), (5, End::Success)]);
        assert_eq!(tracker.drain(), Acks { up_to: Some(1), single: vec![3, 5] });
        assert!(tracker.end(2, End::Success));
        assert_eq!(tracker.drain(), Acks { up_to: Some(2), single: vec![] });
        assert!(tracker.end(4, End::Success));
        assert_eq!(tracker.drain(), Acks { up_to: Some(4), single: vec![] });
    }

    #[test]
    fn a_rejected_tag_is_never_named() {
        let mut tracker = tracker(&[(1, End::Success), (2, End::Settled)]);
        assert_eq!(tracker.drain(), Acks { up_to: Some(1), single: vec![] });
        assert!(tracker.end(3, End::Settled));
        assert_eq!(tracker.drain(), Acks::default());
    }

    #[test]
    fn a_tag_ends_once() {
        let mut tracker = tracker(&[(1, End::Success), (3, End::Settled)]);
        assert!(
            !tracker.end(1, End::Success) && !tracker.end(3, End::Success) && !tracker.end(0, End::Success)
        );
        tracker.drain();
        assert!(!tracker.end(1, End::Settled));
    }

    /// The broker's side: what it handed out and what it still waits for.
    #[derive(Default)]
    struct Broker {
        waiting: BTreeSet<u64>,
        acked: BTreeSet<u64>,
    }

    impl Broker {
        fn ack(&mut self, acks: &Acks) {
            if let Some(tag) = acks.up_to {
                assert!(self.waiting.contains(&tag), "406 unknown delivery tag {tag}");
                let rest = self.waiting.split_off(&(tag + 1));
                self.acked.append(&mut std::mem::replace(&mut self.waiting, rest));
            }
            for tag in &acks.single {
                assert!(self.waiting.remove(tag), "406 unknown delivery tag {tag}");
                self.acked.insert(*tag);
            }
        }
    }

    proptest! {
        #[test]
        fn no_acknowledgement_covers_what_has_not_succeeded_and_none_is_missing(
            order in Just((1u64..=60).collect::<Vec<_>>()).prop_shuffle(),
            failures in proptest::collection::btree_set(1u64..=60, 0..20),
            drains in proptest::collection::vec(any::<bool>(), 60),
            ended in 0usize..=60,
        ) {
            let mut tracker = Tracker::new();
            let mut broker = Broker { waiting: (1..=60).collect(), ..Broker::default() };
            let mut succeeded = BTreeSet::new();
            for (tag, drain) in order[..ended].iter().zip(&drains) {
                if failures.contains(tag) {
                    broker.waiting.remove(tag);
                    tracker.end(*tag, End::Settled);
                } else {
                    succeeded.insert(*tag);
                    tracker.end(*tag, End::Success);
                }
                if *drain {
                    broker.ack(&tracker.drain());
                    prop_assert_eq!(&broker.acked, &succeeded);
                }
            }
            broker.ack(&tracker.drain());
            prop_assert_eq!(&broker.acked, &succeeded);
            prop_assert_eq!(tracker.drain(), Acks::default());
        }
    }
}
