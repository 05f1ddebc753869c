//! When nothing is left to do.

use super::TestHearken;
use super::attempt::Span;
use super::record::{Fact, Id, What};
use super::story::story;
use hearken_container::ListenerState;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

/// How many unsettled messages a failure tells of.
const TOLD: usize = 5;
/// Time passes only when no task can go on: after this nothing is still under way.
const LULL: Duration = Duration::from_millis(1);

/// What one wait for idleness may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) time: Duration,
    pub(super) calls: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(7 * 24 * 3600), calls: 10_000 }
    }
}

impl TestHearken {
    /// Resolves when every message is settled: none waits in the queue of a listener that runs, none is handled, none
    /// waits for its redelivery. Jumps through all waits, and leaves the clock about a millisecond later than the last
    /// of them.
    ///
    /// Messages in queues without a listener, such as dead letters, and those of listeners that are paused, stopped or
    /// failed, stay where they are. What a handler has spawned and not awaited is not waited for.
    ///
    /// # Panics
    /// When that takes more than the [limits](Self::with_limits): a listener that never ends, a redelivery without a
    /// limit, a circuit breaker that never closes. Tells the stories of the unsettled messages.
    #[track_caller]
    pub fn until_idle(&self) -> impl Future<Output = ()> {
        let caller = std::panic::Location::caller();
        async move {
            let (begin, calls) = (Instant::now(), self.record.calls());
            // So far ahead that it never comes, if the clock cannot hold it.
            let deadline = begin.checked_add(self.limits.time).unwrap_or(begin + Limits::default().time);
            loop {
                let mut changed = std::pin::pin!(self.record.changed());
                changed.as_mut().enable();
                let made = self.record.calls() - calls;
                if self.is_idle() {
                    sleep(LULL).await;
                    if self.is_idle() {
                        return;
                    }
                    continue;
                }
                if made > self.limits.calls {
                    let calls = self.limits.calls;
                    panic!("{caller}: not idle after {calls} handler calls{}", self.unsettled());
                }
                tokio::select! {
                    () = changed => {}
                    () = sleep_until(deadline) => {
                        let time = Span(self.limits.time);
                        panic!("{caller}: not idle after {time} of virtual time{}", self.unsettled());
                    }
                }
            }
        }
    }

    fn is_idle(&self) -> bool {
        let listeners = self.handle().listeners();
        let served: BTreeSet<_> = listeners
            .iter()
            .filter(|listener| {
                !matches!(
                    listener.state,
                    ListenerState::Paused | ListenerState::Stopped | ListenerState::Failed { .. }
                )
            })
            .map(|listener| &*listener.queue)
            .collect();
        self.broker.queues().iter().all(|queue| {
            self.broker.queue_depth(queue).is_none_or(|depth| {
                depth.unacknowledged == 0
                    && (!served.contains(queue.as_str()) || depth.ready + depth.delayed == 0)
            })
        })
    }

    /// The listeners and the messages that are not done, in words.
    fn unsettled(&self) -> String {
        let mut text = String::new();
        for listener in self.handle().listeners() {
            let depth = self.broker.queue_depth(&listener.queue).unwrap_or_default();
            text.push_str(&format!(
                "\nlistener `{}` ({}), queue `{}`: {} ready, {} unacknowledged, {} delayed",
                listener.id, listener.state, listener.queue, depth.ready, depth.unacknowledged, depth.delayed
            ));
        }
        let facts = self.record.facts();
        let queues: BTreeSet<_> =
            self.handle().listeners().into_iter().map(|listener| listener.queue).collect();
        let open = open(&facts, |queue| queues.contains(queue));
        for id in open.iter().take(TOLD) {
            text.push('\n');
            text.push_str(&story(&facts, id));
        }
        if open.len() > TOLD {
            text.push_str(&format!("\nand {} more messages\n", open.len() - TOLD));
        }
        text
    }
}

/// The messages whose last fact is not an end, in the order in which they came.
fn open(facts: &[Fact], served: impl Fn(&str) -> bool) -> Vec<Id> {
    use super::TestOutcome::{Acknowledged, DeadLettered, Discarded};
    let mut open: Vec<Id> = Vec::new();
    for fact in facts {
        let ended = match &fact.what {
            What::Called { attempt, .. } => {
                matches!(attempt.outcome, Acknowledged | DeadLettered { .. } | Discarded { .. })
            }
            What::DeadLetter { .. } => true,
            // What no listener here consumes is for others.
            What::Published { destination, .. } => {
                destination.exchange.is_empty() && !served(&destination.routing_key)
            }
        };
        let place = open.iter().position(|id| *id == fact.id);
        match (place, ended) {
            (Some(place), true) => drop(open.remove(place)),
            (None, false) => open.push(fact.id.clone()),
            _ => {}
        }
    }
    open
}
