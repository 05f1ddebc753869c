//! The RabbitMQ that `scripts/test` starts, and what tests leave behind on it: nothing.

use hearken_rabbitmq::{Settings, Url};
use lapin::options::{ExchangeDeleteOptions, QueueDeleteOptions};
use lapin::types::ShortString;
use lapin::{Connection, ConnectionProperties};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

pub(crate) fn from_environment(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("no RabbitMQ: run scripts/test ({name} is not set)"))
}

/// The URL of the node.
pub fn amqp_url() -> String {
    from_environment("HEARKEN_TEST_AMQP_URL")
}

/// Its URL with TLS.
pub fn amqps_url() -> String {
    from_environment("HEARKEN_TEST_AMQPS_URL")
}

/// The certificate authority behind [`amqps_url`].
pub fn amqps_ca() -> PathBuf {
    from_environment("HEARKEN_TEST_AMQPS_CA").into()
}

/// Host and port of [`amqp_url`].
pub fn amqp_address() -> String {
    amqp_url().parse::<Url>().unwrap_or_else(|error| panic!("{error}")).authority()
}

/// [`amqp_url`] with this in the place of host and port, such as a proxy.
pub fn amqp_url_at(authority: &str) -> String {
    amqp_url().replace(&amqp_address(), authority)
}

/// A name that no other test uses.
pub fn unique(name: &str) -> String {
    format!("test.{name}.{}", uuid::Uuid::new_v4().simple())
}

/// A connection past hearken, to look at the broker or to disturb it.
///
/// # Panics
/// Without a broker.
pub async fn lapin() -> Connection {
    let url = amqp_url();
    let connecting = Connection::connect(&url, ConnectionProperties::default());
    connecting.await.unwrap_or_else(|error| panic!("no RabbitMQ: run scripts/test ({error})"))
}

/// Deletes queues and exchanges when it is dropped, also when the test failed.
#[derive(Default)]
pub struct Guard {
    queues: Mutex<Vec<String>>,
    exchanges: Mutex<Vec<String>>,
}

impl Guard {
    /// A guard over nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A unique queue name to be cleaned up.
    pub fn queue(&self, name: &str) -> String {
        self.keep_queue(unique(name))
    }

    /// A unique exchange name to be cleaned up.
    pub fn exchange(&self, name: &str) -> String {
        let name = unique(name);
        push(&self.exchanges, name.clone());
        name
    }

    /// A queue of this very name is to be cleaned up.
    pub fn keep_queue(&self, name: String) -> String {
        push(&self.queues, name.clone());
        name
    }

    /// A unique application name; hearken's own objects for it are to be cleaned up.
    pub fn application(&self, name: &str) -> String {
        let application = unique(name);
        let prefix = format!("hearken.v1.{application}");
        for level in 0..14 {
            push(&self.queues, format!("{prefix}.l{level:02}"));
            push(&self.exchanges, format!("{prefix}.l{level:02}"));
        }
        push(&self.queues, format!("{prefix}.orphans"));
        push(&self.exchanges, format!("{prefix}.orphans"));
        push(&self.exchanges, format!("{prefix}.deliver"));
        application
    }

    /// Settings for the node and a guarded application.
    pub fn settings(&self) -> Settings {
        let url = amqp_url().parse().unwrap_or_else(|error| panic!("{error}"));
        Settings::new(url, self.application("app"))
    }
}

fn push(names: &Mutex<Vec<String>>, name: String) {
    names.lock().unwrap_or_else(PoisonError::into_inner).push(name);
}

fn take(names: &Mutex<Vec<String>>) -> Vec<String> {
    std::mem::take(&mut names.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Drop for Guard {
    fn drop(&mut self) {
        let (queues, exchanges) = (take(&self.queues), take(&self.exchanges));
        // A thread of its own: a runtime may not be entered inside another.
        let cleaning = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(clean(queues, exchanges)).map_err(std::io::Error::other)
        });
        match cleaning.join() {
            Ok(Ok(())) => {}
            other => eprintln!("the broker was not cleaned up: {other:?}"),
        }
    }
}

async fn clean(queues: Vec<String>, exchanges: Vec<String>) -> lapin::Result<()> {
    let connection = Connection::connect(&amqp_url(), ConnectionProperties::default()).await?;
    let channel = connection.create_channel().await?;
    for name in queues.into_iter().filter_map(|name| ShortString::try_new(name).ok()) {
        channel.queue_delete(name, QueueDeleteOptions::default()).await?;
    }
    for name in exchanges.into_iter().filter_map(|name| ShortString::try_new(name).ok()) {
        channel.exchange_delete(name, ExchangeDeleteOptions::default()).await?;
    }
    connection.close(200, "OK".into()).await
}
