//! Leaving: nothing new, running calls have ended, what is left goes back.

use super::desk::Desk;
use super::job::{Held, Job, Relocation};
use super::{End, Lane, Order};
use crate::epoch::chain;
use futures_util::FutureExt;
use hearken_core::delivery::{Delivery, Settlement};
use std::future::poll_fn;
use std::time::Duration;
use tokio::time::Instant;

impl Desk {
    pub(super) async fn leave(mut self) -> End {
        self.obey();
        if self.listener.hands_over_in_order() && self.order() != Order::Work {
            // The channel takes all of it back in order, in one step with the consumer.
            let consumer = &mut self.consumer;
            let mut next = || poll_fn(|context| consumer.poll_receive(context)).now_or_never().flatten();
            let unseen = std::iter::from_fn(|| next().and_then(Result::ok)).count();
            self.report.unhandled += (self.buffer.len() + unseen) as u64;
            self.report.held += self.holds.len() as u64;
        } else {
            while self.is_ending() && self.loss().is_none() {
                self.step().await;
            }
            self.give_up_holds();
        }
        while !self.relocating.is_empty() && self.loss().is_none() {
            self.step().await;
        }
        if self.report.unhandled > 0 || self.report.held > 0 {
            self.listener.crew.returned();
        }
        let Self { consumer, listener, report, .. } = self;
        if let Err(error) = consumer.close().await {
            tracing::warn!(
                hearken.listener = &*listener.id,
                error = %chain(&error),
                "the channel did not close in order: its last acknowledgements may be lost, and those messages come again"
            );
        }
        End::Left(report)
    }

    /// Back to its queue without a failed attempt.
    pub(super) fn hand_back(&mut self, delivery: Delivery) {
        self.report.unhandled += 1;
        match self.lane {
            Lane::Main => self.consumer.settle(delivery.receipt, Settlement::HandBack),
            // There every return counts as a death: a copy starts anew.
            Lane::Suspects => self.relocate(Job::from(delivery), Relocation::Later(Duration::ZERO)),
        }
    }

    /// What is held goes back: by a copy if its count rose, so that the count and the rest of the wait are kept.
    pub(super) fn give_up_holds(&mut self) {
        let may_move = self.may_move();
        for (left, held) in self.holds.drain(Instant::now()).collect::<Vec<_>>() {
            match held {
                Held::Call(job) if (job.count_rose() && may_move) || self.lane == Lane::Suspects => {
                    self.relocate(job, Relocation::Later(left));
                    self.report.held += 1;
                }
                // Order can be kept only by handing back the delivery itself.
                Held::Call(job) => {
                    self.consumer.settle(job.receipt, Settlement::HandBack);
                    self.report.held += 1;
                }
                Held::Relocation(job, relocation) => self.relocate(job, relocation),
            }
        }
    }
}
