use super::alarm::Work;
use super::links::LinkId;
use super::payload::{Payload, message_bytes};
use super::publish::{Attempt, make_copy};
use super::slab::QueueId;
use super::timers::Timer;
use super::{ORPHANS, State, later};
use crate::settings::MESSAGE_OVERHEAD;
use hearken_core::message::Message;
use hearken_core::transport::PublishError;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

impl State {
    /// Puts a copy of a consumed message back into its queue after a wait.
    pub(crate) fn redeliver(
        &mut self,
        link: Option<LinkId>,
        queue: &str,
        copy: Message,
        after: Duration,
        now: Instant,
    ) -> Attempt {
        if let Err(error) = self.check_link(link) {
            return Attempt::Settled(Err(error));
        }
        if let Some(link) = self.held(link) {
            let (queue, copy) = (queue.to_owned(), Box::new(copy));
            return self.hold(link, Work::Redeliver { queue, copy, after });
        }
        Attempt::Settled(self.put_copy(queue, copy, after, now))
    }

    pub(super) fn put_copy(
        &mut self,
        queue: &str,
        mut copy: Message,
        after: Duration,
        now: Instant,
    ) -> Result<(), PublishError> {
        let returned = || PublishError::Returned { exchange: String::new(), routing_key: queue.to_owned() };
        let id = self.find(queue).ok_or_else(returned)?;
        let place = self.queues.get_mut(id).ok_or_else(returned)?;
        make_copy(&mut copy);
        let cost = message_bytes(&copy) + MESSAGE_OVERHEAD;
        place.bytes += cost;
        let payload = Arc::new(Payload {
            message: copy,
            exchange: Arc::clone(&self.default_exchange),
            routing_key: Arc::clone(&place.name),
            cost,
            trusted: true,
        });
        if after.is_zero() {
            self.arrive(id, payload, None, true, now);
            return Ok(());
        }
        place.delayed += 1;
        let sequence = self.next_sequence();
        self.timers.insert(later(now, after), sequence, Timer::Arrive { queue: id, payload });
        Ok(())
    }

    /// A wait is over.
    pub(super) fn arrive_delayed(&mut self, id: QueueId, payload: Arc<Payload>, now: Instant) {
        let Some(queue) = self.queues.get_mut(id) else { return };
        queue.delayed -= 1;
        if queue.exists {
            self.arrive(id, payload, None, true, now);
            return;
        }
        queue.bytes -= payload.cost;
        tracing::warn!(queue = &*queue.name, "a delayed copy's queue was deleted: it goes to `{ORPHANS}`");
        self.reap(id);
        self.adopt(Arc::unwrap_or_clone(payload), now);
    }

    /// Keeps a message that has nowhere else to go, with every header it has.
    pub(super) fn adopt(&mut self, payload: Payload, now: Instant) {
        let id = self.ensure_queue(ORPHANS);
        self.admit(id, Arc::new(Payload { trusted: false, ..payload }), None, now);
    }
}
