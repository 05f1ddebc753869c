//! What a container can be told at run time.

use super::Container;
use super::breaker::Breaker;
use crate::concurrency::Concurrency;
use crate::event::EventKind;
use crate::pace::Pace;
use crate::running::StopReport;
use crate::state::Aim;
use hearken_core::transport::{QueueLifetime, TransportError};
use tokio::sync::oneshot;

/// Why a container does not obey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It is stopped or failed.
    NotRunning,
    /// Its queue has one consumer only.
    OneConsumer,
}

type Reply<T> = oneshot::Sender<Result<T, Refusal>>;

pub(crate) enum Command {
    /// Starts; told how the first attempts to open consumers ended.
    Start(oneshot::Sender<Result<(), TransportError>>),
    Stop(Reply<StopReport>),
    Pause(Reply<StopReport>),
    Resume(Reply<()>),
    Scale(Concurrency, Reply<()>),
}

impl Container {
    pub(super) fn command(&mut self, command: Command) {
        match command {
            Command::Start(first) => self.start(first),
            Command::Stop(reply) => {
                self.restart = false;
                self.waiting.push(reply);
                if self.aim != Aim::Stop {
                    self.begin_leaving(Aim::Stop);
                }
            }
            Command::Pause(reply) => self.pause(reply),
            Command::Resume(reply) => {
                let _ = reply.send(self.resume());
            }
            Command::Scale(concurrency, reply) => {
                let _ = reply.send(self.scale(concurrency));
            }
        }
    }

    fn start(&mut self, first: oneshot::Sender<Result<(), TransportError>>) {
        match self.aim {
            Aim::Run | Aim::Pause | Aim::Trip(_) => {
                let _ = first.send(Ok(()));
            }
            Aim::Stop | Aim::Fail(_) if self.members.is_empty() => {
                self.first = Some(first);
                self.begin();
            }
            // It still leaves: what waits for that is told first.
            Aim::Stop | Aim::Fail(_) => {
                self.restart = true;
                let _ = first.send(Ok(()));
            }
        }
    }

    /// From nothing to as many invokers as the lower bound says.
    pub(super) fn begin(&mut self) {
        self.aim = Aim::Run;
        self.pace = Pace::new(self.listener.settings.back_off);
        self.listener.state.aim(Aim::Run);
        self.set_target(self.bounds.min());
        self.tell_probing();
        // It may have come, gone, been blocked, or been given up meanwhile.
        self.connection_changed();
        self.blocked_changed();
        if self.living().is_none() {
            // It is recovery then, which a start does not wait for.
            self.report_first(Ok(()));
        }
    }

    fn pause(&mut self, reply: Reply<StopReport>) {
        match self.aim {
            Aim::Stop | Aim::Fail(_) => {
                let _ = reply.send(Err(Refusal::NotRunning));
            }
            Aim::Run | Aim::Trip(_) => {
                self.restart = false;
                self.waiting.push(reply);
                self.begin_leaving(Aim::Pause);
            }
            Aim::Pause => {
                self.restart = false;
                self.waiting.push(reply);
            }
        }
    }

    fn resume(&mut self) -> Result<(), Refusal> {
        match self.aim {
            Aim::Stop | Aim::Fail(_) => return Err(Refusal::NotRunning),
            Aim::Run => {}
            Aim::Pause | Aim::Trip(_) => {
                self.breaker = Breaker::Closed;
                if self.members.is_empty() {
                    self.begin();
                } else {
                    self.restart = true;
                }
            }
        }
        Ok(())
    }

    fn scale(&mut self, concurrency: Concurrency) -> Result<(), Refusal> {
        let subscription = &self.listener.subscription;
        let alone = subscription.exclusive || subscription.lifetime == QueueLifetime::Temporary;
        if alone && concurrency.max() > 1 {
            return Err(Refusal::OneConsumer);
        }
        self.bounds = concurrency;
        self.listener.crew.set_bounds(concurrency.min(), concurrency.max());
        self.set_target(self.target.clamp(concurrency.min(), concurrency.max()));
        // Idle ones measure their time only where it matters: it may matter from now on.
        for member in self.members.values() {
            member.orders.send_modify(|_| ());
        }
        tracing::info!(hearken.listener = &*self.listener.id, %concurrency, "rescaled");
        self.listener.event(|| EventKind::Rescaled { concurrency });
        Ok(())
    }
}
