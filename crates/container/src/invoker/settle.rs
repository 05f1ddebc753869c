//! From outcome to settlement: acknowledge, hold, move, dead letter.

use super::Invoker;
use super::holds::Holds;
use super::job::{Held, Job, Relocated, Relocation};
use super::placement::{Occupancy, Place};
use crate::listener::ListenerRuntime;
use crate::observe;
use hearken_core::dead_letter::{Circumstances, dead_letter};
use hearken_core::delivery::Settlement;
use hearken_core::failure::{Failure, FailureKind};
use hearken_core::history::{FailureRecord, History};
use hearken_core::outcome::Outcome;
use hearken_core::redelivery::take_up;
use hearken_core::session::Destination;
use hearken_core::transport::{Consumer, Outgoing};
use hearken_core::verdict::Verdict;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

impl Invoker {
    /// Settles a call by its outcome.
    pub(super) fn judge(&mut self, mut job: Job, outcome: Outcome) {
        let verdict = Verdict::new(outcome, job.attempt(), &self.listener.settings.policy, &mut self.random);
        observe::verdict(&self.listener, &job, &verdict);
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

    fn record(&self, job: &mut Job, failure: &Failure) {
        let now = self.listener.clock.now();
        job.history = Some(History::failed(job.history.as_ref(), FailureRecord::from(failure), now));
    }

    /// Holds the delivery, or moves a copy to the broker. A zero is paced, so that it never spins.
    fn later(&mut self, mut job: Job, after: Duration) {
        let settings = &self.listener.settings;
        let after = take_up(settings.zero_delay, after, settings.receive_timeout, settings.recovery_interval);
        let occupancy =
            Occupancy { held: self.holds.len(), prefetch: self.listener.settings.prefetch.into() };
        match self.listener.rule().place(after, job.held, occupancy) {
            Place::Hold => {
                job.held = job.held.saturating_add(after);
                self.holds.insert(Instant::now(), after, Held::Call(job));
            }
            Place::Broker => self.relocate(job, Relocation::Later(after)),
        }
    }

    fn dead_letter(&mut self, job: Job, exhausted: bool) {
        if self.listener.settings.dead_letter.queue().is_some() {
            self.relocate(job, Relocation::DeadLetter { exhausted });
        } else {
            self.consumer.settle(job.receipt, Settlement::Discard);
        }
    }

    /// Sends a copy; the original is acknowledged once the broker has confirmed it, never before.
    pub(super) fn relocate(&mut self, job: Job, relocation: Relocation) {
        let link = Arc::clone(&self.epoch.link);
        let listener = Arc::clone(&self.listener);
        self.relocating.push(Box::pin(async move {
            let history = job.history.clone().unwrap_or_else(|| untouched(&listener));
            let result = match (relocation, listener.settings.dead_letter.queue()) {
                (Relocation::Later(after), _) => {
                    let mut copy = job.message.clone();
                    history.write(&job.origin, copy.headers_mut());
                    link.redeliver(&listener.settings.queue, copy, after).await
                }
                (Relocation::DeadLetter { .. }, None) => Ok(()),
                (Relocation::DeadLetter { exhausted }, Some(queue)) => {
                    let circumstances = Circumstances {
                        listener: &listener.id,
                        policy: &listener.settings.policy.name,
                        host: &listener.host,
                        exhausted,
                    };
                    let copy = dead_letter(job.message.clone(), &job.origin, &history, circumstances);
                    link.publish(Outgoing::relayed(Destination::queue(queue), copy)).await
                }
            };
            Relocated { job, relocation, result }
        }));
    }

    pub(super) fn relocated(&mut self, relocated: Relocated) {
        relocated_to(&self.listener, &mut *self.consumer, &mut self.holds, relocated);
    }
}

/// The history of a message no attempt has failed at: it carries the origin along.
fn untouched(listener: &ListenerRuntime) -> History {
    let now = listener.clock.now();
    let failure = FailureRecord { kind: FailureKind::Error, code: None, text: String::new() };
    History { attempts: 0, first_failure: now, last_failure: now, failure }
}

/// Settles the original of a confirmed copy; keeps it and tries again later if the broker did not take the copy.
pub(super) fn relocated_to(
    listener: &ListenerRuntime,
    consumer: &mut dyn Consumer,
    holds: &mut Holds<Held>,
    Relocated { job, relocation, result }: Relocated,
) {
    match result {
        Ok(()) => {
            observe::relocated(listener, &job, relocation);
            consumer.settle(job.receipt, Settlement::Moved);
        }
        Err(error) => {
            let wait = listener.settings.recovery_interval;
            observe::not_relocated(listener, &job, relocation, &error, wait);
            holds.insert(Instant::now(), wait, Held::Relocation(job, relocation));
        }
    }
}
