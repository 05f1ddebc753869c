//! What one handler call can see.

use crate::delivery::Origin;
use crate::history::History;
use crate::message::Message;
use crate::session::Session;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

/// Values shared with handlers, one per type.
#[derive(Default)]
pub struct States {
    values: HashMap<TypeId, Box<dyn Any + Send + Sync>>,
}

impl States {
    /// Adds a value; an older one of the same type is replaced and returned.
    pub fn insert<T: Send + Sync + 'static>(&mut self, value: T) -> Option<T> {
        self.values
            .insert(TypeId::of::<T>(), Box::new(value))
            .and_then(|old| old.downcast().ok())
            .map(|old| *old)
    }

    /// The value of this type.
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.values.get(&TypeId::of::<T>()).and_then(|value| value.downcast_ref())
    }

    /// Whether there is a value of this type.
    pub fn contains(&self, id: TypeId) -> bool {
        self.values.contains_key(&id)
    }
}

impl std::fmt::Debug for States {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("States").field("len", &self.values.len()).finish()
    }
}

/// What a handler's arguments are taken from: one message, one attempt.
#[derive(Debug)]
pub struct Call {
    /// The listener's id.
    pub listener: Arc<str>,
    /// The message.
    pub message: Message,
    /// Where it came from.
    pub origin: Origin,
    /// The number of this call for this message; the first is 1.
    pub attempt: u64,
    /// Earlier attempts, if there were any.
    pub history: Option<History>,
    /// Whether a handler may have seen this message before: an attempt failed, or the broker handed it out already.
    pub redelivered: bool,
    /// How many redeliveries the policy allows; `None` without limit.
    pub maximum_redeliveries: Option<u64>,
    /// Publishes inside this call.
    pub session: Session,
    /// Values shared with handlers.
    pub states: Arc<States>,
}
