//! What became of every message, by its id.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

#[derive(Default)]
struct Entries {
    attempted: BTreeSet<u64>,
    published: BTreeSet<u64>,
    starts: Vec<(Instant, u64)>,
    attempts: BTreeMap<u64, Vec<(Duration, u64)>>,
    completed: BTreeMap<u64, usize>,
    dead_lettered: BTreeMap<u64, usize>,
    left: BTreeSet<u64>,
}

/// The entries of one run. Clones share them.
#[derive(Clone, Default)]
pub struct Ledger(Arc<Mutex<Entries>>);

impl Ledger {
    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It is about to be sent: from now on it may turn up.
    pub fn attempted(&self, id: u64) {
        self.entries().attempted.insert(id);
    }

    /// The broker confirmed it: from now on it may not be lost.
    pub fn published(&self, id: u64) {
        let mut entries = self.entries();
        entries.attempted.insert(id);
        entries.published.insert(id);
    }

    /// A handler was called with it.
    pub fn started(&self, id: u64) {
        self.entries().starts.push((Instant::now(), id));
    }

    /// A handler was called with it, as this attempt, so long after the machine was started.
    pub fn tried(&self, id: u64, attempt: u64, at: Duration) {
        let mut entries = self.entries();
        entries.starts.push((Instant::now(), id));
        entries.attempts.entry(id).or_default().push((at, attempt));
    }

    /// A handler call for it succeeded.
    pub fn completed(&self, id: u64) {
        *self.entries().completed.entry(id).or_default() += 1;
    }

    /// It is in a dead letter queue.
    pub fn dead_lettered(&self, id: u64) {
        *self.entries().dead_lettered.entry(id).or_default() += 1;
    }

    /// It is still in its queue.
    pub fn left(&self, id: u64) {
        self.entries().left.insert(id);
    }

    /// How many handler calls began.
    pub fn starts(&self) -> usize {
        self.entries().starts.len()
    }

    /// The ids in the order in which their handler calls began.
    pub fn order(&self) -> Vec<u64> {
        self.entries().starts.iter().map(|(_, id)| *id).collect()
    }

    /// When the first handler call after this moment began.
    pub fn first_start_after(&self, moment: Instant) -> Option<Instant> {
        self.entries().starts.iter().map(|(at, _)| *at).find(|at| *at > moment)
    }

    /// The attempts at a message in the order in which they began, where their numbers are known.
    pub fn attempts(&self, id: u64) -> Vec<u64> {
        self.tries(id).into_iter().map(|(_, attempt)| attempt).collect()
    }

    /// The attempts at a message with the times at which they began.
    pub fn tries(&self, id: u64) -> Vec<(Duration, u64)> {
        self.entries().attempts.get(&id).cloned().unwrap_or_default()
    }

    /// Whether every confirmed message has been completed.
    pub fn is_done(&self) -> bool {
        let entries = self.entries();
        entries.published.iter().all(|id| entries.completed.contains_key(id))
    }

    /// What it comes to.
    pub fn verdict(&self) -> Verdict {
        let entries = self.entries();
        let completed: BTreeSet<u64> = entries.completed.keys().copied().collect();
        let dead_lettered: BTreeSet<u64> = entries.dead_lettered.keys().copied().collect();
        let known =
            |id: &&u64| completed.contains(id) || dead_lettered.contains(id) || entries.left.contains(id);
        let seen = completed.iter().chain(&dead_lettered).chain(&entries.left);
        Verdict {
            published: entries.published.len(),
            calls: entries.starts.len(),
            lost: entries.published.iter().filter(|id| !known(id)).copied().collect(),
            duplicated: repeated(&entries.completed),
            dead_twice: repeated(&entries.dead_lettered),
            unexpected: seen.filter(|id| !entries.attempted.contains(id)).copied().collect(),
            left: entries.left.clone(),
            completed,
            dead_lettered,
        }
    }
}

/// The ids that were counted more than once, with the number of times beyond the first.
fn repeated(counts: &BTreeMap<u64, usize>) -> BTreeMap<u64, usize> {
    counts.iter().filter(|(_, count)| **count > 1).map(|(id, count)| (*id, count - 1)).collect()
}

/// What a ledger comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// How many messages the broker confirmed.
    pub published: usize,
    /// How many handler calls began.
    pub calls: usize,
    /// Confirmed, and neither completed nor dead-lettered nor left.
    pub lost: BTreeSet<u64>,
    /// Completed more than once, and how many times too often.
    pub duplicated: BTreeMap<u64, usize>,
    /// Dead-lettered more than once, and how many times too often.
    pub dead_twice: BTreeMap<u64, usize>,
    /// Turned up although nobody sent it.
    pub unexpected: BTreeSet<u64>,
    /// Completed at least once.
    pub completed: BTreeSet<u64>,
    /// In a dead letter queue.
    pub dead_lettered: BTreeSet<u64>,
    /// Still in a queue.
    pub left: BTreeSet<u64>,
}

impl Verdict {
    /// How many completed calls were too many.
    pub fn duplicates(&self) -> usize {
        self.duplicated.values().sum()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (published, calls, completed) = (self.published, self.calls, self.completed.len());
        let (dead, left, duplicates) = (self.dead_lettered.len(), self.left.len(), self.duplicates());
        write!(
            f,
            "published {published}, calls {calls}, completed {completed}, dead letters {dead}, left {left}"
        )?;
        write!(f, "; lost {}, duplicates {duplicates}", self.lost.len())?;
        if !self.unexpected.is_empty() {
            write!(f, ", unexpected {}", self.unexpected.len())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sets_follow_from_the_entries() {
        let ledger = Ledger::default();
        (1..=5).for_each(|id| ledger.published(id));
        ledger.attempted(6);
        for id in [1, 2, 2, 2, 6, 9] {
            ledger.started(id);
            ledger.completed(id);
        }
        ledger.dead_lettered(3);
        ledger.left(4);
        let verdict = ledger.verdict();
        assert_eq!(verdict.lost, BTreeSet::from([5]));
        assert_eq!((verdict.duplicated.clone(), verdict.duplicates()), (BTreeMap::from([(2, 2)]), 2));
        assert_eq!(verdict.unexpected, BTreeSet::from([9]), "6 was sent, only not confirmed");
        assert_eq!(
            verdict.to_string(),
            "published 5, calls 6, completed 4, dead letters 1, left 1; lost 1, duplicates 2, unexpected 1"
        );
    }
}
