//! Attempts that the broker ended.

use super::desk::Desk;
use super::job::Job;
use crate::burned::Burned;
use crate::observe;
use hearken_core::outcome::Outcome;
use hearken_core::verdict::Verdict;
use std::time::Duration;
use tokio::time::Instant;

impl Desk {
    /// Counts an attempt whose delivery cannot be settled any more: this process remembers it until the message comes
    /// again. A message without an id cannot be told then; its attempt is not counted.
    pub(super) fn burn(&mut self, mut job: Job, outcome: Outcome) {
        let verdict = self.verdict(&job, outcome);
        observe::verdict(&self.listener, &job, &verdict);
        self.listener.observe(&job, |observer, call| observer.decided(call, &verdict));
        let (failure, after) = match &verdict {
            Verdict::Redeliver { failure, after } => (failure, *after),
            Verdict::DeadLetter { failure, .. } | Verdict::Abandon { failure, .. } => {
                (failure, Duration::ZERO)
            }
            Verdict::Pause { failure, pause } => {
                self.tell(&job, &verdict);
                self.trip(failure, *pause);
                return;
            }
            Verdict::Defer { failure: Some(_), .. } => return self.tell(&job, &verdict),
            _ => {
                tracing::warn!(
                    hearken.listener = &*self.listener.id,
                    "the call succeeded, but the broker took its delivery back: it comes again, probably a duplicate"
                );
                return;
            }
        };
        self.tell(&job, &verdict);
        self.record(&mut job, failure);
        if let (Some(id), Some(history)) = (job.message.id(), job.history.clone()) {
            let now = Instant::now();
            let due = now.checked_add(after).unwrap_or(now);
            self.listener.burned.remember(id.to_owned(), Burned { history, due });
        } else {
            tracing::warn!(
                hearken.listener = &*self.listener.id,
                "the message has no id: when it comes again this attempt is not known"
            );
        }
    }
}
