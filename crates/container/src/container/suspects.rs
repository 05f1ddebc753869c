//! The lane for deliveries that may have ended the process: opened when there is one, and when an earlier process left
//! some.

use super::breaker::Breaker;
use super::opening::Found;
use super::{Container, Lane};
use crate::crew::SuspectLane;
use crate::epoch::chain;
use crate::listener::ListenerRuntime;
use crate::state::Aim;
use hearken_core::transport::TransportError;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

pub(super) struct Suspects {
    /// Whether this listener can have a lane at all.
    possible: bool,
    lane: watch::Sender<SuspectLane>,
    wanted: bool,
    /// Whether this epoch was asked for a queue with suspects of an earlier process.
    checked: bool,
    busy: bool,
    next: Option<Instant>,
}

impl Suspects {
    pub(super) fn new(listener: &ListenerRuntime) -> Self {
        let possible = listener.suspects.is_some();
        let lane = watch::Sender::new(if possible { SuspectLane::Closed } else { SuspectLane::Unavailable });
        Self { possible, lane, wanted: false, checked: false, busy: false, next: None }
    }

    pub(super) fn lane(&self) -> watch::Receiver<SuspectLane> {
        self.lane.subscribe()
    }

    pub(super) fn want(&mut self) {
        if self.possible && !self.wanted {
            self.wanted = true;
            self.next = Some(Instant::now());
        }
    }

    /// When to try to open the lane.
    pub(super) fn attempt_at(&self) -> Option<Instant> {
        self.next.filter(|_| self.wanted && !self.busy)
    }

    pub(super) fn opened(&mut self) {
        self.next = None;
        self.lane.send_replace(SuspectLane::Open);
    }

    pub(super) fn failed(&mut self, passing: bool, wait: Duration) {
        self.busy = false;
        if passing {
            self.next = Instant::now().checked_add(wait);
        } else {
            // It may not be declared, or is another's: suspects stay where they are until another connection.
            self.next = None;
            self.lane.send_replace(SuspectLane::Unavailable);
        }
    }

    /// Its invoker is gone, and another one wanted after a wait.
    pub(super) fn left(&mut self, wait: Duration) {
        self.busy = false;
        self.next = Instant::now().checked_add(wait);
        self.lane.send_replace(SuspectLane::Closed);
    }

    /// No lane is open any more, nor being opened.
    pub(super) fn closed(&mut self) {
        (self.checked, self.busy) = (false, false);
        self.next = self.wanted.then(Instant::now);
        if self.possible {
            self.lane.send_replace(SuspectLane::Closed);
        }
    }

    pub(super) fn checked(&mut self, exists: Result<bool, TransportError>, listener: &ListenerRuntime) {
        match exists {
            Ok(true) => self.want(),
            Ok(false) => {}
            Err(error) => {
                tracing::debug!(
                    hearken.listener = &*listener.id,
                    error = %chain(&error),
                    "cannot tell whether there is a suspect queue: taken as if there were"
                );
                self.want();
            }
        }
    }
}

impl Container {
    /// Looks once per epoch whether an earlier process left suspects.
    pub(super) fn check_suspects(&mut self) {
        let (Some(epoch), Some(subscription)) = (self.living().cloned(), &self.listener.suspects) else {
            return;
        };
        if self.suspects.wanted || std::mem::replace(&mut self.suspects.checked, true) {
            return;
        }
        let (queue, openings) = (subscription.queue.clone(), Arc::clone(&self.openings));
        self.opening.push(Box::pin(async move {
            let _permit = openings.acquire().await;
            let exists = epoch.link.queue_exists(&queue).await;
            Found::SuspectQueue { epoch: epoch.number, exists }
        }));
    }

    /// One invoker at a time, also while the call of one whose connection was lost still runs: blame is exact.
    pub(super) fn may_open_suspects(&self) -> bool {
        let occupied = self.members.values().any(|member| member.lane == Lane::Suspects);
        self.aim == Aim::Run && self.breaker != Breaker::HalfOpen && self.living().is_some() && !occupied
    }

    pub(super) fn open_suspects(&mut self) {
        self.suspects.next = None;
        self.suspects.busy = true;
        self.open_consumer(Lane::Suspects);
    }
}
