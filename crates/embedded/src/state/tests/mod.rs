//! The state machine alone: time is a number that a test counts up.

mod delay;
mod deletion;
mod expiry;
mod limits;
mod model;
mod order;
mod routing;
mod topics;

use super::consumer::Terms;
use super::{Attempt, ConsumerId, LinkId, QueueStats, State, Ticket};
use crate::settings::Settings;
use hearken_core::delivery::{Delivery, Settlement};
use hearken_core::message::Message;
use hearken_core::session::Destination;
use hearken_core::time::Timestamp;
use hearken_core::transport::{Outgoing, PublishError, TransportError};
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;
use tokio::time::Instant;

const Q: &str = "q";

/// A state machine with a clock and one link, stepped as the shell steps it.
struct Bench {
    state: State,
    now: Instant,
    link: LinkId,
}

impl Bench {
    fn new() -> Self {
        Self::with(|_| ())
    }

    fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let started_at = Some(Timestamp::from_millis(1_000_000));
        let mut settings = Settings { started_at, ..Settings::default() };
        change(&mut settings);
        let now = Instant::now();
        let mut state = State::new(settings, now, Timestamp::from_millis(0));
        let link = state.open_link().unwrap();
        state.declare_queue(Q, None).unwrap();
        Self { state, now, link }
    }

    fn step<R>(&mut self, step: impl FnOnce(&mut State, Instant) -> R) -> R {
        self.state.advance(self.now);
        let result = step(&mut self.state, self.now);
        self.state.finish(self.now).fire();
        result
    }

    fn wait(&mut self, millis: u64) {
        self.now += Duration::from_millis(millis);
        self.step(|_, _| ());
    }

    fn publish(&mut self, outgoing: Outgoing) -> Result<(), PublishError> {
        match self.step(|state, now| state.publish(None, outgoing, now)) {
            Attempt::Settled(result) => result,
            Attempt::Waiting(_) => panic!("the publish waits"),
        }
    }

    fn publish_waiting(&mut self, outgoing: Outgoing) -> Ticket {
        match self.step(|state, now| state.publish(None, outgoing, now)) {
            Attempt::Settled(result) => panic!("the publish does not wait: {result:?}"),
            Attempt::Waiting(ticket) => ticket,
        }
    }

    fn send(&mut self, body: &str) {
        self.publish(to(Q, message(body))).unwrap();
    }

    fn redeliver(&mut self, body: &str, after: u64) {
        let (copy, after) = (message(body), Duration::from_millis(after));
        self.step(|state, now| state.put_copy(Q, copy, after, now)).unwrap();
    }

    fn consumer(&mut self, prefetch: u16) -> ConsumerId {
        self.consumer_with(Terms { prefetch, ..Terms::default() })
    }

    fn consumer_with(&mut self, terms: Terms) -> ConsumerId {
        let link = self.link;
        self.step(|state, now| state.consume(link, Q, terms, now)).unwrap().id
    }

    fn next(&mut self, consumer: ConsumerId) -> Poll<Option<Result<Delivery, TransportError>>> {
        let queue: Arc<str> = Q.into();
        let next = self.step(|state, _| state.next(consumer, Waker::noop()));
        next.map(|next| next.map(|next| next.map(|handed| handed.into_delivery(&queue))))
    }

    fn take(&mut self, consumer: ConsumerId) -> Delivery {
        match self.next(consumer) {
            Poll::Ready(Some(Ok(delivery))) => delivery,
            other => panic!("no delivery: {other:?}"),
        }
    }

    /// Bodies of everything a consumer can take now, with a `*` behind redelivered ones, and their tags.
    fn take_all(&mut self, consumer: ConsumerId) -> (Vec<String>, Vec<u64>) {
        let mut taken = (Vec::new(), Vec::new());
        while let Poll::Ready(Some(Ok(delivery))) = self.next(consumer) {
            taken.0.push(text(&delivery));
            taken.1.push(delivery.receipt.tag());
        }
        taken
    }

    fn settle(&mut self, consumer: ConsumerId, tag: u64, settlement: Settlement) {
        self.step(|state, now| drop(state.settle(consumer, tag, settlement, now)));
    }

    fn ready(&self, queue: &str) -> Vec<String> {
        self.state.peek(queue).iter().map(body).collect()
    }

    fn stats(&self) -> QueueStats {
        self.state.stats(Q).unwrap()
    }
}

fn message(body: &str) -> Message {
    Message::new(body.to_owned())
}

fn body(message: &Message) -> String {
    String::from_utf8_lossy(message.body()).into_owned()
}

fn text(delivery: &Delivery) -> String {
    body(&delivery.message) + if delivery.redelivered { "*" } else { "" }
}

fn to(queue: &str, message: Message) -> Outgoing {
    Outgoing::new(Destination::queue(queue), message)
}

fn through(exchange: &str, key: &str) -> Outgoing {
    Outgoing::new(Destination::exchange(exchange, key), message(key))
}
