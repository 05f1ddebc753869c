use hearken_core::transport::QueueType;

use crate::config::key::{Kind, Row, Table};

const fn row(key: &'static str, kind: Kind, doc: &'static str) -> Row {
    Row::new(Table::Listener, key, kind, doc)
}

const TEXT: Kind = Kind::Text { empty: true, longest: 255 };

/// What `[listeners.ID]` has beside the keys of `[container]`.
pub(super) const ROWS: &[Row] = &[
    row("queue", Kind::Queue, "The queue to consume from. Needed, here or in the attribute, unless temporary = true.")
        .attribute("queue"),
    row(
        "queueType",
        Kind::Choice(&QueueType::NAMES),
        "The type of the queue. Default: that of [transport]; classic with autoDelete or temporary.",
    )
        .attribute("queue_type"),
    row(
        "exchange",
        Kind::NAME,
        "An exchange that fills the queue: a fanout exchange, unless routingKey or binding is given.",
    )
    .attribute("exchange"),
    row("routingKey", TEXT, "The key of the messages wanted from a direct exchange.")
        .attribute("routing_key"),
    row("binding", TEXT, "The pattern of the messages wanted from a topic exchange.").attribute("binding"),
    row(
        "autoDelete",
        Kind::Boolean,
        "Whether the queue is deleted when its last consumer is gone, and with it every message in it: a crash, a stop \
         or a lost connection loses them. Not with queueType = \"quorum\".",
    )
    .default("false")
    .attribute("auto_delete"),
    row(
        "temporary",
        Kind::Boolean,
        "Whether the queue is named by the broker, seen by this connection only, and deleted with it: messages are lost \
         with the connection. Needs exchange and concurrency = 1; not with queue, autoDelete, queueType = \"quorum\" or \
         redeliveryMode = \"broker\".",
    )
    .default("false")
    .attribute("temporary"),
    row(
        "exclusive",
        Kind::Boolean,
        "Whether no other consumer is allowed on the queue; where one is already, this listener tries again, paced by \
         backOff. Needs concurrency = 1, and on RabbitMQ a classic queue; not with singleActiveConsumer.",
    )
    .default("false")
    .attribute("exclusive"),
    row(
        "singleActiveConsumer",
        Kind::Boolean,
        "Whether the queue is declared so that the broker serves one consumer at a time, over all processes, and the \
         next when it is gone (x-single-active-consumer): other invokers of the listener stand by. A queue that exists \
         without it must be deleted first.",
    )
    .default("false")
    .attribute("single_active_consumer"),
    row(
        "consumerPriority",
        Kind::Integer { min: i32::MIN as i64, max: i32::MAX as i64 },
        "Consumers of higher priority get messages first while they have room in their prefetch (x-priority). Default: \
         that of the broker, 0.",
    )
    .attribute("consumer_priority"),
];
