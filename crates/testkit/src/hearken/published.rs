use hearken_core::message::{HeaderValue, Message};
use hearken_core::session::Destination;
use hearken_core::transport::Outgoing;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// A message that left the application: published by a listener, or a dead letter.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    destination: Destination,
    message: Message,
    at: Duration,
}

impl Published {
    pub(super) fn new(outgoing: &Outgoing, at: Duration) -> Self {
        Self { destination: outgoing.destination.clone(), message: outgoing.message.clone(), at }
    }

    /// Where it was sent to.
    pub fn destination(&self) -> &Destination {
        &self.destination
    }

    /// The queue it was sent to, or the routing key if it was sent to an exchange.
    pub fn routing_key(&self) -> &str {
        &self.destination.routing_key
    }

    /// When, in virtual time since the start.
    pub fn at(&self) -> Duration {
        self.at
    }

    /// The message, as the broker has it.
    pub fn message(&self) -> &Message {
        &self.message
    }

    /// The body as text.
    ///
    /// # Panics
    /// If it is not UTF-8.
    #[track_caller]
    pub fn text(&self) -> &str {
        match std::str::from_utf8(self.message.body()) {
            Ok(text) => text,
            Err(error) => panic!("the body is no text: {error}: {:?}", self.message.body()),
        }
    }

    /// The body, decoded from JSON.
    ///
    /// # Panics
    /// If it is not the JSON of a `T`.
    #[track_caller]
    pub fn json<T: DeserializeOwned>(&self) -> T {
        match serde_json::from_slice(self.message.body()) {
            Ok(value) => value,
            Err(error) => {
                let body = String::from_utf8_lossy(self.message.body());
                panic!("the body is no JSON of a {}: {error}: {body}", std::any::type_name::<T>())
            }
        }
    }

    /// A header of text.
    ///
    /// # Panics
    /// If there is none, telling those that there are.
    #[track_caller]
    pub fn header(&self, name: &str) -> &str {
        self.value(name, HeaderValue::as_text, "a text")
    }

    /// A header that is an integer, such as `hearken-attempts`.
    ///
    /// # Panics
    /// If there is none, telling those that there are.
    #[track_caller]
    pub fn integer(&self, name: &str) -> i64 {
        self.value(name, HeaderValue::as_integer, "an integer")
    }

    #[track_caller]
    fn value<'a, T>(
        &'a self,
        name: &str,
        read: impl FnOnce(&'a HeaderValue) -> Option<T>,
        wanted: &str,
    ) -> T {
        let headers = self.message.headers();
        match headers.get(name).and_then(read) {
            Some(value) => value,
            None => {
                let all: Vec<_> =
                    headers.iter().map(|(name, value)| format!("  {name}: {value:?}")).collect();
                panic!("no header `{name}` that is {wanted}; the headers are\n{}", all.join("\n"))
            }
        }
    }
}
