//! The circuit breaker: rules pause the listener for a time; one message then finds out whether it can go on.

use super::Container;
use crate::event::EventKind;
use crate::invoker::{Lane, Order};
use crate::state::{Aim, Trouble};
use std::time::Duration;
use tokio::time::Instant;

const PROBING: &str = "the circuit breaker is half open: one message at a time until one is handled";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Breaker {
    /// Messages flow.
    #[default]
    Closed,
    /// The listener pauses; `None` for a pause beyond all time.
    Open { until: Option<Instant> },
    /// One invoker, one message.
    HalfOpen,
}

impl Breaker {
    pub(super) fn until(self) -> Option<Instant> {
        match self {
            Self::Open { until } => until,
            Self::Closed | Self::HalfOpen => None,
        }
    }
}

impl Container {
    /// How many invokers are wanted now.
    pub(super) fn wanted(&self) -> usize {
        match self.breaker {
            Breaker::HalfOpen => 1,
            Breaker::Closed | Breaker::Open { .. } => self.target as usize,
        }
    }

    /// An invoker asks for a pause.
    pub(super) fn trip(&mut self, pause: Duration, reason: String) {
        if self.aim != Aim::Run {
            return;
        }
        let listener = &*self.listener.id;
        tracing::warn!(
            hearken.listener = listener,
            reason,
            "the circuit breaker opens: the listener pauses for {pause:?}, its messages stay with the broker"
        );
        self.listener.event(|| EventKind::CircuitOpened { reason: reason.clone(), pause });
        self.begin_leaving(Aim::Trip(reason));
        self.breaker = Breaker::Open { until: Instant::now().checked_add(pause) };
    }

    /// The pause has passed: one message is tried, as soon as the calls of before have ended.
    pub(super) fn half_open(&mut self) {
        tracing::info!(
            hearken.listener = &*self.listener.id,
            "the circuit breaker is half open: one message is tried"
        );
        self.listener.event(|| EventKind::CircuitHalfOpened);
        self.breaker = Breaker::HalfOpen;
        if self.members.is_empty() {
            self.begin();
        } else {
            self.restart = true;
        }
    }

    /// The message that was tried did not trip the breaker.
    pub(super) fn probed(&mut self) {
        if self.aim != Aim::Run || self.breaker != Breaker::HalfOpen {
            return;
        }
        self.breaker = Breaker::Closed;
        self.listener.state.no_trouble(Trouble::HalfOpen);
        tracing::info!(hearken.listener = &*self.listener.id, "the circuit breaker closes");
        self.listener.event(|| EventKind::CircuitClosed);
        if self.listener.settings.prefetch == 1 {
            return;
        }
        // Its consumer takes one message at a time; those that follow take as many as they may.
        for member in self.members.values().filter(|member| member.lane == Lane::Main) {
            member.orders.send_if_modified(|order| {
                let works = *order == Order::Work;
                *order = Order::Retire.max(*order);
                works
            });
        }
    }

    /// What the state of a listener says that begins.
    pub(super) fn tell_probing(&self) {
        if self.breaker == Breaker::HalfOpen {
            self.listener.state.trouble(Trouble::HalfOpen, || PROBING.to_owned());
        }
    }

    /// Whether a consumer can only be opened once the one before has left.
    pub(super) fn must_wait_for_leaving(&self) -> bool {
        self.listener.subscription.exclusive && !self.members.is_empty()
    }
}
