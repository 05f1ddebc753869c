//! The broker as a state machine: no task, no clock, no lock. Time comes in as an argument, what is to be done
//! outside goes out as [`Effects`]. Every step begins with [`State::advance`], so that nothing that is due is
//! overtaken, and ends with [`State::finish`].

mod alarm;
mod alone;
mod consume;
mod consumer;
mod declare;
mod delay;
mod effects;
mod exchange;
mod expiry;
mod lane;
mod leave;
mod links;
mod names;
mod payload;
mod publish;
mod queue;
mod shape;
mod slab;
mod subscribe;
mod timers;
mod topic;
mod turns;
mod waiting;

#[cfg(test)]
mod tests;

pub(crate) use consumer::Open;
pub(crate) use effects::Effects;
pub(crate) use links::LinkId;
pub(crate) use publish::Attempt;
pub use queue::QueueStats;
pub(crate) use slab::ConsumerId;
pub(crate) use waiting::Ticket;

use crate::settings::Settings;
use alarm::Alarm;
use consumer::Consumer;
use exchange::Exchange;
use hearken_core::message::Message;
use hearken_core::time::Timestamp;
use links::Links;
use queue::Queue;
use slab::{QueueId, Slab};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use timers::{Timer, Timers};
use tokio::time::Instant;
use waiting::WaitingRoom;

/// The queue that takes what would otherwise be lost: delayed copies whose queue was deleted meanwhile, and expired
/// messages whose dead letter queue was. Declared when it is first needed.
pub const ORPHANS: &str = "hearken.orphans";

/// Everything a broker knows.
pub(crate) struct State {
    settings: Settings,
    started: (Instant, Timestamp),
    /// Names of queues, and of deleted ones that delayed copies still wait for.
    names: HashMap<Arc<str>, QueueId>,
    queues: Slab<QueueId, Queue>,
    exchanges: HashMap<Arc<str>, Exchange>,
    default_exchange: Arc<str>,
    consumers: Slab<ConsumerId, Consumer>,
    links: Links,
    timers: Timers,
    waiting: WaitingRoom,
    alarm: Alarm,
    sequence: u64,
    /// How many temporary queues were named.
    named: u64,
    effects: Effects,
    /// Queues with more room than before, for the publishes that wait.
    freed: VecDeque<QueueId>,
    routes: Vec<QueueId>,
}

impl State {
    pub(crate) fn new(settings: Settings, now: Instant, wall: Timestamp) -> Self {
        Self {
            started: (now, settings.started_at.unwrap_or(wall)),
            settings,
            names: HashMap::new(),
            queues: Slab::new(),
            exchanges: HashMap::new(),
            default_exchange: "".into(),
            consumers: Slab::new(),
            links: Links::default(),
            timers: Timers::default(),
            waiting: WaitingRoom::default(),
            alarm: Alarm::default(),
            sequence: 0,
            named: 0,
            effects: Effects::default(),
            freed: VecDeque::new(),
            routes: Vec::new(),
        }
    }

    /// Does whatever is due at `now`, in order.
    pub(crate) fn advance(&mut self, now: Instant) {
        while let Some((sequence, timer)) = self.timers.pop(now) {
            match timer {
                Timer::Arrive { queue, payload } => self.arrive_delayed(queue, payload, now),
                Timer::Expire { queue } => self.expire_ready(queue, sequence, now),
            }
        }
    }

    /// Lets waiting publishes in where the step made room, and returns what is to be done outside.
    pub(crate) fn finish(&mut self, now: Instant) -> Effects {
        while let Some(queue) = self.freed.pop_front() {
            self.admit_waiting(queue, now);
        }
        std::mem::take(&mut self.effects)
    }

    pub(crate) fn timers(&mut self) -> &mut Timers {
        &mut self.timers
    }

    /// The counts of a queue.
    pub(crate) fn stats(&self, name: &str) -> Option<QueueStats> {
        self.find(name).and_then(|id| self.queues.get(id)).map(Queue::stats)
    }

    /// The ready messages of a queue, in order.
    pub(crate) fn peek(&self, name: &str) -> Vec<Message> {
        let queue = self.find(name).and_then(|id| self.queues.get(id));
        queue.map_or_else(Vec::new, |queue| {
            queue.lane.iter().map(|entry| entry.payload.message.clone()).collect()
        })
    }

    /// The names of all queues, in no order.
    pub(crate) fn queue_names(&self) -> Vec<String> {
        self.queues.values().filter(|queue| queue.exists).map(|queue| queue.name.to_string()).collect()
    }

    pub(crate) fn find(&self, name: &str) -> Option<QueueId> {
        self.names.get(name).copied().filter(|id| self.queues.get(*id).is_some_and(|queue| queue.exists))
    }

    fn next_sequence(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    fn wall_clock(&self, now: Instant) -> Timestamp {
        let (started, wall) = self.started;
        wall.saturating_add(now.saturating_duration_since(started))
    }
}

/// The point in time `wait` after `now`, or one that nobody will see.
fn later(now: Instant, wait: Duration) -> Instant {
    const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 3600);
    now.checked_add(wait).unwrap_or_else(|| now + FAR)
}
