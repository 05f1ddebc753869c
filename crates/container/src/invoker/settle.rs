//! From outcome to settlement: acknowledge, hold, move, dead letter.

use super::Lane;
use super::desk::Desk;
use super::job::{Held, Job, Relocation};
use super::placement::{Occupancy, Place};
use crate::event::EventKind;
use crate::hooks::{FailedDelivery, FailureDecision};
use crate::observe;
use hearken_core::delivery::Settlement;
use hearken_core::failure::Failure;
use hearken_core::history::{FailureRecord, History};
use hearken_core::outcome::Outcome;
use hearken_core::redelivery::take_up;
use hearken_core::verdict::Verdict;
use std::time::Duration;
use tokio::time::Instant;

impl Desk {
    /// Settles a call by its outcome.
    pub(super) fn judge(&mut self, mut job: Job, outcome: Outcome) {
        let verdict = Verdict::new(outcome, job.attempt(), &self.listener.settings.policy, &mut self.random);
        observe::verdict(&self.listener, &job, &verdict);
        self.tell(&job, &verdict);
        match verdict {
            Verdict::Acknowledge => self.consumer.settle(job.receipt, Settlement::Acknowledge),
            Verdict::Discard { .. } => self.consumer.settle(job.receipt, Settlement::Discard),
            Verdict::Defer { after } => self.later(job, after),
            Verdict::Redeliver { failure, after } => {
                self.record(&mut job, &failure);
                self.later(job, after);
            }
            Verdict::DeadLetter { failure, exhausted } => {
                self.record(&mut job, &failure);
                self.dead_letter(job, exhausted);
            }
        }
    }

    /// Tells the listener's error handler of a failure.
    pub(super) fn tell(&self, job: &Job, verdict: &Verdict) {
        let (failure, decision) = match verdict {
            Verdict::Redeliver { failure, after } => (failure, FailureDecision::Redeliver { after: *after }),
            Verdict::DeadLetter { failure, exhausted } => {
                (failure, FailureDecision::DeadLetter { exhausted: *exhausted })
            }
            _ => return,
        };
        self.listener.hooks.delivery_failed(&FailedDelivery {
            listener: &self.listener.id,
            message: &job.message,
            origin: &job.origin,
            attempt: job.attempt(),
            failure,
            decision,
        });
    }

    /// Whether earlier attempts have used up the policy already: the limit was lowered, or a crash came between the
    /// last failure and its dead letter.
    pub(super) fn is_over_limit(&self, job: &Job) -> bool {
        self.listener.settings.policy.limit().is_some_and(|limit| job.attempts() > limit)
    }

    pub(super) fn dead_letter_over_limit(&mut self, job: Job) {
        tracing::warn!(
            hearken.listener = &*self.listener.id,
            hearken.attempts = job.attempts(),
            "over the redelivery limit before the call: dead letter"
        );
        self.dead_letter(job, true);
    }

    pub(super) fn record(&self, job: &mut Job, failure: &Failure) {
        let now = self.listener.clock.now();
        job.history = Some(History::failed(job.history.as_ref(), FailureRecord::from(failure), now));
    }

    /// Holds the delivery, or moves a copy to the broker. A zero is paced, so that it never spins.
    fn later(&mut self, mut job: Job, after: Duration) {
        let settings = &self.listener.settings;
        let after = take_up(settings.zero_delay, after, settings.receive_timeout, settings.recovery_interval);
        let occupancy = Occupancy { held: self.holds.len(), prefetch: settings.prefetch.into() };
        let place = match self.lane {
            Lane::Main => self.listener.rule().place(after, job.held, occupancy),
            // A hold would keep the only place from all others, and its count would end with the process.
            Lane::Suspects => Place::Broker,
        };
        match place {
            Place::Hold => {
                job.held = job.held.saturating_add(after);
                self.holds.insert(Instant::now(), after, Held::Call(job));
            }
            Place::Broker => self.relocate(job, Relocation::Later(after)),
        }
    }

    fn dead_letter(&mut self, job: Job, exhausted: bool) {
        if exhausted {
            self.listener.event(|| EventKind::Exhausted {
                message: job.message.id().map(str::to_owned),
                attempts: job.attempts(),
            });
        }
        if self.listener.settings.dead_letter.queue().is_some() {
            self.relocate(job, Relocation::DeadLetter { exhausted });
        } else {
            self.consumer.settle(job.receipt, Settlement::Discard);
        }
    }
}
