//! What a delivery must pass before a handler sees it.

use super::job::{Held, Job, Relocation};
use super::{Invoker, Lane};
use crate::crew::SuspectLane;
use crate::event::EventKind;
use hearken_core::delivery::Delivery;
use hearken_core::failure::{Failure, FailureKind};
use hearken_core::outcome::Outcome;
use hearken_core::transport::TransportError;
use std::time::Duration;
use tokio::time::Instant;

/// How many returns that this process cannot explain make a delivery a suspect.
const SUSPICIOUS: u64 = 2;

impl Invoker {
    /// Tells why the channel was lost meanwhile, if so.
    pub(super) async fn admit(&mut self, delivery: Delivery) -> Option<TransportError> {
        self.desk.renew_policy();
        let (mut hold, defect) = (delivery.hold, delivery.defect);
        let mut job = Job::from(delivery);
        if let Some(defect) = defect {
            let failure = Failure::new(FailureKind::Undecodable, defect);
            self.desk.judge(job, Outcome::DeadLetter { failure });
            return None;
        }
        if self.listener.subscription.delayed_retry.is_some() {
            job.count_returns(self.listener.clock.now());
        }
        let unexplained = self.unexplained(&job);
        if self.desk.lane == Lane::Suspects {
            job.count_deaths(unexplained, self.listener.clock.now());
        } else if unexplained >= SUSPICIOUS && *self.desk.suspects.borrow() != SuspectLane::Unavailable {
            self.suspect(job);
            return None;
        }
        if let Some(rest) = self.recall(&mut job) {
            hold = hold.max(rest);
        }
        if hold.is_zero() || self.desk.is_over_limit(&job) {
            return self.take_up(job).await;
        }
        self.desk.holds.insert(Instant::now(), hold, Held::Call(job));
        None
    }

    /// Calls the handler, unless the policy of now grants no further attempt. Tells why the channel was lost meanwhile,
    /// if so.
    pub(super) async fn take_up(&mut self, job: Job) -> Option<TransportError> {
        self.desk.renew_policy();
        if self.desk.is_over_limit(&job) {
            self.desk.exhaust_over_limit(job);
            return None;
        }
        self.invoke(job).await
    }

    /// Returns of a delivery that no channel of this process can have caused: processes ended with it in hand, or
    /// other processes lost their channels.
    fn unexplained(&self, job: &Job) -> u64 {
        match &self.listener.suspects {
            Some(_) => job.delivery_count.saturating_sub(self.listener.crew.returns()),
            None => 0,
        }
    }

    fn suspect(&mut self, job: Job) {
        tracing::warn!(
            hearken.listener = &*self.listener.id,
            messaging.message.id = job.message.id(),
            delivery_count = job.delivery_count,
            "the message came back again and again without a failed attempt, as one that ends the process does: \
             it goes to the suspect queue, where it is handled alone"
        );
        self.listener.event(|| EventKind::Suspect {
            message: job.message.id().map(str::to_owned),
            delivery_count: job.delivery_count,
        });
        self.desk.relocate(job, Relocation::Suspect);
    }

    /// Adds attempts that were lost with their channel; tells what is left of the wait that the last one led to.
    fn recall(&self, job: &mut Job) -> Option<Duration> {
        let id = job.message.id().filter(|_| job.redelivered)?;
        let burned = self.listener.burned.take(id)?;
        // As many are the same, of which the broker knows the number only.
        if burned.history.attempts >= job.attempts() {
            job.history = Some(burned.history);
        }
        Some(burned.due.saturating_duration_since(Instant::now()))
    }
}
