//! From outcome to settlement: acknowledge, hold, move, dead letter.

use super::Lane;
use super::desk::Desk;
use super::job::{Held, Job, Relocation};
use super::placement::{Occupancy, Place};
use crate::burned::Burned;
use crate::crew::Signal;
use crate::event::EventKind;
use crate::hooks::{FailedDelivery, FailureDecision};
use crate::observe;
use hearken_core::dead_letter::Reason;
use hearken_core::delivery::Settlement;
use hearken_core::failure::{Failure, FailureKind};
use hearken_core::history::{FailureRecord, History, presentable};
use hearken_core::outcome::Outcome;
use hearken_core::redelivery::{OnExhausted, take_up};
use hearken_core::verdict::Verdict;
use std::time::Duration;
use tokio::time::Instant;

/// The longest reason of a pause that is told, in bytes.
const REASON: usize = 256;

impl Desk {
    /// Settles a call by its outcome.
    pub(super) fn judge(&mut self, mut job: Job, outcome: Outcome) {
        let verdict = self.verdict(&job, outcome);
        observe::verdict(&self.listener, &job, &verdict);
        self.listener.observe(&job, |observer, call| observer.decided(call, &verdict));
        self.tell(&job, &verdict);
        if self.probes && !matches!(verdict, Verdict::Pause { .. }) {
            self.listener.crew.signal(Signal::Probed);
        }
        match verdict {
            Verdict::Acknowledge => self.consumer.settle(job.receipt, Settlement::Acknowledge),
            Verdict::Discard { .. } => self.consumer.settle(job.receipt, Settlement::Discard),
            Verdict::Defer { after, .. } => self.later(job, after),
            Verdict::Pause { failure, pause } => {
                let pause = self.trip(&failure, pause);
                if self.may_move() {
                    // Behind the others: should it alone be to blame, they are tried before it.
                    self.relocate(job, Relocation::Later(pause));
                } else {
                    self.hold(job, pause);
                }
            }
            Verdict::Redeliver { failure, after } => {
                self.record(&mut job, &failure);
                self.redeliver(job, after);
            }
            Verdict::DeadLetter { failure, exhausted } => {
                self.record(&mut job, &failure);
                self.dead_letter(job, exhausted);
            }
            Verdict::Abandon { failure, exhausted } => {
                self.record(&mut job, &failure);
                self.abandon(job, exhausted);
            }
        }
    }

    pub(super) fn verdict(&mut self, job: &Job, outcome: Outcome) -> Verdict {
        let predicates = |name: &str, failure: &Failure| self.listener.predicates.accepts(name, failure);
        Verdict::new(outcome, job.attempt(), &self.policy, &predicates, &mut self.random)
    }

    /// Tells the listener's error handler of a failure.
    pub(super) fn tell(&self, job: &Job, verdict: &Verdict) {
        let Some(failure) = verdict.failure() else { return };
        let decision = match *verdict {
            Verdict::Redeliver { after, .. } => FailureDecision::Redeliver { after },
            Verdict::Defer { after, .. } => FailureDecision::Defer { after },
            Verdict::Pause { pause, .. } => FailureDecision::Pause { pause },
            Verdict::DeadLetter { exhausted, .. } => FailureDecision::DeadLetter { exhausted },
            Verdict::Abandon { exhausted, .. } => FailureDecision::Discard { exhausted },
            Verdict::Acknowledge | Verdict::Discard { .. } => return,
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
    /// last failure and its dead letter. Attempts that ended their process are always checked: nothing else ends them.
    pub(super) fn is_over_limit(&self, job: &Job) -> bool {
        let Some(History { attempts, failure, .. }) = &job.history else { return false };
        let checked = self.policy.pre_dispatch_check || failure.kind == FailureKind::Crash;
        checked && self.policy.limit_after(failure).is_some_and(|limit| *attempts > limit)
    }

    pub(super) fn exhaust_over_limit(&mut self, job: Job) {
        tracing::warn!(
            hearken.listener = &*self.listener.id,
            hearken.attempts = job.attempts(),
            "over the redelivery limit before the call"
        );
        match self.policy.on_exhausted {
            OnExhausted::Discard => self.abandon(job, true),
            _ => self.dead_letter(job, true),
        }
    }

    pub(super) fn record(&self, job: &mut Job, failure: &Failure) {
        let now = self.listener.clock.now();
        job.history = Some(History::failed(job.history.as_ref(), FailureRecord::from(failure), now));
    }

    /// Leaves the wait to the queue, if that counts the attempts and waits just as long; otherwise as any wait.
    fn redeliver(&mut self, job: Job, after: Duration) {
        let failures = job.delivery_count.saturating_add(1);
        let waits = self.listener.subscription.delayed_retry;
        let native = waits.is_some_and(|waits| waits.before(failures) == after);
        // Otherwise attempts were counted that the queue knows nothing of.
        if !native || failures != job.attempts() {
            return self.later(job, after);
        }
        if let (Some(id), Some(history)) = (job.message.id(), job.history) {
            let now = Instant::now();
            let due = now.checked_add(after).unwrap_or(now);
            self.listener.burned.remember(id.to_owned(), Burned { history, due });
        }
        self.consumer.settle(job.receipt, Settlement::Requeue);
    }

    /// Holds the delivery, or moves a copy to the broker. A zero is paced, so that it never spins.
    fn later(&mut self, job: Job, after: Duration) {
        let settings = &self.listener.settings;
        let after = take_up(settings.zero_delay, after, settings.receive_timeout, settings.recovery_interval);
        let occupancy = Occupancy { held: self.holds.len(), prefetch: settings.prefetch.into() };
        let place = match self.lane {
            Lane::Main => self.listener.rule().place(after, job.held, occupancy),
            // A hold would keep the only place from all others, and its count would end with the process.
            Lane::Suspects => Place::Broker,
        };
        match place {
            Place::Hold => self.hold(job, after),
            Place::Broker => self.relocate(job, Relocation::Later(after)),
        }
    }

    fn hold(&mut self, mut job: Job, wait: Duration) {
        job.held = job.held.saturating_add(wait);
        self.holds.insert(Instant::now(), wait, Held::Call(job));
    }

    /// Asks for a pause of the listener, and takes up nothing more until it comes. Tells how long the pause is.
    pub(super) fn trip(&mut self, failure: &Failure, pause: Duration) -> Duration {
        let pause = if pause.is_zero() { self.listener.settings.recovery_interval } else { pause };
        self.halt(pause);
        let reason = presentable(&failure.to_string(), REASON);
        self.listener.crew.signal(Signal::Trip { pause, reason });
        pause
    }

    /// Drops a message as the policy says.
    fn abandon(&mut self, job: Job, exhausted: bool) {
        self.exhausted(&job, exhausted);
        self.listener.event(|| EventKind::Discarded {
            message: job.message.id().map(str::to_owned),
            attempts: job.attempts(),
        });
        self.consumer.settle(job.receipt, Settlement::Discard);
    }

    fn exhausted(&self, job: &Job, exhausted: bool) {
        if exhausted {
            self.listener.event(|| EventKind::Exhausted {
                message: job.message.id().map(str::to_owned),
                attempts: job.attempts(),
            });
        }
    }

    fn dead_letter(&mut self, job: Job, exhausted: bool) {
        self.exhausted(&job, exhausted);
        if self.listener.settings.dead_letter.queue().is_some() {
            let kind = job.history.as_ref().map_or(FailureKind::Error, |history| history.failure.kind);
            let reason = if exhausted { Reason::Exhausted } else { Reason::Failed(kind) };
            self.relocate(job, Relocation::DeadLetter { reason });
        } else {
            self.consumer.settle(job.receipt, Settlement::Discard);
        }
    }
}
