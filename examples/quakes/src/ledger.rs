//! Who keeps the books: every id that went in must come out, once.

use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Counts by id, so that nothing can be lost or handled twice without showing.
#[derive(Debug)]
pub(crate) struct Ledger {
    books: Mutex<Books>,
    changed: Notify,
    start: Instant,
}

#[derive(Debug, Default)]
struct Books {
    published: BTreeSet<String>,
    completed: BTreeMap<String, u64>,
    dead: BTreeMap<String, u64>,
    reasons: BTreeMap<String, u64>,
    calls: u64,
}

/// The result, as `--json` prints it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Summary {
    /// Events published and confirmed.
    pub(crate) published: u64,
    /// Events handled.
    pub(crate) completed: u64,
    /// Events in the dead letter queue.
    pub(crate) dead_letters: u64,
    /// Handler calls.
    pub(crate) calls: u64,
    /// Published and neither handled nor a dead letter.
    pub(crate) lost: u64,
    /// Handled, or made a dead letter, more than once.
    pub(crate) duplicates: u64,
    /// Dead letters by reason.
    pub(crate) reasons: BTreeMap<String, u64>,
    /// Milliseconds from the first publish to the last event.
    pub(crate) elapsed_ms: u64,
}

impl Default for Ledger {
    fn default() -> Self {
        Self { books: Mutex::default(), changed: Notify::new(), start: Instant::now() }
    }
}

impl Ledger {
    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Books)) {
        change(&mut self.books());
        self.changed.notify_waiters();
    }

    /// An event was published, and the broker has it.
    pub(crate) fn published(&self, id: &str) {
        self.change(|books| {
            books.published.insert(id.to_owned());
        });
    }

    /// The handler was called.
    pub(crate) fn called(&self) {
        self.change(|books| books.calls += 1);
    }

    /// The handler succeeded.
    pub(crate) fn completed(&self, id: &str) {
        self.change(|books| *books.completed.entry(id.to_owned()).or_default() += 1);
    }

    /// A dead letter arrived.
    pub(crate) fn dead_letter(&self, id: &str, reason: &str) {
        self.change(|books| {
            *books.dead.entry(id.to_owned()).or_default() += 1;
            *books.reasons.entry(reason.to_owned()).or_default() += 1;
        });
    }

    /// How it stands.
    pub(crate) fn summary(&self) -> Summary {
        let books = self.books();
        let ended = |id: &String| books.completed.contains_key(id) || books.dead.contains_key(id);
        let ends = books.completed.values().chain(books.dead.values()).sum::<u64>();
        let once = books.completed.keys().chain(books.dead.keys()).collect::<BTreeSet<_>>().len() as u64;
        Summary {
            published: books.published.len() as u64,
            completed: books.completed.len() as u64,
            dead_letters: books.dead.len() as u64,
            calls: books.calls,
            lost: books.published.iter().filter(|id| !ended(id)).count() as u64,
            duplicates: ends - once,
            reasons: books.reasons.clone(),
            elapsed_ms: u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX),
        }
    }

    /// Resolves when all `expected` events are accounted for, or when nothing has changed for `patience`.
    pub(crate) async fn settled(
        &self,
        expected: usize,
        patience: Duration,
        mut progress: impl FnMut(&Summary),
    ) {
        loop {
            let changed = self.changed.notified();
            let summary = self.summary();
            progress(&summary);
            if summary.published as usize == expected && summary.lost == 0 {
                return;
            }
            if tokio::time::timeout(patience, changed).await.is_err() {
                return;
            }
            // Progress is looked at ten times a second, not at every event.
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}
