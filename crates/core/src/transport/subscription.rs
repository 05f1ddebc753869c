use crate::redelivery::LinearWaits;

/// The type of a queue that is declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueType {
    /// Replicated, durable; RabbitMQ's recommended type.
    #[default]
    Quorum,
    /// On one node.
    Classic,
}

impl QueueType {
    /// The names in configuration and in `x-queue-type`.
    pub const NAMES: [&'static str; 2] = ["quorum", "classic"];

    /// The name in configuration and in `x-queue-type`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Quorum => "quorum",
            Self::Classic => "classic",
        }
    }

    /// The type of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Quorum, Self::Classic].into_iter().find(|kind| kind.as_str() == name)
    }
}

/// The type of the exchange that a queue is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingKind {
    /// Routes by equal key.
    Direct,
    /// Routes by pattern: `*` one word, `#` any number.
    Topic,
    /// Routes everything.
    Fanout,
}

impl BindingKind {
    /// AMQP's name of the exchange type.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Topic => "topic",
            Self::Fanout => "fanout",
        }
    }
}

/// Where a listener's queue takes its messages from, beside the default exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The exchange.
    pub exchange: String,
    /// Its type.
    pub kind: BindingKind,
    /// The routing key or pattern; empty for a fanout exchange.
    pub key: String,
}

/// How long a queue lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueueLifetime {
    /// Until somebody deletes it.
    #[default]
    Durable,
    /// Until its last consumer is gone. Declared anew at every subscription; never replicated.
    AutoDelete,
    /// As long as the link. The broker names it, at every subscription anew; no other link sees it.
    Temporary,
}

/// What a consumer is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Subscription {
    /// The listener's id.
    pub listener: String,
    /// The queue to consume from; empty for a temporary queue, which the broker names.
    pub queue: String,
    /// How long the queue lives.
    pub lifetime: QueueLifetime,
    /// The type to declare it with.
    pub queue_type: QueueType,
    /// Binds the queue to an exchange.
    pub binding: Option<Binding>,
    /// The queue that dead letters of this listener are written to, and the target of whatever the broker itself would
    /// drop (expiry, limits).
    pub dead_letter_queue: Option<String>,
    /// The type to declare the dead letter queue with; `None` if it is another listener's queue, declared by that one.
    pub dead_letter_queue_type: Option<QueueType>,
    /// How many unsettled deliveries the broker hands out ahead.
    pub prefetch: u16,
    /// Whether the queue is declared so that the broker serves one consumer at a time (`x-single-active-consumer`).
    pub single_active: bool,
    /// Whether no other consumer is allowed beside this one.
    pub exclusive: bool,
    /// Consumers of higher priority are served first while they have room (`x-priority`); 0 if not given.
    pub priority: Option<i32>,
    /// How long the queue itself keeps back a delivery that was requeued as failed, by its own count
    /// (`x-delayed-retry-*`). `None`: not at all.
    pub delayed_retry: Option<LinearWaits>,
}

impl Subscription {
    /// A subscription to `queue` with nothing special about it: quorum, prefetch 50, no binding, no dead letter queue.
    pub fn new(listener: impl Into<String>, queue: impl Into<String>) -> Self {
        Self {
            listener: listener.into(),
            queue: queue.into(),
            lifetime: QueueLifetime::default(),
            queue_type: QueueType::default(),
            binding: None,
            dead_letter_queue: None,
            dead_letter_queue_type: Some(QueueType::default()),
            prefetch: 50,
            single_active: false,
            exclusive: false,
            priority: None,
            delayed_retry: None,
        }
    }
}
