//! Stopping, pausing, failing: bounded in every state.

use super::Container;
use super::breaker::Breaker;
use crate::invoker::Order;
use crate::running::{ABORT, StopReport};
use crate::state::Aim;
use std::sync::Arc;
use tokio::time::Instant;

impl Container {
    /// Lets all invokers go.
    pub(super) fn begin_leaving(&mut self, aim: Aim) {
        let listener = Arc::clone(&self.listener);
        let settings = &listener.settings;
        if self.aim == Aim::Run {
            // Invokers that left before were scaled down.
            self.report = StopReport::default();
        }
        self.breaker = Breaker::Closed;
        let tripped = matches!(aim, Aim::Trip(_));
        self.aim = aim.clone();
        self.listener.state.aim(aim);
        self.healthy = false;
        self.abandon_openings();
        let handles_rest = settings.accept_messages_while_stopping && !tripped;
        let order = if handles_rest { Order::Retire } else { Order::HandBack };
        for member in self.members.values() {
            member.orders.send_if_modified(|now| {
                let rises = order > *now;
                *now = order.max(*now);
                rises
            });
        }
        let deadline = Instant::now().checked_add(settings.shutdown_timeout);
        // Without anybody to wait for it would strike whoever works after a new beginning. A breaker drops no calls.
        self.deadline = deadline.filter(|_| !self.members.is_empty() && !tripped);
    }

    pub(super) fn fail(&mut self, reason: String) {
        self.begin_leaving(Aim::Fail(reason));
    }

    pub(super) fn reconcile_leaving(&mut self) {
        if !self.members.is_empty() {
            return;
        }
        self.deadline = None;
        let report = std::mem::take(&mut self.report);
        for waiting in self.waiting.drain(..) {
            let _ = waiting.send(Ok(report));
        }
        if std::mem::take(&mut self.restart) {
            self.begin();
        }
    }

    /// The deadline: calls are dropped at their next await; those that never reach one are left behind.
    pub(super) fn out_of_patience(&mut self) {
        let left = self.members.len() as u64;
        if self.report.aborted == 0 {
            self.report.aborted = left;
            self.tasks.abort_all();
            self.deadline = Instant::now().checked_add(ABORT);
        } else {
            self.report.stuck = left;
            self.deadline = None;
            self.members.clear();
            self.tasks.detach_all();
            self.listener.state.manned(false);
        }
        let StopReport { aborted, stuck, .. } = self.report;
        tracing::warn!(
            hearken.listener = &*self.listener.id,
            aborted,
            stuck,
            "calls were still running after {:?}: they are dropped, their messages come again",
            self.listener.settings.shutdown_timeout
        );
    }
}
