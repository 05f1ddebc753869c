//! The state of a listener, true at all times.

use crate::clock::Clock;
use crate::event::{EventKind, EventSender};
use hearken_core::time::Timestamp;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use tokio::sync::watch;

/// What a listener is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ListenerState {
    /// No consumer has been opened yet.
    Starting,
    /// At least one consumer is live.
    Running,
    /// At least one consumer is live, but something is wrong.
    Degraded {
        /// What is wrong.
        reason: String,
    },
    /// No consumer is live; the container is trying to get one.
    Recovering {
        /// Since when.
        since: Timestamp,
    },
    /// Stopping or pausing: running calls end, what is buffered is handed back.
    Draining,
    /// It consumes nothing until it is resumed.
    Paused,
    /// A rule of its redelivery policy has paused it: its circuit breaker is open. It goes on by itself.
    Tripped {
        /// What failed.
        reason: String,
    },
    /// Stopped.
    Stopped,
    /// Given up. It can be started again.
    Failed {
        /// Why.
        reason: String,
    },
}

impl ListenerState {
    /// Whether messages are consumed: running or degraded.
    pub fn is_consuming(&self) -> bool {
        matches!(self, Self::Running | Self::Degraded { .. })
    }

    /// Whether nothing runs any more, and nothing will by itself: stopped or failed.
    pub fn is_ended(&self) -> bool {
        matches!(self, Self::Stopped | Self::Failed { .. })
    }
}

impl fmt::Display for ListenerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Starting => f.write_str("starting"),
            Self::Running => f.write_str("running"),
            Self::Degraded { reason } => write!(f, "degraded: {reason}"),
            Self::Recovering { .. } => f.write_str("recovering"),
            Self::Draining => f.write_str("draining"),
            Self::Paused => f.write_str("paused"),
            Self::Tripped { reason } => write!(f, "paused by its circuit breaker: {reason}"),
            Self::Stopped => f.write_str("stopped"),
            Self::Failed { reason } => write!(f, "failed: {reason}"),
        }
    }
}

/// What can be wrong with a listener that consumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trouble {
    /// The broker takes no messages.
    Blocked,
    /// A copy was not taken: dead letters or redeliveries wait in this process.
    Copies,
    /// Fewer consumers than wanted.
    Consumers,
    /// One message is tried after a pause of the circuit breaker.
    HalfOpen,
}

/// What the listener is meant to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Aim {
    Run,
    Pause,
    /// A pause that ends by itself.
    Trip(String),
    Stop,
    Fail(String),
}

#[derive(Debug)]
struct Facts {
    aim: Aim,
    /// Whether invokers are left, live or not.
    manned: bool,
    /// The epoch whose consumers `live` counts.
    epoch: u64,
    live: u32,
    /// When the last consumer was lost; `None` before the first.
    since: Option<Timestamp>,
    troubles: BTreeMap<Trouble, String>,
    /// How many copies wait to be taken.
    copies: u32,
}

impl Facts {
    fn state(&self) -> ListenerState {
        match (&self.aim, self.live, self.since, self.troubles.first_key_value()) {
            (Aim::Pause | Aim::Trip(_) | Aim::Stop | Aim::Fail(_), ..) if self.manned => {
                ListenerState::Draining
            }
            (Aim::Pause, ..) => ListenerState::Paused,
            (Aim::Trip(reason), ..) => ListenerState::Tripped { reason: reason.clone() },
            (Aim::Stop, ..) => ListenerState::Stopped,
            (Aim::Fail(reason), ..) => ListenerState::Failed { reason: reason.clone() },
            (Aim::Run, 0, None, _) => ListenerState::Starting,
            (Aim::Run, 0, Some(since), _) => ListenerState::Recovering { since },
            (Aim::Run, _, _, Some((_, reason))) => ListenerState::Degraded { reason: reason.clone() },
            (Aim::Run, ..) => ListenerState::Running,
        }
    }
}

/// Derives the state of one listener from the facts its container and invokers report; one event for each change.
#[derive(Debug)]
pub(crate) struct StateCell {
    id: Arc<str>,
    clock: Clock,
    events: EventSender,
    facts: watch::Sender<Facts>,
}

impl StateCell {
    pub(crate) fn new(id: Arc<str>, clock: Clock, events: EventSender) -> Arc<Self> {
        let facts = Facts {
            aim: Aim::Stop,
            manned: false,
            epoch: 0,
            live: 0,
            since: None,
            troubles: BTreeMap::new(),
            copies: 0,
        };
        Arc::new(Self { id, clock, events, facts: watch::Sender::new(facts) })
    }

    pub(crate) fn state(&self) -> ListenerState {
        self.facts.borrow().state()
    }

    pub(crate) fn live(&self) -> u32 {
        self.facts.borrow().live
    }

    /// Resolves when the state is one that `wanted` accepts.
    pub(crate) async fn wait_for(&self, mut wanted: impl FnMut(&ListenerState) -> bool) {
        // The sender lives in self: the channel cannot close.
        let _ = self.facts.subscribe().wait_for(|facts| wanted(&facts.state())).await;
    }

    pub(crate) fn aim(&self, aim: Aim) {
        self.change(|facts| {
            if aim == Aim::Run && facts.aim != Aim::Run {
                (facts.since, facts.troubles) = (None, BTreeMap::new());
            }
            facts.aim = aim;
        });
    }

    pub(crate) fn manned(&self, manned: bool) {
        self.change(|facts| facts.manned = manned);
    }

    /// A consumer of this epoch lives until the guard is dropped or the epoch is lost.
    pub(crate) fn consumer_opened(self: &Arc<Self>, epoch: u64) -> LiveConsumer {
        self.change(|facts| {
            if facts.epoch != epoch {
                (facts.epoch, facts.live) = (epoch, 0);
            }
            facts.live += 1;
        });
        LiveConsumer { cell: Arc::clone(self), epoch }
    }

    /// No consumer of this epoch lives any more.
    pub(crate) fn epoch_lost(&self, epoch: u64) {
        let now = self.clock.now();
        self.change(|facts| {
            if facts.epoch == epoch && facts.live > 0 {
                (facts.live, facts.since) = (0, Some(now));
            }
        });
    }

    pub(crate) fn trouble(&self, trouble: Trouble, reason: impl FnOnce() -> String) {
        // Reported again and again while it lasts; most reports change nothing.
        if !self.facts.borrow().troubles.contains_key(&trouble) {
            let reason = reason();
            self.change(|facts| {
                facts.troubles.insert(trouble, reason);
            });
        }
    }

    /// A copy was not taken. The trouble lasts until none is left that waits: each until its guard is dropped.
    pub(crate) fn copy_waits(self: &Arc<Self>, reason: impl FnOnce() -> String) -> WaitingCopy {
        let reason = reason();
        self.change(|facts| {
            facts.copies += 1;
            facts.troubles.entry(Trouble::Copies).or_insert(reason);
        });
        WaitingCopy { cell: Arc::clone(self) }
    }

    /// Tells whether there was such trouble.
    pub(crate) fn no_trouble(&self, trouble: Trouble) -> bool {
        let there = self.facts.borrow().troubles.contains_key(&trouble);
        if there {
            self.change(|facts| {
                facts.troubles.remove(&trouble);
            });
        }
        there
    }

    fn change(&self, change: impl FnOnce(&mut Facts)) {
        let mut states = None;
        self.facts.send_modify(|facts| {
            let before = facts.state();
            change(facts);
            let after = facts.state();
            if before != after {
                // Here, so that the events of two changes come in the order of the changes.
                self.tell(&before, &after);
                states = Some((before, after));
            }
        });
        let Some((before, after)) = states else { return };
        if let ListenerState::Failed { .. } = after {
            tracing::error!(hearken.listener = &*self.id, from = %before, to = %after, "listener is {after}");
        } else {
            tracing::info!(hearken.listener = &*self.id, from = %before, to = %after, "listener is {after}");
        }
    }

    fn tell(&self, before: &ListenerState, after: &ListenerState) {
        match after {
            ListenerState::Degraded { reason } => {
                self.events.send(&self.id, || EventKind::Degraded { reason: reason.clone() });
            }
            ListenerState::Failed { reason } => {
                self.events.send(&self.id, || EventKind::Failed { reason: reason.clone() });
            }
            ListenerState::Recovering { .. } => self.events.send(&self.id, || EventKind::Recovering),
            _ => {}
        }
        if matches!(before, ListenerState::Recovering { .. }) && after.is_consuming() {
            self.events.send(&self.id, || EventKind::Recovered);
        }
        let changed = || EventKind::StateChanged { from: before.clone(), to: after.clone() };
        self.events.send(&self.id, changed);
    }
}

/// A copy that waits to be taken.
#[derive(Debug)]
pub(crate) struct WaitingCopy {
    cell: Arc<StateCell>,
}

impl Drop for WaitingCopy {
    fn drop(&mut self) {
        self.cell.change(|facts| {
            facts.copies -= 1;
            if facts.copies == 0 {
                facts.troubles.remove(&Trouble::Copies);
            }
        });
    }
}

/// A consumer that is live.
#[derive(Debug)]
pub(crate) struct LiveConsumer {
    cell: Arc<StateCell>,
    epoch: u64,
}

impl Drop for LiveConsumer {
    fn drop(&mut self) {
        let now = self.cell.clock.now();
        self.cell.change(|facts| {
            if facts.epoch == self.epoch && facts.live > 0 {
                facts.live -= 1;
                if facts.live == 0 {
                    facts.since = Some(now);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell() -> Arc<StateCell> {
        let cell = StateCell::new("orders".into(), Clock::start(), EventSender::new());
        cell.aim(Aim::Run);
        cell
    }

    #[test]
    fn consumers_of_a_lost_epoch_do_not_count_however_late_they_go() {
        let cell = cell();
        assert_eq!(cell.state(), ListenerState::Starting);
        let old = cell.consumer_opened(1);
        assert_eq!(cell.state(), ListenerState::Running);
        cell.epoch_lost(1);
        assert!(matches!(cell.state(), ListenerState::Recovering { .. }));
        let new = cell.consumer_opened(2);
        drop(old);
        assert_eq!((cell.state(), cell.live()), (ListenerState::Running, 1));
        drop(new);
        assert!(matches!(cell.state(), ListenerState::Recovering { .. }));
    }

    #[test]
    fn trouble_degrades_only_what_consumes() {
        let cell = cell();
        cell.trouble(Trouble::Blocked, || "low on memory".into());
        assert_eq!(cell.state(), ListenerState::Starting);
        let live = cell.consumer_opened(1);
        assert_eq!(cell.state(), ListenerState::Degraded { reason: "low on memory".into() });
        cell.no_trouble(Trouble::Blocked);
        assert_eq!(cell.state(), ListenerState::Running);
        cell.manned(true);
        cell.aim(Aim::Pause);
        assert_eq!(cell.state(), ListenerState::Draining);
        drop(live);
        cell.manned(false);
        assert_eq!(cell.state(), ListenerState::Paused);
    }
}
