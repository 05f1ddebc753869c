//! Copies: sent, confirmed, and only then is the original acknowledged.

use super::Order;
use super::desk::Desk;
use super::job::{Held, Job, Relocated, Relocation};
use crate::crew::{Signal, SuspectLane};
use crate::event::EventKind;
use crate::listener::ListenerRuntime;
use crate::observe;
use futures_util::StreamExt;
use hearken_core::dead_letter::{Circumstances, dead_letter, make_room};
use hearken_core::delivery::Settlement;
use hearken_core::failure::FailureKind;
use hearken_core::history::{FailureRecord, History};
use hearken_core::message::Message;
use hearken_core::session::Destination;
use hearken_core::transport::{Link, Outgoing, PublishError};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};

/// How many bytes of headers are left out at a time.
const ROOM: usize = 16 * 1024;
/// How long copies are waited for whose channel is gone.
const LINGER: Duration = Duration::from_secs(2);
/// How much later than its copy is confirmed a suspect is handled at the earliest. If it ended the process before its
/// original is acknowledged, that would come back as another suspect, and count deaths of its own.
const HEAD_START: Duration = Duration::from_millis(500);
/// How long a suspect waits for the queue it is to go to.
const PATIENCE: Duration = Duration::from_secs(30);

impl Desk {
    /// Sends a copy; the original is acknowledged once the broker has confirmed it, never before.
    pub(super) fn relocate(&mut self, job: Job, relocation: Relocation) {
        let link = Arc::clone(&self.epoch.link);
        let listener = Arc::clone(&self.listener);
        let home = self.home.clone();
        let policy = Arc::clone(&self.policy);
        let waiting = Waiting { suspects: self.suspects.clone(), orders: self.orders.clone() };
        if let Relocation::Suspect = relocation {
            // With each try: a signal may have been lost.
            listener.crew.signal(Signal::Suspect);
        }
        self.relocating.push(Box::pin(async move {
            let result = send(&*link, &listener, &home, &policy.name, waiting, &job, relocation).await;
            Relocated { job, relocation, result }
        }));
    }

    /// Waits for copies on their way although their channel is gone: of one that is confirmed the original is remembered
    /// as moved, and not handled when it comes again.
    pub(super) async fn confirm_copies(&mut self) {
        let deadline = Instant::now() + LINGER;
        while self.epoch.is_alive()
            && let Ok(Some(relocated)) = timeout_at(deadline, self.relocating.next()).await
        {
            self.relocated(relocated);
        }
    }

    /// Settles the original of a confirmed copy; keeps it and tries again later if the broker did not take the copy.
    pub(super) fn relocated(&mut self, Relocated { mut job, relocation, result }: Relocated) {
        let listener = Arc::clone(&self.listener);
        let Err(error) = result else {
            observe::relocated(&listener, &job, relocation);
            if let (Relocation::DeadLetter { .. }, Some(queue)) =
                (relocation, listener.settings.dead_letter.queue())
            {
                listener.event(|| EventKind::DeadLettered {
                    message: job.message.id().map(str::to_owned),
                    queue: queue.to_owned(),
                    attempts: job.attempts(),
                });
            }
            self.consumer.settle(job.receipt, Settlement::Moved);
            return;
        };
        // An order to leave may have come just now.
        self.obey();
        let now = Instant::now();
        let unavailable = *self.suspects.borrow() == SuspectLane::Unavailable;
        let unfit = matches!(error, PublishError::Invalid { .. });
        match relocation {
            // Its place is here then.
            Relocation::Suspect if (unavailable || unfit) && !self.leaving => {
                (job.delivery_count, job.waits) = (0, None);
                self.holds.insert(now, Duration::ZERO, Held::Call(job));
                return;
            }
            // No copy of it can be sent: it waits here.
            Relocation::Later(after) if unfit && !self.leaving => {
                observe::not_relocated(&listener, &job, relocation, &error, after);
                job.waits = None;
                self.holds.insert(now, after, Held::Call(job));
                return;
            }
            _ => {}
        }
        let wait = listener.settings.recovery_interval;
        observe::not_relocated(&listener, &job, relocation, &error, wait);
        listener.hooks.infrastructure_failed(Some(&listener.id), &error);
        if self.leaving {
            // Before anybody can receive it.
            listener.crew.returned();
            self.consumer.settle(job.receipt, Settlement::HandBack);
            return;
        }
        job.waits
            .get_or_insert_with(|| listener.state.copy_waits(|| observe::what_waits(relocation, &error)));
        self.holds.insert(now, wait, Held::Relocation(job, relocation));
    }
}

/// What a suspect waits for: that its lane opens, or that nobody waits any more because the invoker is to leave.
struct Waiting {
    suspects: watch::Receiver<SuspectLane>,
    orders: watch::Receiver<Order>,
}

impl Waiting {
    async fn opens(mut self) -> bool {
        let Self { suspects, orders } = &mut self;
        tokio::select! {
            biased;
            lane = suspects.wait_for(|lane| *lane != SuspectLane::Closed) => {
                lane.is_ok_and(|lane| *lane == SuspectLane::Open)
            }
            _ = orders.wait_for(|order| *order != Order::Work) => false,
            () = sleep(PATIENCE) => false,
        }
    }
}

async fn send(
    link: &dyn Link,
    listener: &ListenerRuntime,
    home: &str,
    policy: &str,
    waiting: Waiting,
    job: &Job,
    relocation: Relocation,
) -> Result<(), PublishError> {
    let history = job.history.clone().unwrap_or_else(|| untouched(listener));
    let copy = || {
        let mut copy = job.message.clone();
        history.write(&job.origin, copy.headers_mut());
        copy
    };
    match (relocation, listener.settings.dead_letter.queue(), &listener.suspects) {
        (Relocation::Later(after), ..) => link.redeliver(home, copy(), after).await,
        (Relocation::Suspect, _, Some(subscription)) => {
            if waiting.opens().await {
                link.redeliver(&subscription.queue, copy(), HEAD_START).await
            } else {
                Err(PublishError::Refused { reason: "the suspect queue is not there".into() })
            }
        }
        (Relocation::DeadLetter { reason }, Some(queue), _) => {
            let circumstances = Circumstances {
                listener: &listener.id,
                policy,
                host: &listener.host,
                reason,
                expiration: None,
            };
            let letter = dead_letter(job.message.clone(), &job.origin, &history, circumstances);
            publish_letter(link, listener, queue, letter).await
        }
        (Relocation::Suspect, _, None) => {
            Err(PublishError::Refused { reason: "there is no suspect queue".into() })
        }
        (Relocation::DeadLetter { .. }, None, _) => Ok(()),
    }
}

/// Leaves out headers of the message until the broker can carry the letter: a message that cannot even become a dead
/// letter would stay for ever.
async fn publish_letter(
    link: &dyn Link,
    listener: &ListenerRuntime,
    queue: &str,
    mut letter: Message,
) -> Result<(), PublishError> {
    loop {
        let published = link.publish(Outgoing::relayed(Destination::queue(queue), letter.clone())).await;
        match published {
            Err(PublishError::Invalid { reason }) if make_room(&mut letter, ROOM) => tracing::warn!(
                hearken.listener = &*listener.id,
                reason,
                "the dead letter cannot be sent as it is: headers are left out of it"
            ),
            published => return published,
        }
    }
}

/// The history of a message no attempt has failed at: it carries the origin along.
fn untouched(listener: &ListenerRuntime) -> History {
    let now = listener.clock.now();
    let failure = FailureRecord { kind: FailureKind::Error, code: None, text: String::new() };
    History { attempts: 0, first_failure: now, last_failure: now, failure }
}
