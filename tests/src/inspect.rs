//! Looks into a broker past hearken.

use lapin::options::{BasicGetOptions, QueueDeclareOptions};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{Channel, Connection, ConnectionProperties};

/// A connection with a channel.
pub struct Inspector {
    connection: Connection,
    channel: Channel,
}

/// What a broker says of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depth {
    /// The messages that wait.
    pub ready: u32,
    /// The consumers.
    pub consumers: u32,
}

impl Inspector {
    /// Connects.
    ///
    /// # Panics
    /// Without a broker.
    pub async fn connect(url: &str) -> Self {
        let opening = async {
            let connection = Connection::connect(url, ConnectionProperties::default()).await?;
            let channel = connection.create_channel().await?;
            lapin::Result::Ok(Self { connection, channel })
        };
        opening.await.unwrap_or_else(|error| panic!("no broker to look into: {error}"))
    }

    /// The channel, for what has no word here.
    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    /// Declares a durable quorum queue.
    ///
    /// # Panics
    /// When the broker refuses.
    pub async fn declare(&self, queue: &str) {
        let options = QueueDeclareOptions { durable: true, ..Default::default() };
        let mut arguments = FieldTable::default();
        arguments.insert("x-queue-type".into(), AMQPValue::LongString("quorum".into()));
        let declared = self.channel.queue_declare(queue.into(), options, arguments).await;
        declared.unwrap_or_else(|error| panic!("{queue}: {error}"));
    }

    /// The depth of an existing queue.
    ///
    /// # Panics
    /// When there is no such queue.
    pub async fn depth(&self, queue: &str) -> Depth {
        let options = QueueDeclareOptions { passive: true, ..Default::default() };
        let declared = self.channel.queue_declare(queue.into(), options, FieldTable::default()).await;
        let declared = declared.unwrap_or_else(|error| panic!("{queue}: {error}"));
        Depth { ready: declared.message_count(), consumers: declared.consumer_count() }
    }

    /// The depth of a queue, if there is one.
    ///
    /// # Panics
    /// Without a broker.
    pub async fn find(&self, queue: &str) -> Option<Depth> {
        // A channel of its own, which ends with the refusal.
        let channel = self.connection.create_channel().await;
        let channel = channel.unwrap_or_else(|error| panic!("{queue}: {error}"));
        let options = QueueDeclareOptions { passive: true, ..Default::default() };
        let declared = channel.queue_declare(queue.into(), options, FieldTable::default()).await.ok()?;
        let _ = channel.close(200, "OK".into()).await;
        Some(Depth { ready: declared.message_count(), consumers: declared.consumer_count() })
    }

    /// Takes everything out of a queue and returns the ids of the messages.
    ///
    /// # Panics
    /// When there is no such queue, or a message without an id.
    pub async fn drain(&self, queue: &str) -> Vec<u64> {
        let mut ids = Vec::new();
        while let Some(message) = self.get(queue).await {
            let id = message.properties.message_id().as_ref().and_then(|id| id.as_str().parse().ok());
            ids.push(id.unwrap_or_else(|| panic!("{queue}: no id in {:?}", message.properties)));
        }
        ids
    }

    /// Takes one message out of a queue.
    ///
    /// # Panics
    /// When there is no such queue.
    pub async fn get(&self, queue: &str) -> Option<lapin::message::Delivery> {
        let got = self.channel.basic_get(queue.into(), BasicGetOptions { no_ack: true }).await;
        got.unwrap_or_else(|error| panic!("{queue}: {error}")).map(|message| message.delivery)
    }

    /// Disconnects.
    pub async fn close(self) {
        let _ = self.connection.close(200, "OK".into()).await;
    }
}
