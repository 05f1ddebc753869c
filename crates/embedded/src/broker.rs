use crate::publish::publish;
use crate::settings::Settings;
use crate::shared::Shared;
use crate::state::QueueStats;
use hearken_core::BoxFuture;
use hearken_core::message::Message;
use hearken_core::session::Publish;
use hearken_core::transport::{BindingKind, Outgoing, PublishError, TransportError, TransportErrorKind};
use std::fmt;
use std::sync::Arc;

/// An in-process broker. Cloning shares it; it ends, with all its messages, when the last clone, transport, link and
/// consumer is gone.
///
/// It can be made outside of a runtime. Its calls are short and never block but for a lock.
#[derive(Clone)]
pub struct Broker {
    shared: Arc<Shared>,
}

impl Broker {
    /// An empty broker with these limits.
    pub fn new(settings: Settings) -> Self {
        Self { shared: Arc::new(Shared::new(settings)) }
    }

    /// Makes sure that a queue exists. One that exists is left as it is.
    ///
    /// # Errors
    /// `InvalidName` for an empty name, one over 255 bytes, or one that begins with `amq.`.
    pub fn declare_queue(&self, name: &str) -> Result<(), TransportError> {
        self.shared.step(|state, _| state.declare_queue(name, None))
    }

    /// Makes sure that two queues exist, the second of which takes the expired messages of the first. An existing queue
    /// without a dead letter queue gets this one.
    ///
    /// # Errors
    /// `InvalidName` as for [`declare_queue`](Self::declare_queue); `ArgumentMismatch` if the queue has another dead
    /// letter queue already.
    pub fn declare_queue_with_dead_letters(
        &self,
        name: &str,
        dead_letter_queue: &str,
    ) -> Result<(), TransportError> {
        self.shared.step(|state, _| state.declare_queue(name, Some(dead_letter_queue)))
    }

    /// Makes sure that an exchange of this type exists.
    ///
    /// # Errors
    /// `InvalidName` as for [`declare_queue`](Self::declare_queue); `ArgumentMismatch` if it exists with another type.
    pub fn declare_exchange(&self, name: &str, kind: BindingKind) -> Result<(), TransportError> {
        self.shared.step(|state, _| state.declare_exchange(name, kind))
    }

    /// Binds a queue to an exchange with a key (direct), a pattern (topic) or anything (fanout). A second time changes
    /// nothing.
    ///
    /// # Errors
    /// `QueueMissing`; `Other` for a missing exchange; `InvalidName` for a key over 255 bytes.
    pub fn bind(&self, queue: &str, exchange: &str, key: &str) -> Result<(), TransportError> {
        self.shared.step(|state, _| state.bind(queue, exchange, key))
    }

    /// Deletes a queue with the messages in it, ready and unacknowledged, and ends its consumers. Returns whether it
    /// existed.
    ///
    /// Copies delayed for it stay: they arrive if it is declared again in time, and otherwise go to the queue
    /// [`ORPHANS`](crate::ORPHANS).
    pub fn delete_queue(&self, name: &str) -> bool {
        self.shared.step(|state, now| state.delete_queue(name, now))
    }

    /// Publishes a message into every queue it is routed to, or into none. While one of them is full it waits, at most
    /// for [`Settings::publish_timeout`], behind those that wait already. A relayed message is never refused for a
    /// limit, and loses its time to live and user id. Dropping the future publishes nothing, unless it was let in
    /// just then.
    ///
    /// # Errors
    /// `Returned` if no queue is bound for it; `Refused` if the exchange does not exist, if a queue stayed full, or if
    /// the message is larger than a whole queue; `Invalid` for a message or a name that is too long.
    pub async fn publish(&self, outgoing: Outgoing) -> Result<(), PublishError> {
        publish(Arc::clone(&self.shared), None, outgoing).await
    }

    /// How full a queue is; `None` if it does not exist.
    pub fn queue_depth(&self, name: &str) -> Option<QueueStats> {
        self.shared.step(|state, _| state.stats(name))
    }

    /// The ready messages of a queue, in order, as they were published; none if it does not exist. Looking changes
    /// nothing, and does not show what a consumer holds or what is delayed.
    pub fn peek(&self, queue: &str) -> Vec<Message> {
        self.shared.step(|state, _| state.peek(queue))
    }

    /// The names of all queues, sorted.
    pub fn queues(&self) -> Vec<String> {
        let mut names = self.shared.step(|state, _| state.queue_names());
        names.sort_unstable();
        names
    }

    /// For tests: cuts every open link. Their consumers yield an error and end, unsettled messages go back, publishes
    /// that wait on them fail as unknown, and [`Link::lost`](hearken_core::transport::Link::lost) resolves. New links
    /// can be opened at once.
    pub fn cut_links(&self) {
        self.shared.step(|state, now| {
            state.cut_links(now);
            self.shared.cuts().send_modify(|cuts| *cuts += 1);
        });
    }

    /// For tests: ends the consumers of a queue, as a broker does that moves it; what they had unsettled goes back.
    pub fn cancel_consumers(&self, queue: &str) {
        let text = format!("consumer cancelled: queue `{queue}`, as it was told to be");
        let error = || TransportError::new(TransportErrorKind::ConsumerCancelled, text.clone());
        self.shared.step(|state, now| state.end_consumers_of(queue, error, now));
    }

    /// For tests: ends the consumers of a queue, as a broker does when a delivery was held for too long; what they had
    /// unsettled goes back.
    pub fn time_out_consumers(&self, queue: &str) {
        let text = format!("a delivery of queue `{queue}` was held for too long, as it was told to be");
        let error = || TransportError::new(TransportErrorKind::ConsumerTimeout, text.clone());
        self.shared.step(|state, now| state.end_consumers_of(queue, error, now));
    }

    /// For tests: raises an alarm, or clears it by `None`. Publishes and redeliveries over links wait for its end, in
    /// order, and are refused after [`Settings::publish_timeout`]; links are told; consuming goes on, and
    /// [`publish`](Self::publish) here does too.
    pub fn alarm(&self, reason: Option<&str>) {
        self.shared.step(|state, now| state.set_alarm(reason.map(str::to_owned), now));
    }

    /// For tests: lets new links fail as unreachable, or succeed again. Open ones are not touched.
    pub fn refuse_connections(&self, refuse: bool) {
        self.shared.step(|state, _| state.refuse_connections(refuse));
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}

impl Default for Broker {
    fn default() -> Self {
        Self::new(Settings::default())
    }
}

impl Publish for Broker {
    fn publish(&self, outgoing: Outgoing) -> BoxFuture<'_, Result<(), PublishError>> {
        Box::pin(publish(Arc::clone(&self.shared), None, outgoing))
    }
}

impl fmt::Debug for Broker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Broker")
    }
}
