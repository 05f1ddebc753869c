use hearken_core::transport::QueueType;

use crate::config::key::{Kind, Row, Table};
use hearken_core::transport::Topology;

const fn row(key: &'static str, kind: Kind, doc: &'static str) -> Row {
    Row::new(Table::Transport, key, kind, doc)
}

/// What every transport has.
pub(super) const COMMON: &[Row] = &[
    row(
        "topology",
        Kind::Choice(Topology::NAMES),
        "Whether queues and exchanges are declared, checked to exist, or taken for granted.",
    )
    .default("declare"),
    row("queueType", Kind::Choice(&QueueType::NAMES), "The type queues are declared with.").default("quorum"),
    row(
        "maxMessageBytes",
        Kind::Size { min: 1 },
        "The largest body that is published or handled. A larger one that arrives is a dead letter, undecodable, without a call.",
    )
    .default("16MiB"),
    row("publishTimeout", Kind::duration(1), "The longest time until the broker has a published message.")
        .default("30s"),
];

/// What the embedded broker reads.
pub const EMBEDDED: &[Row] = &[
    row("url", Kind::Url { schemes: &["embedded:"] }, "The broker: its scheme chooses the transport.")
        .default("embedded:")
        .owner("hearken-embedded"),
    row("maxQueueBytes", Kind::Size { min: 1 }, "The most bytes in one queue of the embedded broker.")
        .default("256MiB")
        .owner("hearken-embedded"),
    row(
        "maxQueueMessages",
        Kind::Integer { min: 1, max: i64::MAX },
        "The most messages in one queue of the embedded broker. Default: any number.",
    )
    .owner("hearken-embedded"),
];

/// What the RabbitMQ adapter reads.
pub const RABBITMQ: &[Row] = &[
    row(
        "url",
        Kind::Url { schemes: &["amqp://", "amqps://"] },
        "The broker: its scheme chooses the transport.",
    )
    .owner("hearken-rabbitmq"),
    row("connectTimeout", Kind::duration(1), "The longest time to connect.")
        .default("5s")
        .owner("hearken-rabbitmq"),
    row("callTimeout", Kind::duration(1), "The longest time of one call to the broker.")
        .default("10s")
        .owner("hearken-rabbitmq"),
    row(
        "heartbeat",
        Kind::Duration { min_ms: 1000, max_ms: 65_535_000, zero: false, unlimited: false },
        "The heartbeat asked of the broker, in whole seconds. A peer that is silent for two of them is lost.",
    )
    .default("10s")
    .owner("hearken-rabbitmq"),
    row(
        "consumerTimeout",
        Kind::duration_or_zero(1),
        "How long the broker leaves a delivery unacknowledged: its consumer_timeout, which it does not tell. Waits are \
         held in the process for a third of it at most; 0 for a broker that sets no limit.",
    )
    .default("30m")
    .owner("hearken-rabbitmq"),
    row(
        "caCertificate",
        Kind::Certificate,
        "A PEM file with the certificate authorities to trust in place of the system's; for amqps. \
         Relative to the file that names it.",
    )
    .owner("hearken-rabbitmq"),
];
