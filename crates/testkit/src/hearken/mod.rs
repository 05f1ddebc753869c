//! An application under test.

mod attempt;
mod blocking;
mod clock;
mod idle;
mod message;
mod published;
mod record;
mod story;
mod transport;

pub use attempt::{TestAttempt, TestOutcome};
pub use message::TestMessage;
pub use published::Published;

use blocking::Realtime;
use hearken_container::{Builder, Error, Handle, Observer, Running, StopReport};
use hearken_core::message::{Encode, Message};
use hearken_core::session::Destination;
use hearken_core::transport::Outgoing;
use hearken_embedded::{Broker, EmbeddedTransport};
use idle::Limits;
use record::Record;
use std::sync::Arc;
use std::time::Duration;
use transport::Watched;

/// An application on an embedded broker of its own, in virtual time. See the [crate](crate) for a guide.
///
/// It shares nothing with another one but the statics of the program.
pub struct TestHearken {
    running: Running,
    broker: Broker,
    record: Arc<Record>,
    limits: Limits,
}

impl TestHearken {
    /// Starts the application of this builder: its listeners, state and settings, with the embedded broker in the place
    /// of its transport, and without the environment variables and the profile that would make a test depend on where it
    /// runs. State that was given twice is the last one given: so a test puts doubles into the builder of its
    /// service.
    ///
    /// The clock must be paused from the beginning: `#[tokio::test(start_paused = true)]`.
    ///
    /// # Errors
    /// As `Builder::build` and `Application::start`: everything that is wrong with settings, listeners and their needs;
    /// and a clock that is not paused.
    pub async fn start(builder: Builder) -> Result<Self, Error> {
        clock::must_be_paused().map_err(Error::Transport)?;
        let broker = Broker::default();
        let record = Arc::new(Record::new(Realtime::new(builder.descriptors())));
        let transport =
            Watched { inner: EmbeddedTransport::new(broker.clone()), record: Arc::clone(&record) };
        let observer: Arc<dyn Observer> = Arc::<Record>::clone(&record);
        let builder = builder.without_environment().transport(Arc::new(transport)).observer(observer);
        let running = builder.build()?.start().await?;
        Ok(Self { running, broker, record, limits: Limits::default() })
    }

    /// How much virtual time, and how many handler calls, one [`until_idle`](Self::until_idle) may take: 7 days and
    /// 10,000 calls unless set.
    #[must_use]
    pub fn with_limits(mut self, time: Duration, calls: u64) -> Self {
        self.limits = Limits { time, calls };
        self
    }

    /// Sends a message to a queue (a name) or an exchange (`Destination::exchange`). A message without an id is given
    /// one: `test-1`, `test-2` and so on. Messages of one id share one story.
    ///
    /// # Panics
    /// When the payload cannot be encoded, or the broker does not take the message: no listener consumes the queue.
    pub async fn send(&self, destination: impl Into<Destination>, payload: impl Encode) -> TestMessage {
        let destination = destination.into();
        let message = match payload.encode() {
            Ok(message) => message,
            Err(error) => panic!("{error}"),
        };
        let mut outgoing = Outgoing::new(destination.clone(), message);
        self.record.name(&mut outgoing);
        self.record.expect(&outgoing);
        let Outgoing { ref message, .. } = outgoing;
        if let Err(error) = self.running.publisher().send(destination.clone(), AsIs(message)).await {
            self.record.forget(&outgoing);
            let queues = self.broker.queues().join(", ");
            panic!("{error}; the queues are {queues}");
        }
        let id = outgoing.message.id().map(Arc::from);
        let queue = destination.exchange.is_empty().then_some(destination.routing_key);
        TestMessage::new(Arc::clone(&self.record), id, queue)
    }

    /// The message of this id, in whatever queue: one that a listener sent to another one, for example.
    pub fn message(&self, id: &str) -> TestMessage {
        TestMessage::new(Arc::clone(&self.record), Some(id.into()), None)
    }

    /// Everything that listeners, or the publisher of the application, have published, in order; not what the test sent,
    /// and no dead letters. What no queue here takes counts as published too: it is for other services.
    pub fn published(&self) -> Vec<Published> {
        self.record.all_published()
    }

    /// The same, of one queue or routing key.
    pub fn published_to(&self, routing_key: &str) -> Vec<Published> {
        let mut published = self.published();
        published.retain(|published| published.routing_key() == routing_key);
        published
    }

    /// All dead letters that listeners wrote, in order, also those that another listener has taken up since.
    pub fn dead_letters(&self) -> Vec<Published> {
        self.record.all_dead_letters()
    }

    /// Lets this much virtual time pass: to look at something in the middle, such as an open circuit breaker.
    pub async fn run_for(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    /// Steers the listeners: state, pause, resume, scale, policies, events.
    pub fn handle(&self) -> Handle {
        self.running.handle()
    }

    /// The broker: to look into queues, to cut its links, to raise alarms.
    pub fn broker(&self) -> &Broker {
        &self.broker
    }

    /// Stops the listeners in order. A test need not.
    pub async fn stop(self) -> StopReport {
        self.running.stop().await
    }
}

/// A message that is encoded already.
struct AsIs<'a>(&'a Message);

impl Encode for AsIs<'_> {
    fn encode(&self) -> Result<Message, hearken_core::message::EncodeError> {
        Ok(self.0.clone())
    }
}
