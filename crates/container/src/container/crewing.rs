//! Invokers that ended.

use super::{Container, Member};
use crate::epoch::chain;
use crate::event::EventKind;
use crate::invoker::{End, Lane};
use crate::state::Aim;
use hearken_core::transport::{TransportError, TransportErrorKind};
use tokio::task::{Id, JoinError};

impl Container {
    pub(super) fn ended(&mut self, ended: Result<(Id, End), JoinError>) {
        let id = match &ended {
            Ok((id, _)) => *id,
            Err(error) => error.id(),
        };
        let Some(member) = self.members.remove(&id) else { return };
        match ended {
            Ok((_, End::Left(report))) => self.report = self.report.plus(report),
            Ok((_, End::Lost(error))) => self.lost(&member, &error),
            Err(error) => {
                // What it had in hand went back with its channel.
                self.listener.crew.returned();
                if error.is_panic() {
                    tracing::error!(
                        hearken.listener = &*self.listener.id,
                        "an invoker was lost to a panic outside of the handler; it is replaced"
                    );
                }
                if self.aim == Aim::Run && member.lane == Lane::Main {
                    self.healthy = false;
                }
            }
        }
        // One of an older connection says nothing about the lane of this one.
        if member.lane == Lane::Suspects && self.epoch.as_ref().is_some_and(|now| now.number == member.epoch)
        {
            self.suspects.left(self.listener.settings.recovery_interval);
        }
        self.listener.state.manned(!self.members.is_empty());
    }

    fn lost(&mut self, member: &Member, error: &TransportError) {
        let listener = &self.listener;
        let current = self.living().is_some_and(|epoch| epoch.number == member.epoch);
        if !current || self.aim != Aim::Run {
            return;
        }
        if member.lane == Lane::Main {
            self.healthy = false;
        }
        // The loss of the connection is the supervisor's to tell, once for all.
        if *error.kind() == TransportErrorKind::ConnectionLost {
            self.dying = true;
            return;
        }
        let reason = chain(error);
        tracing::warn!(
            hearken.listener = &*listener.id,
            messaging.destination.name = listener.settings.queue,
            error = %reason,
            "a consumer was lost"
        );
        listener.hooks.infrastructure_failed(Some(&listener.id), error);
        listener.event(|| EventKind::ConsumerCancelled { reason });
    }
}
