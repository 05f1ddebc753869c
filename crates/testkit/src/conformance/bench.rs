use crate::{Journal, RecordingTransactions, RecordingTransport};
use hearken_container::{Builder, Running};
use hearken_core::BoxFuture;
use hearken_core::call::Call;
use hearken_core::failure::Failure;
use hearken_core::listener::{Handler, Listener, ListenerDescriptor, Requirements};
use hearken_core::message::Message;
use hearken_core::outcome::Outcome;
use hearken_core::session::Destination;
use hearken_core::transport::{Link, Outgoing, Plan, Transport};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A transport under test.
pub struct Rig {
    /// The transport.
    pub transport: Arc<dyn Transport>,
    /// Settings every scenario starts with: `("container.…", "…")`.
    pub settings: Vec<(String, String)>,
    /// How late a delay may be: zero in virtual time.
    pub tolerance: Duration,
}

/// What a scenario's handler does with one message.
pub type Step = Box<dyn for<'a> Fn(&'a Call) -> BoxFuture<'a, Outcome> + Send + Sync>;

/// One application under test: the listener `probe` on a queue of its own, the listener `collector` on its dead letter
/// queue, and a journal of all that happened.
pub struct Bench {
    /// What happened.
    pub journal: Journal,
    /// The transaction manager of `probe`.
    pub transactions: RecordingTransactions,
    /// The queue of `probe`.
    pub queue: String,
    /// Its dead letter queue.
    pub dead: String,
    letters: Arc<Mutex<Vec<Message>>>,
    /// Past the journal: what a scenario sends is none of the application's doing.
    link: Arc<dyn Link>,
    rig: Arc<Rig>,
    settings: Vec<(String, String)>,
    step: Arc<Step>,
    running: Option<Running>,
}

/// Shared with the two handlers.
#[derive(Clone)]
struct Shared {
    journal: Journal,
    step: Arc<Step>,
    letters: Arc<Mutex<Vec<Message>>>,
}

fn probe(call: &Call) -> BoxFuture<'_, Outcome> {
    Box::pin(async move {
        let Some(shared) = call.states.get::<Shared>() else {
            return Failure::from("the bench shares no state").into();
        };
        shared.journal.write(format!(
            "call {} {}",
            String::from_utf8_lossy(call.message.body()),
            call.attempt
        ));
        (shared.step)(call).await
    })
}

fn collector(call: &Call) -> BoxFuture<'_, Outcome> {
    Box::pin(async move {
        if let Some(shared) = call.states.get::<Shared>() {
            shared.letters.lock().unwrap_or_else(PoisonError::into_inner).push(call.message.clone());
            shared.journal.write(format!("dead {}", String::from_utf8_lossy(call.message.body())));
        }
        Outcome::Acknowledge
    })
}

fn needs_nothing(_: &mut Requirements) {}

macro_rules! listener {
    ($name:ident) => {
        #[allow(non_camel_case_types)]
        pub(super) struct $name {}

        impl Listener for $name {
            fn descriptor() -> &'static ListenerDescriptor {
                static DESCRIPTOR: ListenerDescriptor = ListenerDescriptor {
                    id: stringify!($name),
                    function: stringify!($name),
                    module_path: module_path!(),
                    file: file!(),
                    line: line!(),
                    column: column!(),
                    description: "",
                    core_version: hearken_core::VERSION,
                    options: &[],
                    requirements: needs_nothing,
                    handler: Handler::Async(super::$name),
                };
                &DESCRIPTOR
            }
        }
    };
}

mod listeners {
    use super::*;
    listener!(probe);
    listener!(collector);
}

impl Bench {
    /// Starts the application with these settings of `probe` (`("prefetch", "10")`; a full path for other tables).
    pub async fn start(
        rig: Rig,
        settings: &[(&str, &str)],
        step: impl for<'a> Fn(&'a Call) -> BoxFuture<'a, Outcome> + Send + Sync + 'static,
    ) -> Self {
        let journal = Journal::default();
        let link = rig.transport.connect(&Plan::default()).await.unwrap_or_else(|error| panic!("{error}"));
        let mut bench = Self {
            transactions: RecordingTransactions::new(journal.clone()),
            journal,
            queue: unique("probe"),
            dead: unique("dead"),
            letters: Arc::default(),
            link,
            rig: Arc::new(rig),
            settings: settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
            step: Arc::new(Box::new(step)),
            running: None,
        };
        bench.restart().await;
        bench
    }

    /// Stops the application, if it runs, and starts it again.
    pub async fn restart(&mut self) {
        self.stop().await;
        let transport = RecordingTransport::new(Arc::clone(&self.rig.transport), self.journal.clone());
        let mut builder = Builder::new(&[])
            .listen::<listeners::probe>()
            .listen::<listeners::collector>()
            .transport(Arc::new(transport))
            .transaction_manager("recording", self.transactions.clone())
            .state(Shared {
                journal: self.journal.clone(),
                step: Arc::clone(&self.step),
                letters: Arc::clone(&self.letters),
            })
            .set("listeners.probe.queue", self.queue.as_str())
            .set("listeners.probe.transactionManager", "recording")
            .set("listeners.collector.queue", self.dead.as_str())
            .set("listeners.collector.deadLetterStrategy", "discarding");
        // A queue is named for the strategy `shared` only.
        if self.settings.iter().all(|(key, _)| key != "deadLetterStrategy") {
            builder = builder.set("listeners.probe.deadLetter", self.dead.as_str());
        }
        for (key, value) in self.rig.settings.iter().chain(&self.settings) {
            let path = if key.contains('.') { key.clone() } else { format!("listeners.probe.{key}") };
            builder = builder.set(path, value.as_str());
        }
        let application = builder.build().unwrap_or_else(|error| panic!("{error}"));
        self.running = Some(application.start().await.unwrap_or_else(|error| panic!("{error}")));
    }

    /// Stops the application in order.
    pub async fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop().await;
        }
    }

    /// The running application.
    ///
    /// # Panics
    /// When it was stopped.
    pub fn running(&self) -> &Running {
        let Some(running) = &self.running else { panic!("the application was stopped") };
        running
    }

    /// Sends messages with these bodies to `probe`, in order.
    pub async fn send(&self, bodies: &[&str]) {
        for body in bodies {
            self.send_message(Message::new((*body).to_owned())).await;
        }
    }

    /// Sends one message to `probe`.
    pub async fn send_message(&self, message: Message) {
        let sent = self.link.publish(Outgoing::new(Destination::queue(self.queue.as_str()), message)).await;
        sent.unwrap_or_else(|error| panic!("{error}"));
    }

    /// The dead letters, in order of arrival.
    pub fn letters(&self) -> Vec<Message> {
        self.letters.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How late a delay may be.
    pub fn tolerance(&self) -> Duration {
        self.rig.tolerance
    }

    /// Ends the scenario: stops the listeners and deletes the queues.
    pub async fn end(mut self) {
        if self.running.is_none() {
            self.restart().await;
        }
        if let Some(mut running) = self.running.take() {
            running.stop_listeners().await;
            for queue in [&self.queue, &self.dead] {
                let deleted = running.delete_queue(queue).await;
                deleted.unwrap_or_else(|error| panic!("{error}"));
            }
            running.stop().await;
        }
        self.link.close().await;
    }
}

/// A queue name that no other test uses.
pub(super) fn unique(name: &str) -> String {
    format!("test.{name}.{}", uuid::Uuid::new_v4().simple())
}
