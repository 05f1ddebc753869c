//! Queues, exchanges and bindings: hearken's own, and those of the listeners.

mod arguments;
mod declared;
mod levels;
mod listener;
mod names;

pub(crate) use declared::Declared;
pub(crate) use levels::{declare_deliver, declare_levels};
pub(crate) use listener::{check, declare_temporary, prepare};
pub(crate) use names::Names;

use crate::error::{NOT_FOUND, broker_word, transport_error};
use crate::io::{timed_out, within};
use arguments::Arguments;
use hearken_core::transport::{TransportError, TransportErrorKind};
use lapin::options::{
    ExchangeBindOptions, ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions, QueueDeleteOptions,
};
use lapin::types::ShortString;
use lapin::{Channel, ExchangeKind};
use std::time::Duration;

/// Declares on a channel of its own, which the first refusal closes.
pub(crate) struct Declarer {
    channel: Channel,
    limit: Duration,
}

impl Declarer {
    pub(crate) fn new(channel: Channel, limit: Duration) -> Self {
        Self { channel, limit }
    }

    async fn queue(&self, name: &str, arguments: Arguments) -> Result<(), TransportError> {
        let options = QueueDeclareOptions { durable: true, ..QueueDeclareOptions::default() };
        self.declare(name, options, arguments).await.map(drop)
    }

    /// Returns the queue's name, which is the broker's choice where none was given.
    async fn declare(
        &self,
        name: &str,
        options: QueueDeclareOptions,
        arguments: Arguments,
    ) -> Result<String, TransportError> {
        let declaring = self.channel.queue_declare(short("queue", name)?, options, arguments.into());
        let queue = within(self.limit, &format!("declaring queue `{name}`"), declaring).await?;
        Ok(queue.name().as_str().to_owned())
    }

    /// Whether the queue is there, without a word about its arguments.
    pub(crate) async fn queue_exists(&self, name: &str) -> Result<(), TransportError> {
        let options = QueueDeclareOptions { passive: true, ..QueueDeclareOptions::default() };
        let asking = self.channel.queue_declare(short("queue", name)?, options, Arguments::default().into());
        within(self.limit, &format!("looking for queue `{name}`"), asking).await.map(drop)
    }

    async fn exchange(
        &self,
        name: &str,
        kind: ExchangeKind,
        arguments: Arguments,
    ) -> Result<(), TransportError> {
        let options = ExchangeDeclareOptions { durable: true, ..ExchangeDeclareOptions::default() };
        let declaring =
            self.channel.exchange_declare(short("exchange", name)?, kind, options, arguments.into());
        within(self.limit, &format!("declaring exchange `{name}`"), declaring).await
    }

    async fn bind(&self, queue: &str, exchange: &str, key: &str) -> Result<(), TransportError> {
        self.try_bind(queue, exchange, key)
            .await?
            .map_err(|error| transport_error(&binding_to(queue, exchange), &error))
    }

    /// Fine if the exchange does not exist.
    async fn bind_if_there(&self, queue: &str, exchange: &str, key: &str) -> Result<(), TransportError> {
        match self.try_bind(queue, exchange, key).await? {
            Err(error) if !matches!(broker_word(&error), Some((NOT_FOUND, _))) => {
                Err(transport_error(&binding_to(queue, exchange), &error))
            }
            _ => Ok(()),
        }
    }

    async fn try_bind(
        &self,
        queue: &str,
        exchange: &str,
        key: &str,
    ) -> Result<lapin::Result<()>, TransportError> {
        let binding = self.channel.queue_bind(
            short("queue", queue)?,
            short("exchange", exchange)?,
            short("routing key", key)?,
            QueueBindOptions::default(),
            Arguments::default().into(),
        );
        tokio::time::timeout(self.limit, binding)
            .await
            .map_err(|_| timed_out(&binding_to(queue, exchange), self.limit))
    }

    async fn bind_exchange(&self, to: &str, from: &str, key: &str) -> Result<(), TransportError> {
        let binding = self.channel.exchange_bind(
            short("exchange", to)?,
            short("exchange", from)?,
            short("routing key", key)?,
            ExchangeBindOptions::default(),
            Arguments::default().into(),
        );
        within(self.limit, &format!("binding exchange `{to}` to exchange `{from}`"), binding).await
    }

    /// Deletes a queue with what is in it.
    pub(crate) async fn delete(&self, name: &str) -> Result<(), TransportError> {
        let deleting = self.channel.queue_delete(short("queue", name)?, QueueDeleteOptions::default());
        match within(self.limit, &format!("deleting queue `{name}`"), deleting).await {
            Err(error) if *error.kind() == TransportErrorKind::QueueMissing => Ok(()),
            result => result.map(drop),
        }
    }

    pub(crate) async fn close(self) {
        let closing = self.channel.close(200, ShortString::from("OK"));
        if let Err(error) = tokio::time::timeout(self.limit, closing).await.unwrap_or(Ok(())) {
            let error = transport_error("closing a channel", &error);
            tracing::debug!(target: "hearken::rabbitmq", %error);
        }
    }
}

fn binding_to(queue: &str, exchange: &str) -> String {
    format!("binding queue `{queue}` to exchange `{exchange}`")
}

/// A name that AMQP can carry.
pub(crate) fn short(what: &str, name: &str) -> Result<ShortString, TransportError> {
    ShortString::try_new(name).map_err(|_| {
        let message =
            format!("the name of {what} `{name}` has {} bytes; AMQP carries at most 255", name.len());
        TransportError::new(TransportErrorKind::InvalidName, message)
    })
}
