use hearken_core::transport::QueueType;

use crate::config::key::{Kind, Row, Table};

const fn row(key: &'static str, kind: Kind, doc: &'static str) -> Row {
    Row::new(Table::Listener, key, kind, doc)
}

const TEXT: Kind = Kind::Text { empty: true, longest: 255 };

/// What `[listeners.ID]` has beside the keys of `[container]`.
pub(super) const ROWS: &[Row] = &[
    row("queue", Kind::Queue, "The queue to consume from. Needed, here or in the attribute.")
        .attribute("queue"),
    row("queueType", Kind::Choice(&QueueType::NAMES), "The type of the queue. Default: that of [transport].")
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
];
