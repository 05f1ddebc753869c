//! An application: checked, not yet running.

use crate::builder::Builder;
use crate::config::Configuration;
use crate::container::Command;
use crate::epoch::Connection;
use crate::error::Error;
use crate::foundry::{Founded, Foundry};
use crate::handle::Handle;
use crate::hooks::Hooks;
use crate::listener::ListenerRuntime;
use crate::running::{Running, STOP_AT_MOST};
use crate::shared::Shared;
use crate::signal::{Patience, StopSignals};
use crate::supervisor::{Supervision, Supervisor};
use hearken_core::session::Publisher;
use hearken_core::transport::{Plan, TransportError};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// An application whose configuration, listeners and needs have been checked. Nothing is open yet.
///
/// Starting consumes it: a running application cannot be started.
pub struct Application {
    pub(crate) foundry: Foundry,
    pub(crate) listeners: Vec<Founded>,
    pub(crate) connections: watch::Sender<Connection>,
    pub(crate) shared: Arc<Shared>,
}

impl Application {
    /// Starts from nothing: see [`Builder`].
    pub fn builder(adapters: &'static [crate::builder::Adapter]) -> Builder {
        Builder::new(adapters)
    }

    /// The effective configuration.
    pub fn configuration(&self) -> &Configuration {
        &self.foundry.configuration
    }

    /// Publishes outside of any call; sends wait for the connection once the application runs.
    pub fn publisher(&self) -> Publisher {
        self.shared.publisher.clone()
    }

    /// Steers the application once it runs; subscribed to events before the start, one misses none.
    pub fn handle(&self) -> Handle {
        Handle { shared: Arc::clone(&self.shared) }
    }

    /// Connects and starts all listeners whose `autoStartup` is on, those of the lowest `phase` first. Resolves when
    /// each has its consumers, or when the broker cannot be reached: then the container goes on trying, paced by its
    /// back-off. Resolves early when [`Handle::shut_down`] is called meanwhile.
    ///
    /// # Errors
    /// [`Error::Transport`] when the broker refuses in a way that waiting cannot mend: login, virtual host, TLS,
    /// changed arguments, and with `missingQueue = "fail"` a queue that does not exist. What was started is stopped
    /// again.
    pub async fn start(self) -> Result<Running, Error> {
        if cfg!(panic = "abort") {
            tracing::warn!("built with panic = \"abort\": a panicking handler ends the whole process");
        }
        let Self { foundry, listeners, connections, shared } = self;
        let runtimes = || listeners.iter().map(|founded| &*founded.listener);
        let longest = runtimes().map(ListenerRuntime::longest_broker_wait).max();
        let supervision = Supervision {
            transport: Arc::clone(&foundry.transport),
            plan: Plan::new(longest.unwrap_or(Duration::ZERO)),
            back_off: foundry.configuration.container().back_off,
            connections,
            hooks: exception_listeners(runtimes()),
            again: Arc::clone(&shared.again),
        };
        let supervisor = Supervisor::start(supervision).await?;
        shared.open(foundry);
        let running =
            Running { handle: Handle { shared: Arc::clone(&shared) }, supervisor: Some(supervisor) };
        let mut phases: BTreeMap<i32, Vec<Arc<str>>> = BTreeMap::new();
        for founded in listeners {
            founded.listener.announce();
            let settings = &founded.listener.settings;
            if settings.auto_startup {
                phases.entry(settings.phase).or_default().push(Arc::clone(&founded.listener.id));
            }
            shared.add(founded);
        }
        let mut asked = shared.shut_down.subscribe();
        for ids in phases.into_values() {
            let started = tokio::select! {
                // What is to stop at once need not have its consumers first.
                () = async { drop(asked.wait_for(|asked| *asked).await) } => break,
                started = start_all(&shared, &ids) => started,
            };
            if let Err(error) = started {
                running.stop().await;
                return Err(error.into());
            }
        }
        Ok(running)
    }

    /// Starts, runs until SIGTERM, Ctrl-C or [`Handle::shut_down`], and stops in order; a second signal ends the
    /// process at once.
    ///
    /// A handler that never reaches an await cannot be stopped: with `endProcess` (the default) the process ends at the
    /// deadline all the same, with status 1 and a line in the log.
    ///
    /// # Errors
    /// As [`start`](Self::start). Stopping is never a failure.
    pub async fn run(self) -> Result<(), Error> {
        let end_process = self.configuration().container().end_process;
        let shared = Arc::clone(&self.shared);
        let asked = shared.shut_down.subscribe();
        let stopping = Arc::clone(&self.shared);
        let patience = move || shared.longest_stop().saturating_add(STOP_AT_MOST);
        let patience = end_process.then(|| Box::new(patience) as Patience);
        let mut signals = StopSignals::listen(patience, asked).map_err(Error::Signal)?;
        // The start is not dropped by a signal, only shortened: what has started must stop in order.
        let signalled = async {
            let reason = signals.first().await;
            stopping.shut_down.send_replace(true);
            Ok(reason)
        };
        let (running, reason) = tokio::try_join!(self.start(), signalled)?;
        tracing::info!("{reason}: stopping");
        let report = running.stop().await;
        tracing::info!(?report, "stopped");
        if report.stuck > 0 && end_process {
            tracing::error!("a handler never returns: ending the process (endProcess = true)");
            std::process::exit(1);
        }
        Ok(())
    }
}

/// The hooks for the failures of the connection: each that some listener has chosen, once.
fn exception_listeners<'a>(listeners: impl Iterator<Item = &'a ListenerRuntime>) -> Vec<Hooks> {
    let mut chosen = BTreeMap::new();
    for listener in listeners {
        if let Some(name) = &listener.settings.exception_listener {
            chosen.entry(name.clone()).or_insert_with(|| listener.hooks.clone());
        }
    }
    chosen.into_values().collect()
}

/// Starts listeners together, and waits until each has tried to open its consumers; the first error that waiting cannot
/// mend wins.
async fn start_all(shared: &Shared, ids: &[Arc<str>]) -> Result<(), TransportError> {
    let mut firsts = Vec::new();
    for id in ids {
        let (first, started) = oneshot::channel();
        if let Some(remote) = shared.remote(id) {
            let _ = remote.commands.send(Command::Start(first)).await;
            firsts.push(started);
        }
    }
    for first in firsts {
        first.await.unwrap_or(Ok(()))?;
    }
    Ok(())
}
