use hearken_core::transport::QueueType;
use lapin::types::{AMQPValue, FieldTable, ShortString};

/// Far above any count a message can reach, and explicit: the default of RabbitMQ 4 drops a message after 20
/// deliveries, and without a limit a requeued message goes to the tail of its queue.
const DELIVERY_LIMIT: i64 = 1_000_000_000;

/// The arguments of a queue or exchange.
#[derive(Default)]
pub(super) struct Arguments(FieldTable);

impl Arguments {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// What every queue of this type is declared with.
    pub(super) fn queue(kind: QueueType) -> Self {
        let arguments = Self::new().text("x-queue-type", kind.as_str());
        match kind {
            QueueType::Quorum => arguments.number("x-delivery-limit", DELIVERY_LIMIT),
            QueueType::Classic => arguments,
        }
    }

    // Keys and values are ours, or names that were checked when they were declared themselves.
    pub(super) fn text(mut self, key: &'static str, value: &str) -> Self {
        self.0.insert(ShortString::from(key), AMQPValue::LongString(value.into()));
        self
    }

    pub(super) fn flag(mut self, key: &'static str) -> Self {
        self.0.insert(ShortString::from(key), AMQPValue::Boolean(true));
        self
    }

    pub(super) fn number(mut self, key: &'static str, value: i64) -> Self {
        self.0.insert(ShortString::from(key), AMQPValue::LongLongInt(value));
        self
    }
}

impl From<Arguments> for FieldTable {
    fn from(arguments: Arguments) -> Self {
        arguments.0
    }
}
