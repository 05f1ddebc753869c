use crate::settings::Settings;
use crate::state::State;
use hearken_core::time::Timestamp;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::runtime::Handle;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout_at};

/// The shell around the state machine: its lock, its clock, and the one task that sleeps for it.
pub(crate) struct Shared {
    state: Mutex<Shell>,
    publish_timeout: Duration,
    /// Counts how often all links were cut.
    cuts: watch::Sender<u64>,
    /// Wakes the task: a timer is due sooner than it thinks, or the broker is gone.
    bell: Arc<Notify>,
}

struct Shell {
    state: State,
    /// Whether a task sleeps for the timers.
    driven: bool,
}

impl Shared {
    pub(crate) fn new(settings: Settings) -> Self {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let wall = Timestamp::from_millis(0).saturating_add(since_epoch);
        Self {
            publish_timeout: settings.publish_timeout,
            state: Mutex::new(Shell { state: State::new(settings, Instant::now(), wall), driven: false }),
            cuts: watch::Sender::new(0),
            bell: Arc::new(Notify::new()),
        }
    }

    pub(crate) fn publish_timeout(&self) -> Duration {
        self.publish_timeout
    }

    pub(crate) fn cuts(&self) -> &watch::Sender<u64> {
        &self.cuts
    }

    /// One step of the state machine, at the present time of tokio's clock.
    pub(crate) fn step<R>(self: &Arc<Self>, step: impl FnOnce(&mut State, Instant) -> R) -> R {
        let mut shell = self.lock();
        // Read under the lock: no step may see an earlier time than the one before it.
        let now = Instant::now();
        shell.state.advance(now);
        let result = step(&mut shell.state, now);
        let effects = shell.state.finish(now);
        let mut spawn = None;
        if shell.state.timers().overslept() {
            if shell.driven {
                shell.state.timers().arm();
                self.bell.notify_one();
            } else if let Ok(runtime) = Handle::try_current() {
                shell.state.timers().arm();
                shell.driven = true;
                spawn = Some(runtime);
            }
        }
        drop(shell);
        if let Some(runtime) = spawn {
            runtime.spawn(drive(Arc::downgrade(self), Arc::clone(&self.bell)));
        }
        effects.fire();
        result
    }

    /// Looks without moving time: for steps that neither take a message in nor give one out.
    pub(crate) fn look<R>(&self, look: impl FnOnce(&mut State) -> R) -> R {
        look(&mut self.lock().state)
    }

    fn lock(&self) -> MutexGuard<'_, Shell> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.bell.notify_one();
    }
}

/// Sleeps towards the first timer, again and again. Holds nothing of the broker while it sleeps.
async fn drive(shared: Weak<Shared>, bell: Arc<Notify>) {
    let _on_end = Undriven(Weak::clone(&shared));
    loop {
        let Some(broker) = shared.upgrade() else { return };
        broker.step(|_, _| ());
        let next = broker.look(|state| state.timers().arm());
        drop(broker);
        match next {
            Some(due) => {
                let _ = timeout_at(due, bell.notified()).await;
            }
            None => bell.notified().await,
        }
    }
}

/// Tells the broker that its task has ended, as it does with its runtime: the next step spawns another.
struct Undriven(Weak<Shared>);

impl Drop for Undriven {
    fn drop(&mut self) {
        if let Some(broker) = self.0.upgrade() {
            let mut shell = broker.lock();
            shell.driven = false;
            shell.state.timers().disarm();
        }
    }
}
