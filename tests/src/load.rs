//! Publishes numbered messages past hearken, and enters into a ledger what the broker confirmed.

use crate::ledger::Ledger;
use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use lapin::{BasicProperties, Channel, Confirmation, Connection, ConnectionProperties};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;

/// How many messages are on their way at once.
const BATCH: u64 = 50;
/// A confirm that takes longer will not come; a busy disk may well take ten seconds.
const CONFIRM: Duration = Duration::from_secs(30);

/// Where messages go, and the next number.
#[derive(Clone)]
pub struct Load {
    url: String,
    queue: String,
    size: usize,
    ledger: Ledger,
    next: Arc<AtomicU64>,
}

impl Load {
    /// Messages of this many bytes for `queue`.
    pub fn new(url: &str, queue: &str, size: usize, ledger: Ledger) -> Self {
        let next = Arc::new(AtomicU64::new(1));
        Self { url: url.to_owned(), queue: queue.to_owned(), size, ledger, next }
    }

    /// Publishes so many; what is not confirmed is made up for by others.
    ///
    /// # Panics
    /// When the broker does not answer.
    pub async fn send(&self, count: u64) {
        let connection = Connection::connect(&self.url, ConnectionProperties::default()).await;
        let connection = connection.unwrap_or_else(|error| panic!("no broker to publish to: {error}"));
        let channel = confirming(&connection).await.unwrap_or_else(|error| panic!("{error}"));
        let mut left = count;
        while left > 0 {
            let batch = self.batch(&channel, left.min(BATCH)).await;
            left -= batch.unwrap_or_else(|error| panic!("{left} of {count} not published: {error}"));
        }
        let _ = connection.close(200, "OK".into()).await;
    }

    /// Publishes so many a second until it is stopped, whatever happens to the broker.
    pub fn run(&self, per_second: u64) -> Flowing {
        let (stop, stopped) = watch::channel(false);
        let load = self.clone();
        Flowing { stop, task: tokio::spawn(async move { load.flow(per_second, stopped).await }) }
    }

    async fn flow(&self, per_second: u64, stopped: watch::Receiver<bool>) {
        const TICKS: u64 = 20;
        let mut tick = tokio::time::interval(Duration::from_millis(1_000 / TICKS));
        tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
        while !*stopped.borrow() {
            tick.tick().await;
            let connecting = Connection::connect(&self.url, ConnectionProperties::default());
            let Ok(Ok(connection)) = tokio::time::timeout(CONFIRM, connecting).await else { continue };
            if let Ok(channel) = confirming(&connection).await {
                while !*stopped.borrow() && self.batch(&channel, per_second / TICKS).await.is_ok() {
                    tick.tick().await;
                }
            }
            let _ = tokio::time::timeout(CONFIRM, connection.close(200, "OK".into())).await;
        }
    }

    /// Publishes `count` at once, and tells how many were confirmed and not returned.
    async fn batch(&self, channel: &Channel, count: u64) -> lapin::Result<u64> {
        let mut confirms = Vec::new();
        for _ in 0..count.max(1) {
            let id = self.next.fetch_add(1, Ordering::Relaxed);
            self.ledger.attempted(id);
            let properties =
                BasicProperties::default().with_message_id(id.to_string().into()).with_delivery_mode(2);
            let options = BasicPublishOptions { mandatory: true, ..Default::default() };
            let body = vec![b'x'; self.size];
            let sent =
                channel.basic_publish("".into(), self.queue.as_str().into(), options, &body, properties);
            confirms.push((id, sent.await?));
        }
        let mut confirmed = 0;
        for (id, confirm) in confirms {
            let timeout = |_| std::io::Error::from(std::io::ErrorKind::TimedOut);
            let confirm = tokio::time::timeout(CONFIRM, confirm).await.map_err(timeout)??;
            if confirm == Confirmation::Ack(None) {
                self.ledger.published(id);
                confirmed += 1;
            }
        }
        Ok(confirmed)
    }
}

async fn confirming(connection: &Connection) -> lapin::Result<Channel> {
    let channel = connection.create_channel().await?;
    channel.confirm_select(ConfirmSelectOptions::default()).await?;
    Ok(channel)
}

/// A load that goes on.
pub struct Flowing {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Flowing {
    /// Stops it: no more messages after this.
    ///
    /// # Panics
    /// When it does not stop.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        let ended = tokio::time::timeout(3 * CONFIRM, self.task).await;
        assert!(matches!(ended, Ok(Ok(()))), "the load does not stop");
    }
}
