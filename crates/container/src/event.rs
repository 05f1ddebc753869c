//! What happens to listeners, as it happens.

use crate::concurrency::Concurrency;
use crate::state::ListenerState;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast;

/// How many events a subscriber may lag behind before it misses some.
const CAPACITY: usize = 1024;

/// Something that happened to a listener.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// The listener's id.
    pub listener: Arc<str>,
    /// What happened.
    pub kind: EventKind,
}

/// What can happen to a listener or to one of its messages.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EventKind {
    /// The listener's state is another one.
    StateChanged {
        /// What it was.
        from: ListenerState,
        /// What it is.
        to: ListenerState,
    },
    /// A consumer was opened.
    ConsumerStarted,
    /// The broker ended a consumer: its queue was deleted or moved, or a delivery stayed unacknowledged too long.
    ConsumerCancelled {
        /// The broker's word.
        reason: String,
    },
    /// The queue does not exist.
    QueueMissing {
        /// Its name.
        queue: String,
    },
    /// The last consumer is gone; the container tries to get one back.
    Recovering,
    /// There is a consumer again.
    Recovered,
    /// The number of invokers that the container keeps is another one.
    Scaled {
        /// What it was.
        from: u32,
        /// What it is.
        to: u32,
    },
    /// The bounds of the number of invokers were changed.
    Rescaled {
        /// The new bounds.
        concurrency: Concurrency,
    },
    /// No invoker has anything to do: one `receiveTimeout` passed without a message.
    Idle,
    /// The broker takes no messages for now, because of an alarm. Consuming goes on.
    Blocked {
        /// The broker's word.
        reason: String,
    },
    /// The broker takes messages again.
    Unblocked,
    /// The listener consumes, but something is wrong.
    Degraded {
        /// What is wrong.
        reason: String,
    },
    /// The container has given the listener up.
    Failed {
        /// Why.
        reason: String,
    },
    /// A message has used up its redeliveries.
    Exhausted {
        /// The message's id.
        message: Option<String>,
        /// How many attempts failed.
        attempts: u64,
    },
    /// A dead letter is in its queue, confirmed.
    DeadLettered {
        /// The message's id.
        message: Option<String>,
        /// The dead letter queue.
        queue: String,
        /// How many attempts failed.
        attempts: u64,
    },
    /// The policy dropped a message: by a rule, or because its redeliveries are used up.
    Discarded {
        /// The message's id.
        message: Option<String>,
        /// How many attempts failed.
        attempts: u64,
    },
    /// A rule of the redelivery policy pauses the listener.
    CircuitOpened {
        /// What failed.
        reason: String,
        /// For how long.
        pause: Duration,
    },
    /// That pause has passed: one message is tried.
    CircuitHalfOpened,
    /// The message did not fail in that way: the listener goes on as before.
    CircuitClosed,
    /// The listener has another redelivery policy.
    RedeliveryChanged {
        /// Its name.
        policy: String,
    },
    /// At the start of a listener: a message that ends the process each time is handed out again without end, since
    /// nothing counts or takes it aside.
    CrashLoopsUnbounded {
        /// Why.
        reason: String,
    },
    /// A message may have ended the process more than once: it goes to the listener's suspect queue, where it is
    /// handled alone.
    Suspect {
        /// The message's id.
        message: Option<String>,
        /// How often the broker had to take it back.
        delivery_count: u64,
    },
}

/// Hands events to whoever subscribed. Without a subscriber an event costs nothing.
#[derive(Clone, Debug)]
pub(crate) struct EventSender(broadcast::Sender<Event>);

impl EventSender {
    pub(crate) fn new() -> Self {
        Self(broadcast::Sender::new(CAPACITY))
    }

    pub(crate) fn send(&self, listener: &Arc<str>, kind: impl FnOnce() -> EventKind) {
        if self.0.receiver_count() > 0 {
            let _ = self.0.send(Event { listener: Arc::clone(listener), kind: kind() });
        }
    }

    pub(crate) fn subscribe(&self) -> Events {
        Events { receiver: self.0.subscribe(), missed: 0 }
    }
}

/// A subscription to the events of all listeners, from the moment it was made.
#[derive(Debug)]
pub struct Events {
    receiver: broadcast::Receiver<Event>,
    missed: u64,
}

impl Events {
    /// The next event; `None` once the application is gone. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            match self.receiver.recv().await {
                Ok(event) => return Some(event),
                Err(broadcast::error::RecvError::Lagged(missed)) => self.missed += missed,
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }

    /// How many events were missed because this subscriber was more than 1,024 behind.
    pub fn missed(&self) -> u64 {
        self.missed
    }
}
