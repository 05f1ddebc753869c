//! What a checked configuration comes down to, in types.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hearken_core::redelivery::{RedeliveryPolicy, ZeroDelay};
use hearken_core::transport::{Binding, QueueLifetime, QueueType, Topology};

use super::choice::choice;
use super::url::TransportUrl;
use crate::back_off::BackOff;
use crate::concurrency::Concurrency;

choice! {
    /// Where a redelivery waits.
    RedeliveryMode {
        /// As the wait is long and room is left.
        #[default]
        Auto = "auto",
        /// In this process, unacknowledged.
        Client = "client",
        /// On the broker.
        Broker = "broker",
        /// In its own queue, which counts the attempts too: RabbitMQ's delayed retry.
        Native = "native",
    }
}

choice! {
    /// How the waits between attempts to recover follow one another.
    BackOffKind {
        /// All are `recoveryInterval`.
        #[default]
        Fixed = "fixed",
        /// From `recoveryInterval` each is the one before times `recoveryMultiplier`, up to `maxRecoveryInterval`.
        Exponential = "exponential",
    }
}

choice! {
    /// Which queue a dead letter goes to.
    DeadLetterStrategy {
        /// `deadLetter`, which listeners share.
        #[default]
        Shared = "shared",
        /// `deadLetterPrefix` and the name of the listener's queue.
        Individual = "individual",
        /// None: it is discarded.
        Discarding = "discarding",
    }
}

choice! {
    /// What a listener does without its queue.
    MissingQueue {
        /// It tries again, paced by its back-off.
        #[default]
        Retry = "retry",
        /// It fails, at its start and when the queue is deleted at run time.
        Fail = "fail",
    }
}

/// Where the dead letters of a listener go.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DeadLetterTarget {
    /// To this queue.
    Queue(String),
    /// Nowhere.
    Discard,
}

impl DeadLetterTarget {
    /// The queue, if there is one.
    pub fn queue(&self) -> Option<&str> {
        match self {
            Self::Queue(queue) => Some(queue),
            Self::Discard => None,
        }
    }
}

/// `[application]`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApplicationConfig {
    /// The application's name: the prefix of hearken's own objects on a broker.
    pub name: String,
}

/// `[transport]`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TransportConfig {
    /// The broker.
    pub url: TransportUrl,
    /// What is done about queues and exchanges.
    pub topology: Topology,
    /// The type of the queues of listeners that name none.
    pub queue_type: QueueType,
    /// The longest time to connect.
    pub connect_timeout: Duration,
    /// The longest time of one call to the broker.
    pub call_timeout: Duration,
    /// The longest time until a publish is confirmed.
    pub publish_timeout: Duration,
    /// The heartbeat asked for.
    pub heartbeat: Duration,
    /// How long the broker leaves a delivery unacknowledged; `None` for ever.
    pub consumer_timeout: Option<Duration>,
    /// The certificate authorities to trust in place of the system's.
    pub ca_certificate: Option<PathBuf>,
    /// The largest body that is published or handled, in bytes.
    pub max_message_bytes: u64,
    /// The most bytes in one queue of the embedded broker.
    pub max_queue_bytes: u64,
    /// The most messages in one queue of the embedded broker; `None` for any number.
    pub max_queue_messages: Option<u64>,
}

/// What `[container]` says about the application as a whole, and the defaults a policy is shown with.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContainerConfig {
    /// How long a stop waits for running handlers.
    pub shutdown_timeout: Duration,
    /// Whether the process ends at that deadline when a handler never returns.
    pub end_process: bool,
    /// What becomes of a wait of 0.
    pub zero_delay: ZeroDelay,
    /// The idle tick.
    pub receive_timeout: Duration,
    /// The wait between reconnects, or the first of them.
    pub recovery_interval: Duration,
    /// The waits between attempts to connect.
    pub back_off: BackOff,
}

/// The effective settings of one listener.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ListenerSettings {
    /// The listener's id.
    pub id: String,
    /// The queue it consumes from; empty for a temporary one, which the broker names.
    pub queue: String,
    /// How long the queue lives.
    pub lifetime: QueueLifetime,
    /// The type the queue is declared with.
    pub queue_type: QueueType,
    /// The exchange that fills the queue.
    pub binding: Option<Binding>,
    /// Whether no other consumer is allowed on the queue.
    pub exclusive: bool,
    /// Whether the queue is declared to serve one consumer at a time (`x-single-active-consumer`).
    pub single_active_consumer: bool,
    /// Consumers of higher priority are served first while they have room (`x-priority`).
    pub consumer_priority: Option<i32>,
    /// The least and the most invokers.
    pub concurrency: Concurrency,
    /// No invoker is added while so many are idle. For a range of concurrency only.
    pub idle_consumer_limit: u32,
    /// After so many idle ticks in a row an invoker above the least leaves. For a range of concurrency only.
    pub idle_receives_per_task_limit: u32,
    /// How many unsettled deliveries each invoker is handed ahead.
    pub prefetch: u16,
    /// The idle tick.
    pub receive_timeout: Duration,
    /// The wait between attempts to consume again, or the first of them.
    pub recovery_interval: Duration,
    /// The waits between attempts to consume again.
    pub back_off: BackOff,
    /// How often, and how late, a failed message comes again.
    pub policy: Arc<RedeliveryPolicy>,
    /// Where it waits meanwhile.
    pub redelivery_mode: RedeliveryMode,
    /// Whether other messages overtake a waiting one.
    pub non_blocking: bool,
    /// What becomes of a wait of 0.
    pub zero_delay: ZeroDelay,
    /// The name of the transaction manager.
    pub transaction_manager: String,
    /// The name of the hook that is told of failed deliveries.
    pub error_handler: Option<String>,
    /// The name of the hook that is told of failures of connection, channel and consumer.
    pub exception_listener: Option<String>,
    /// How long a stop waits for running handlers.
    pub shutdown_timeout: Duration,
    /// The longest time of one handler call.
    pub handler_timeout: Option<Duration>,
    /// Where dead letters go.
    pub dead_letter: DeadLetterTarget,
    /// The longest time of all client holds of one delivery together.
    pub hold_limit: Duration,
    /// Whether a stop still handles what was handed out ahead, instead of handing it back.
    pub accept_messages_while_stopping: bool,
    /// Whether it starts with the application.
    pub auto_startup: bool,
    /// Listeners start by rising and stop by falling phase.
    pub phase: i32,
    /// What it does without its queue.
    pub missing_queue: MissingQueue,
}
