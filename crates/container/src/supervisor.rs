//! One supervisor per transport: it connects, notices the loss, waits, and connects anew.

use crate::back_off::BackOff;
use crate::epoch::{Connection, Epoch, chain};
use crate::hooks::Hooks;
use crate::pace::Pace;
use hearken_core::transport::{Link, Notice, Plan, Transport, TransportError};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

/// Owns the connection of the application.
pub(crate) struct Supervisor {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

/// What a supervisor works with.
pub(crate) struct Supervision {
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) plan: Plan,
    pub(crate) back_off: BackOff,
    pub(crate) connections: watch::Sender<Connection>,
    /// Every hook that some listener has chosen, once.
    pub(crate) hooks: Vec<Hooks>,
    /// Asks for another round of attempts after the back-off has given up.
    pub(crate) again: Arc<Notify>,
}

impl Supervisor {
    /// Tries to connect once, then keeps the connection up.
    ///
    /// # Errors
    /// What the first try met, if waiting cannot mend it.
    pub(crate) async fn start(supervision: Supervision) -> Result<Self, TransportError> {
        let Supervision { transport, plan, back_off, connections, hooks, again } = supervision;
        let (stop, stopped) = watch::channel(false);
        let pace = Pace::new(back_off);
        let mut keeper = Keeper { transport, plan, pace, connections, hooks, again, stopped, number: 0 };
        let now = Instant::now();
        keeper.pace.next(now, 0.0);
        let first = match keeper.transport.connect(&keeper.plan).await {
            Ok(link) => Some(keeper.open(link)),
            Err(error) if error.is_fatal_at_start() => return Err(error),
            Err(error) => {
                keeper.refused(&error);
                None
            }
        };
        Ok(Self { stop, task: tokio::spawn(keeper.run(first)) })
    }

    /// Closes the connection. Consumers were closed before.
    pub(crate) async fn stop(self, within: Duration) {
        let _ = self.stop.send(true);
        let abort = self.task.abort_handle();
        if tokio::time::timeout(within, self.task).await.is_err() {
            abort.abort();
        }
    }
}

struct Keeper {
    transport: Arc<dyn Transport>,
    plan: Plan,
    pace: Pace,
    connections: watch::Sender<Connection>,
    hooks: Vec<Hooks>,
    again: Arc<Notify>,
    stopped: watch::Receiver<bool>,
    number: u64,
}

impl Keeper {
    async fn run(mut self, first: Option<Epoch>) {
        let mut current = first;
        loop {
            if let Some(epoch) = current.take() {
                let Some(error) = self.keep(&epoch).await else {
                    self.connections.send_replace(Connection::Down);
                    epoch.link.close().await;
                    return;
                };
                self.lose(&epoch, &error);
            }
            let Some(at) = self.pace.next(Instant::now(), fastrand::f64()) else {
                self.give_up();
                tokio::select! {
                    () = self.again.notified() => {
                        self.pace.succeeded();
                        self.connections.send_replace(Connection::Down);
                        continue;
                    }
                    _ = self.stopped.wait_for(|stop| *stop) => return,
                }
            };
            let Self { transport, plan, stopped, .. } = &mut self;
            let connecting = async {
                sleep_until(at).await;
                transport.connect(plan).await
            };
            let connected = tokio::select! {
                connected = connecting => connected,
                _ = stopped.wait_for(|stop| *stop) => return,
            };
            match connected {
                Ok(link) => current = Some(self.open(link)),
                Err(error) => self.refused(&error),
            }
        }
    }

    /// Listens to the link until it is lost, with the reason, or the application stops.
    async fn keep(&mut self, epoch: &Epoch) -> Option<TransportError> {
        let mut lost = epoch.link.lost();
        loop {
            let notice = tokio::select! {
                error = &mut lost => return Some(error),
                _ = self.stopped.wait_for(|stop| *stop) => return None,
                notice = epoch.link.notice() => notice,
            };
            let blocked = match notice {
                Notice::Blocked { reason } => {
                    tracing::warn!(
                        messaging.system = self.transport.system(),
                        address = self.transport.address(),
                        reason,
                        "the broker takes no messages for now; consuming goes on"
                    );
                    Some(reason)
                }
                _ => {
                    tracing::info!(
                        messaging.system = self.transport.system(),
                        address = self.transport.address(),
                        "the broker takes messages again"
                    );
                    None
                }
            };
            epoch.set_blocked(blocked);
        }
    }

    fn open(&mut self, link: Arc<dyn Link>) -> Epoch {
        self.number += 1;
        tracing::info!(
            messaging.system = self.transport.system(),
            address = self.transport.address(),
            epoch = self.number,
            "connected"
        );
        let epoch = Epoch::new(link, self.number);
        self.connections.send_replace(Connection::Up(epoch.clone()));
        epoch
    }

    fn lose(&mut self, epoch: &Epoch, error: &TransportError) {
        epoch.end();
        self.connections.send_replace(Connection::Down);
        if epoch.is_proved(self.pace.longest()) {
            self.pace.succeeded();
        }
        tracing::warn!(
            messaging.system = self.transport.system(),
            address = self.transport.address(),
            epoch = epoch.number,
            error = %chain(error),
            "connection lost"
        );
        self.tell(error);
    }

    fn refused(&self, error: &TransportError) {
        tracing::warn!(
            messaging.system = self.transport.system(),
            address = self.transport.address(),
            error = %chain(error),
            "cannot connect; trying again"
        );
        self.tell(error);
    }

    fn tell(&self, error: &TransportError) {
        for hooks in &self.hooks {
            hooks.infrastructure_failed(None, error);
        }
    }

    fn give_up(&self) {
        let reason = format!("no connection to {} after all attempts", self.transport.address());
        tracing::error!(messaging.system = self.transport.system(), "{reason}: given up");
        self.connections.send_replace(Connection::GivenUp(reason.into()));
    }
}
