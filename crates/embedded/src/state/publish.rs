use super::alarm::Work;
use super::links::LinkId;
use super::names::MAX_NAME;
use super::payload::{Entry, Payload, message_bytes};
use super::slab::QueueId;
use super::waiting::Ticket;
use super::{State, later};
use crate::settings::MESSAGE_OVERHEAD;
use hearken_core::message::Message;
use hearken_core::session::Destination;
use hearken_core::transport::{Outgoing, PublishError};
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// What became of a publish.
pub(crate) enum Attempt {
    Settled(Result<(), PublishError>),
    /// A queue is full, or there is an alarm: the answer comes through the ticket.
    Waiting(Ticket),
}

pub(super) enum Offer {
    Settled(Result<(), PublishError>),
    Full(Box<Outgoing>, QueueId),
}

/// Whether a message stands at the head of those that wait, or has only just come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    New,
    Head,
}

impl State {
    pub(crate) fn publish(&mut self, link: Option<LinkId>, outgoing: Outgoing, now: Instant) -> Attempt {
        if let Err(error) = self.check_link(link) {
            return Attempt::Settled(Err(error));
        }
        if let Some(link) = self.held(link) {
            return self.hold(link, Work::Publish(Box::new(outgoing)));
        }
        match self.offer(outgoing, Turn::New, now) {
            Offer::Settled(result) => Attempt::Settled(result),
            Offer::Full(outgoing, queue) => {
                let (sender, answer) = oneshot::channel();
                let key = self.waiting.next_key();
                self.wait_for_room(key, link, outgoing, queue, sender);
                Attempt::Waiting(Ticket { key, answer })
            }
        }
    }

    /// Puts a message into every queue it is routed to, or into none.
    pub(super) fn offer(&mut self, mut outgoing: Outgoing, turn: Turn, now: Instant) -> Offer {
        if outgoing.relayed {
            make_copy(&mut outgoing.message);
        }
        let bytes = message_bytes(&outgoing.message);
        if let Err(error) = self.check_outgoing(&outgoing, bytes) {
            return Offer::Settled(Err(error));
        }
        let mut routes = std::mem::take(&mut self.routes);
        routes.clear();
        let offer = match self.route(&outgoing.destination, &mut routes) {
            Err(error) => Offer::Settled(Err(error)),
            Ok(exchange) => self.place(outgoing, exchange, &routes, bytes + MESSAGE_OVERHEAD, turn, now),
        };
        self.routes = routes;
        offer
    }

    fn check_outgoing(&self, outgoing: &Outgoing, bytes: usize) -> Result<(), PublishError> {
        let Destination { exchange, routing_key } = &outgoing.destination;
        for (what, name) in [("exchange", exchange), ("routing key", routing_key)] {
            if name.len() > MAX_NAME {
                let length = name.len();
                let reason = format!("the {what} is {length} bytes long, at most {MAX_NAME} are possible");
                return Err(PublishError::Invalid { reason });
            }
        }
        let limit = self.settings.max_message_bytes;
        if bytes > limit && !outgoing.relayed {
            let reason = format!("the message has {bytes} bytes, at most {limit} are allowed");
            return Err(PublishError::Invalid { reason });
        }
        Ok(())
    }

    fn route(&mut self, to: &Destination, queues: &mut Vec<QueueId>) -> Result<Arc<str>, PublishError> {
        let Destination { exchange, routing_key } = to;
        let name = if exchange.is_empty() {
            queues.extend(self.find(routing_key));
            Arc::clone(&self.default_exchange)
        } else {
            let missing = || PublishError::Refused { reason: format!("no exchange `{exchange}`") };
            let place = self.exchanges.get_mut(exchange.as_str()).ok_or_else(missing)?;
            place.route(routing_key, queues);
            Arc::clone(&place.name)
        };
        if queues.is_empty() {
            let (exchange, routing_key) = (exchange.clone(), routing_key.clone());
            return Err(PublishError::Returned { exchange, routing_key });
        }
        Ok(name)
    }

    fn place(
        &mut self,
        outgoing: Outgoing,
        exchange: Arc<str>,
        routes: &[QueueId],
        cost: usize,
        turn: Turn,
        now: Instant,
    ) -> Offer {
        if !outgoing.relayed {
            for &id in routes {
                match self.room(id, cost, turn) {
                    Room::Free => {}
                    Room::Later => return Offer::Full(Box::new(outgoing), id),
                    Room::Never(reason) => {
                        return Offer::Settled(Err(PublishError::Refused { reason }));
                    }
                }
            }
        }
        let Outgoing { destination, message, .. } = outgoing;
        let expires = message.properties().time_to_live.map(|wait| later(now, wait));
        // The default exchange's key is the queue's name, which is shared already.
        let named = routes.first().and_then(|id| self.queues.get(*id));
        let routing_key = match named {
            Some(queue) if destination.exchange.is_empty() => Arc::clone(&queue.name),
            _ => destination.routing_key.into(),
        };
        let payload = Arc::new(Payload { message, exchange, routing_key, cost, trusted: false });
        for &id in routes {
            self.admit(id, Arc::clone(&payload), expires, now);
        }
        Offer::Settled(Ok(()))
    }

    /// Takes a message into a queue, full or not.
    pub(super) fn admit(
        &mut self,
        id: QueueId,
        payload: Arc<Payload>,
        expires: Option<Instant>,
        now: Instant,
    ) {
        if let Some(queue) = self.queues.get_mut(id) {
            queue.bytes += payload.cost;
            self.arrive(id, payload, expires, false, now);
        }
    }

    /// A message that is counted already reaches the end of its queue.
    pub(super) fn arrive(
        &mut self,
        id: QueueId,
        payload: Arc<Payload>,
        expires: Option<Instant>,
        redelivered: bool,
        now: Instant,
    ) {
        let sequence = self.next_sequence();
        let entry = Entry { sequence, expires, payload, redelivered, returns: 0 };
        let first = self.queues.get(id).is_some_and(|queue| queue.lane.is_empty());
        let waiting = if first { self.reserve(id, entry).err() } else { Some(entry) };
        if let Some(entry) = waiting {
            self.wait_ready(id, entry, now);
        }
    }

    fn room(&self, id: QueueId, cost: usize, turn: Turn) -> Room {
        let Some(queue) = self.queues.get(id) else { return Room::Free };
        let (bytes, messages) = (self.settings.max_queue_bytes, self.settings.max_queue_messages);
        if cost > bytes || messages == Some(0) {
            return Room::Never(self.full(id, cost));
        }
        let full = queue.bytes + cost > bytes || messages.is_some_and(|limit| queue.held() >= limit);
        if full || (turn == Turn::New && !queue.publishers.is_empty()) { Room::Later } else { Room::Free }
    }

    /// Says which limit of a queue a message meets.
    pub(super) fn full(&self, id: QueueId, cost: usize) -> String {
        let Some(queue) = self.queues.get(id) else { return "the queue is gone".to_owned() };
        let (name, held, limit) = (&queue.name, queue.held(), self.settings.max_queue_bytes);
        match self.settings.max_queue_messages {
            Some(messages) if held >= messages => {
                format!("queue `{name}` is full: it holds {held} messages, at most {messages} are allowed")
            }
            _ => format!(
                "queue `{name}` is full: it holds {} bytes, {cost} more were to come, at most {limit} are allowed",
                queue.bytes
            ),
        }
    }

    /// Gives room back: what waits for it is let in when the step ends.
    pub(super) fn release(&mut self, id: QueueId, cost: usize) {
        if let Some(queue) = self.queues.get_mut(id) {
            queue.bytes -= cost;
            if !queue.publishers.is_empty() {
                self.freed.push_back(id);
            }
        }
    }
}

enum Room {
    Free,
    Later,
    Never(String),
}

/// Strips what must not go along with a copy of a consumed message. Death headers, `CC` and `BCC` may stay: nothing
/// here routes by them.
pub(super) fn make_copy(message: &mut Message) {
    let properties = message.properties_mut();
    properties.time_to_live = None;
    properties.user_id = None;
}
