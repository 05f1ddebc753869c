//! The state of a listener, true at all times.

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
    /// No consumer is live; the container is trying to get one.
    Recovering,
    /// Stopping: running calls end, what is buffered is handed back.
    Draining,
    /// Stopped.
    Stopped,
    /// Given up, with the reason.
    Failed(String),
}

impl fmt::Display for ListenerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Starting => f.write_str("starting"),
            Self::Running => f.write_str("running"),
            Self::Recovering => f.write_str("recovering"),
            Self::Draining => f.write_str("draining"),
            Self::Stopped => f.write_str("stopped"),
            Self::Failed(reason) => write!(f, "failed: {reason}"),
        }
    }
}

#[derive(Debug)]
struct Facts {
    live: usize,
    started: bool,
    draining: bool,
    ended: Option<ListenerState>,
}

impl Facts {
    fn state(&self) -> ListenerState {
        match &self.ended {
            Some(end) => end.clone(),
            None if self.draining => ListenerState::Draining,
            None if self.live > 0 => ListenerState::Running,
            None if self.started => ListenerState::Recovering,
            None => ListenerState::Starting,
        }
    }
}

/// Derives the state of one listener from the facts its invokers report; one event for each change.
#[derive(Clone, Debug)]
pub(crate) struct StateCell {
    id: Arc<str>,
    facts: watch::Sender<Facts>,
}

impl StateCell {
    pub(crate) fn new(id: Arc<str>) -> Self {
        let facts = Facts { live: 0, started: false, draining: false, ended: None };
        Self { id, facts: watch::Sender::new(facts) }
    }

    pub(crate) fn state(&self) -> ListenerState {
        self.facts.borrow().state()
    }

    /// Resolves when the state is one that `wanted` accepts.
    pub(crate) async fn wait_for(&self, mut wanted: impl FnMut(&ListenerState) -> bool) {
        // The sender lives in self: the channel cannot close.
        let _ = self.facts.subscribe().wait_for(|facts| wanted(&facts.state())).await;
    }

    pub(crate) fn consumer_opened(&self) {
        self.change(|facts| {
            facts.live += 1;
            facts.started = true;
        });
    }

    pub(crate) fn consumer_gone(&self) {
        self.change(|facts| facts.live = facts.live.saturating_sub(1));
    }

    pub(crate) fn draining(&self) {
        self.change(|facts| facts.draining = true);
    }

    pub(crate) fn stopped(&self) {
        self.change(|facts| {
            facts.ended.get_or_insert(ListenerState::Stopped);
        });
    }

    pub(crate) fn failed(&self, reason: String) {
        self.change(|facts| facts.ended = Some(ListenerState::Failed(reason)));
    }

    fn change(&self, change: impl FnOnce(&mut Facts)) {
        let mut states = None;
        self.facts.send_modify(|facts| {
            let before = facts.state();
            change(facts);
            states = Some((before, facts.state()));
        });
        if let Some((before, after)) = states
            && before != after
        {
            tracing::info!(hearken.listener = &*self.id, from = %before, to = %after, "listener is {after}");
        }
    }
}
