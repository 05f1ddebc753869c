//! An application: checked, not yet running.

use crate::builder::Builder;
use crate::config::Configuration;
use crate::epoch::{Epoch, Supervisor};
use crate::error::Error;
use crate::listener::ListenerRuntime;
use crate::running::{Container, Running, STOP_AT_MOST};
use crate::signal::StopSignals;
use crate::slot::Slot;
use hearken_core::session::Publisher;
use hearken_core::transport::{Plan, Transport, TransportError};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;

/// An application whose configuration, listeners and needs have been checked. Nothing is open yet.
///
/// Starting consumes it: a running application cannot be started.
pub struct Application {
    pub(crate) configuration: Configuration,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) listeners: Vec<Arc<ListenerRuntime>>,
    pub(crate) epochs: watch::Sender<Option<Epoch>>,
    pub(crate) publisher: Publisher,
}

impl Application {
    /// Starts from nothing: see [`Builder`].
    pub fn builder(adapters: &'static [crate::builder::Adapter]) -> Builder {
        Builder::new(adapters)
    }

    /// The effective configuration.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// Publishes outside of any call; sends wait for the connection once the application runs.
    pub fn publisher(&self) -> Publisher {
        self.publisher.clone()
    }

    /// Connects and starts all listeners whose `autoStartup` is on. Resolves when each has a consumer, or when the
    /// broker cannot be reached: then the container goes on trying, paced by `recoveryInterval`.
    ///
    /// # Errors
    /// [`Error::Transport`] when the broker refuses in a way that waiting cannot mend: login, virtual host, TLS,
    /// changed arguments. What was started is stopped again.
    pub async fn start(self) -> Result<Running, Error> {
        if cfg!(panic = "abort") {
            tracing::warn!("built with panic = \"abort\": a panicking handler ends the whole process");
        }
        let longest = self.listeners.iter().map(|listener| listener.longest_broker_wait()).max();
        let plan = Plan::new(longest.unwrap_or(Duration::ZERO));
        let interval = self.configuration.container().recovery_interval;
        let epochs = self.epochs.subscribe();
        let (supervisor, connected) =
            Supervisor::start(Arc::clone(&self.transport), plan, interval, self.epochs).await?;
        let (stop, stopped) = watch::channel(false);
        let mut firsts = Vec::new();
        let mut containers = Vec::new();
        for listener in self.listeners {
            announce(&listener);
            let mut slots = JoinSet::new();
            if !listener.settings.auto_startup {
                listener.state.stopped();
            }
            let concurrency =
                if listener.settings.auto_startup { listener.settings.concurrency.max() } else { 0 };
            for _ in 0..concurrency {
                let (first, opened) = oneshot::channel();
                firsts.push(opened);
                let slot = Slot {
                    listener: Arc::clone(&listener),
                    epochs: epochs.clone(),
                    stop: stopped.clone(),
                    first: Some(first),
                };
                slots.spawn(slot.run());
            }
            containers.push(Container { listener, slots });
        }
        let running = Running { containers, supervisor, epochs, stop, publisher: self.publisher };
        let epoch = running.epochs.borrow().clone().filter(|_| connected);
        if let Some(epoch) = epoch {
            let opened = tokio::select! {
                opened = first_consumers(firsts) => opened,
                // From here on it is recovery, which start does not wait for.
                () = epoch.lost() => Ok(()),
            };
            if let Err(error) = opened {
                running.stop().await;
                return Err(error.into());
            }
        }
        Ok(running)
    }

    /// Starts, runs until SIGTERM or Ctrl-C, and stops in order; a second signal ends the process at once.
    ///
    /// A handler that never reaches an await cannot be stopped: with `endProcess` (the default) the process ends at the
    /// deadline all the same, with status 1 and a line in the log.
    ///
    /// # Errors
    /// As [`start`](Self::start). Stopping is never a failure.
    pub async fn run(self) -> Result<(), Error> {
        let end_process = self.configuration.container().end_process;
        let longest = self.listeners.iter().map(|listener| listener.settings.shutdown_timeout).max();
        let patience = longest.unwrap_or_default().saturating_add(STOP_AT_MOST);
        let mut signals = StopSignals::listen(end_process.then_some(patience)).map_err(Error::Signal)?;
        // Not dropped by a signal: what has started must stop in order. Its calls to the broker are bounded.
        let running = self.start().await?;
        let signal = signals.first().await;
        tracing::info!("{signal}: stopping");
        let report = running.stop().await;
        tracing::info!(?report, "stopped");
        if report.stuck > 0 && end_process {
            tracing::error!("a handler never returns: ending the process (endProcess = true)");
            std::process::exit(1);
        }
        Ok(())
    }
}

fn announce(listener: &ListenerRuntime) {
    let settings = &listener.settings;
    tracing::info!(
        hearken.listener = &*listener.id,
        messaging.system = listener.system,
        messaging.destination.name = settings.queue,
        concurrency = %settings.concurrency,
        prefetch = settings.prefetch,
        redelivery = &*settings.policy.name,
        auto_startup = settings.auto_startup,
        "listener"
    );
}

/// Waits until every slot has tried once to open a consumer; the first error that waiting cannot mend wins.
async fn first_consumers(
    firsts: Vec<oneshot::Receiver<Result<(), TransportError>>>,
) -> Result<(), TransportError> {
    for first in firsts {
        first.await.unwrap_or(Ok(()))?;
    }
    Ok(())
}
