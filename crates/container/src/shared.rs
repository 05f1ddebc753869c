//! What an application's handles share.

use crate::container::{Command, Container, Founding};
use crate::crew::Crew;
use crate::epoch::Connections;
use crate::event::EventSender;
use crate::foundry::{Founded, Foundry};
use crate::running::StopReport;
use crate::state::StateCell;
use futures_util::future::join_all;
use hearken_core::redelivery::{LinearWaits, RedeliveryPolicy};
use hearken_core::session::Publisher;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore, mpsc, oneshot, watch};

/// How many commands may wait for a container.
const COMMANDS: usize = 16;
/// How many consumers are opened at the same time. After a reconnect all listeners want theirs: what a broker cannot
/// do at once would only wait in its queues until it times out.
const OPENINGS: usize = 16;

/// Reaches one container. The container ends when nothing reaches it any more.
#[derive(Clone)]
pub(crate) struct Remote {
    pub(crate) state: Arc<StateCell>,
    pub(crate) crew: Arc<Crew>,
    pub(crate) queue: Arc<str>,
    pub(crate) phase: i32,
    shutdown_timeout: Duration,
    pub(crate) policy: watch::Sender<Arc<RedeliveryPolicy>>,
    /// What the queue was declared with.
    pub(crate) delayed_retry: Option<LinearWaits>,
    pub(crate) commands: mpsc::Sender<Command>,
}

pub(crate) struct Shared {
    remotes: Mutex<BTreeMap<Arc<str>, Remote>>,
    /// There while the application runs: listeners can be registered.
    foundry: Mutex<Option<Arc<Foundry>>>,
    openings: Arc<Semaphore>,
    pub(crate) connections: Connections,
    pub(crate) events: EventSender,
    pub(crate) publisher: Publisher,
    pub(crate) shut_down: watch::Sender<bool>,
    /// Asks the supervisor for another round of attempts.
    pub(crate) again: Arc<Notify>,
}

impl Shared {
    pub(crate) fn new(connections: Connections, events: EventSender, publisher: Publisher) -> Self {
        Self {
            remotes: Mutex::default(),
            foundry: Mutex::default(),
            openings: Arc::new(Semaphore::new(OPENINGS)),
            connections,
            events,
            publisher,
            shut_down: watch::Sender::new(false),
            again: Arc::new(Notify::new()),
        }
    }

    pub(crate) fn open(&self, foundry: Foundry) {
        *lock(&self.foundry) = Some(Arc::new(foundry));
    }

    /// Lets go of everything: containers that still run end at once.
    pub(crate) fn close(&self) {
        lock(&self.foundry).take();
        let remotes = std::mem::take(&mut *lock(&self.remotes));
        drop(remotes);
    }

    pub(crate) fn foundry(&self) -> Option<Arc<Foundry>> {
        lock(&self.foundry).clone()
    }

    /// A container for this listener, stopped. `false` if there is one of that id, or the application has ended: nobody
    /// would ever let go of the container.
    pub(crate) fn add(&self, founded: Founded) -> bool {
        let Founded { listener, signals } = founded;
        let (told, commands) = mpsc::channel(COMMANDS);
        let id = Arc::clone(&listener.id);
        let remote = Remote {
            state: Arc::clone(&listener.state),
            crew: Arc::clone(&listener.crew),
            queue: listener.settings.queue.as_str().into(),
            phase: listener.settings.phase,
            shutdown_timeout: listener.settings.shutdown_timeout,
            policy: listener.policy.clone(),
            delayed_retry: listener.subscription.delayed_retry,
            commands: told,
        };
        let mut remotes = lock(&self.remotes);
        // Under the lock: `close` takes the remotes after it has taken the foundry.
        if remotes.contains_key(&id) || self.foundry().is_none() {
            return false;
        }
        remotes.insert(id, remote);
        let (connections, openings) = (self.connections.clone(), Arc::clone(&self.openings));
        let founding = Founding { listener, connections, openings, commands, signals };
        tokio::spawn(Container::new(founding).run());
        true
    }

    pub(crate) fn remove(&self, id: &str) {
        lock(&self.remotes).remove(id);
    }

    pub(crate) fn remote(&self, id: &str) -> Option<Remote> {
        lock(&self.remotes).get(id).cloned()
    }

    pub(crate) fn remotes(&self) -> Vec<(Arc<str>, Remote)> {
        lock(&self.remotes).iter().map(|(id, remote)| (Arc::clone(id), remote.clone())).collect()
    }

    /// The longest a stop of all listeners can wait for calls: phases stop one after the other, the listeners of one
    /// together.
    pub(crate) fn longest_stop(&self) -> Duration {
        let mut phases: BTreeMap<i32, Duration> = BTreeMap::new();
        for (_, remote) in self.remotes() {
            let longest = phases.entry(remote.phase).or_default();
            *longest = remote.shutdown_timeout.max(*longest);
        }
        phases.into_values().fold(Duration::ZERO, Duration::saturating_add)
    }

    /// Stops all listeners, those of the highest phase first, all of one phase together.
    pub(crate) async fn stop_all(&self) -> StopReport {
        let mut report = StopReport::default();
        let mut phases: BTreeMap<i32, Vec<Remote>> = BTreeMap::new();
        for (_, remote) in self.remotes() {
            phases.entry(remote.phase).or_default().push(remote);
        }
        for remotes in phases.into_values().rev() {
            let parts = join_all(remotes.iter().map(Remote::stop)).await;
            report = parts.into_iter().fold(report, StopReport::plus);
        }
        report
    }
}

impl Remote {
    pub(crate) async fn stop(&self) -> StopReport {
        let (reply, report) = oneshot::channel();
        if self.commands.send(Command::Stop(reply)).await.is_err() {
            return StopReport::default();
        }
        report.await.ok().and_then(Result::ok).unwrap_or_default()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
