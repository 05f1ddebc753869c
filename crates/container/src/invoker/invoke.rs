//! Runs one call; beside it copies are confirmed, deliveries arrive, and orders are heard.

use super::call::{Fate, call};
use super::job::Job;
use super::{Invoker, Order};
use crate::observe;
use hearken_core::transport::TransportError;
use std::pin::pin;
use std::sync::atomic::Ordering;

impl Invoker {
    /// Tells why the channel was lost meanwhile, if so.
    pub(super) async fn invoke(&mut self, job: Job) -> Option<TransportError> {
        let Self { listener, epoch, desk } = self;
        let limit = desk.policy.limit();
        let span = observe::delivery(listener, &job);
        listener.observe(&job, |observer, call| observer.called(call));
        let fate = Fate::default();
        let busy = listener.crew.begin();
        let elastic = listener.crew.is_elastic();
        desk.calling = true;
        let (job, outcome) = {
            let mut call = pin!(call(listener, epoch, job, limit, &span, &fate));
            loop {
                // With a full prefetch the broker cannot show that more waits.
                let full = || desk.holds.len() + 1 >= usize::from(listener.settings.prefetch);
                if elastic && (!desk.buffer.is_empty() || full()) {
                    listener.crew.message_waits();
                }
                tokio::select! {
                    biased;
                    called = &mut call => break called,
                    () = desk.step() => {}
                }
                if desk.loss().is_some() {
                    fate.lost.store(true, Ordering::Relaxed);
                    fate.revoked.store(desk.is_timed_out(), Ordering::Relaxed);
                }
            }
        };
        desk.calling = false;
        drop(busy);
        if desk.order() != Order::Work {
            desk.report.finished += 1;
        }
        let _in_span = span.enter();
        if fate.is_revoked() {
            desk.burn(job, outcome);
        } else if epoch.is_alive() && !fate.is_lost() {
            desk.judge(job, outcome);
        } else {
            tracing::warn!(
                hearken.listener = &*listener.id,
                epoch = epoch.number,
                "the channel was lost during the call: its late result is dropped, the message comes again"
            );
            listener.observe(&job, |observer, call| observer.lost(call));
        }
        desk.take_loss()
    }
}
