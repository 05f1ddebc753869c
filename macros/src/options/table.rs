// Every option of `#[listener]` as plain data. No imports and no inner docs, so that a test of another package
// can read this file as a module of its own and compare it with the keys of `[listeners.ID]`.

use Availability::{Later, Now};

/// One option: its name in the attribute and its key in TOML.
pub(crate) struct Row {
    /// As written in the attribute.
    pub(crate) name: &'static str,
    /// As written in `[listeners.ID]`; `None` for what only the attribute can say.
    pub(crate) key: Option<&'static str>,
    pub(crate) availability: Availability,
}

pub(crate) enum Availability {
    /// Accepted: the kind of value, and an example in Rust's spelling.
    Now(Kind, &'static str),
    /// Refused by name, with the reason.
    Later(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Id,
    CratePath,
    /// A queue's name, by AMQP's rules.
    Queue,
    /// A short string of AMQP; empty only where the flag says so.
    Text {
        may_be_empty: bool,
    },
    Words(&'static [&'static str]),
    Boolean,
    Integer {
        min: i64,
        max: i64,
    },
    /// An integer, or a range as a string.
    Concurrency {
        min: i64,
        max: i64,
    },
    /// A number of at least 1.
    Factor,
    /// An integer from 1, or -1 for no limit.
    Limit {
        max: i64,
    },
    /// Milliseconds as an integer, or a string with units.
    Duration {
        min_ms: i64,
    },
    /// The same of any length, or -1 for no limit.
    DurationOrUnlimited,
    /// A number above 0.
    Positive,
    /// An integer from 0 to 100.
    Percent,
}

/// What can stand together between a pair of parentheses.
pub(crate) struct Sheet {
    pub(crate) rows: &'static [Row],
    pub(crate) hints: &'static [(&'static [&'static str], Hint)],
    /// What a name of it is: ``an option of `#[listener]` ``.
    pub(crate) what: &'static str,
    /// What its names are.
    pub(crate) plural: &'static str,
    /// The option that a string without a name stands for.
    pub(crate) bare: &'static str,
    /// Whether the key of TOML, in snake_case, stands for the name too.
    pub(crate) aliases: bool,
}

pub(crate) const LISTENER: Sheet = Sheet {
    rows: OPTIONS,
    hints: HINTS,
    what: "an option of #[listener]",
    plural: "options",
    bare: "queue",
    aliases: false,
};

/// `redelivery(…)`.
pub(crate) const POLICY: Sheet = Sheet {
    rows: PROPERTIES,
    hints: POLICY_HINTS,
    what: "a property of a redelivery policy in the attribute",
    plural: "properties",
    bare: "redelivery",
    aliases: true,
};

const fn now(name: &'static str, key: &'static str, kind: Kind, example: &'static str) -> Row {
    Row { name, key: Some(key), availability: Now(kind, example) }
}

const fn later(name: &'static str, key: &'static str, reason: &'static str) -> Row {
    Row { name, key: Some(key), availability: Later(reason) }
}

const NAME: Kind = Kind::Text { may_be_empty: false };
const ACK: &str = "the other acknowledge modes come with a later version; today a message is acknowledged after the transaction commits";

#[rustfmt::skip]
pub(crate) const OPTIONS: &[Row] = &[
    Row { name: "id", key: None, availability: Now(Kind::Id, r#""on_order""#) },
    Row { name: "crate", key: None, availability: Now(Kind::CratePath, r#""hearken""#) },
    now("queue", "queue", Kind::Queue, r#""orders""#),
    now("exchange", "exchange", NAME, r#""shop""#),
    now("routing_key", "routingKey", Kind::Text { may_be_empty: true }, r#""order.created""#),
    now("binding", "binding", Kind::Text { may_be_empty: true }, r#""order.*""#),
    now("queue_type", "queueType", Kind::Words(&["quorum", "classic"]), r#""quorum""#),
    now("auto_delete", "autoDelete", Kind::Boolean, "true"),
    now("temporary", "temporary", Kind::Boolean, "true"),
    now("exclusive", "exclusive", Kind::Boolean, "true"),
    now("single_active_consumer", "singleActiveConsumer", Kind::Boolean, "true"),
    now("consumer_priority", "consumerPriority", Kind::Integer { min: -2_147_483_648, max: 2_147_483_647 }, "10"),
    now("concurrency", "concurrency", Kind::Concurrency { min: 1, max: 1000 }, "4"),
    now("idle_consumer_limit", "idleConsumerLimit", Kind::Integer { min: 1, max: 4_294_967_295 }, "2"),
    now("idle_receives_per_task_limit", "idleReceivesPerTaskLimit", Kind::Integer { min: 1, max: 4_294_967_295 }, "10"),
    now("prefetch", "prefetch", Kind::Integer { min: 1, max: 65_535 }, "50"),
    now("auto_startup", "autoStartup", Kind::Boolean, "false"),
    now("phase", "phase", Kind::Integer { min: -2_147_483_648, max: 2_147_483_647 }, "0"),
    now("missing_queue", "missingQueue", Kind::Words(&["retry", "fail"]), r#""fail""#),
    now("receive_timeout", "receiveTimeout", Kind::Duration { min_ms: 1 }, r#""1s""#),
    now("recovery_interval", "recoveryInterval", Kind::Duration { min_ms: 100 }, r#""5s""#),
    now("back_off", "backOff", Kind::Words(&["fixed", "exponential"]), r#""exponential""#),
    now("recovery_multiplier", "recoveryMultiplier", Kind::Factor, "1.5"),
    now("max_recovery_interval", "maxRecoveryInterval", Kind::Duration { min_ms: 100 }, r#""30s""#),
    now("max_recovery_attempts", "maxRecoveryAttempts", Kind::Limit { max: 4_294_967_295 }, "10"),
    now("handler_timeout", "handlerTimeout", Kind::Duration { min_ms: 0 }, r#""30s""#),
    now("shutdown_timeout", "shutdownTimeout", Kind::Duration { min_ms: 0 }, r#""30s""#),
    now("accept_messages_while_stopping", "acceptMessagesWhileStopping", Kind::Boolean, "true"),
    now("transaction_manager", "transactionManager", NAME, r#""session""#),
    now("error_handler", "errorHandler", NAME, r#""alert""#),
    now("exception_listener", "exceptionListener", NAME, r#""alert""#),
    now("redelivery", "redelivery", NAME, r#""patient""#),
    now("redelivery_mode", "redeliveryMode", Kind::Words(&["auto", "client", "broker", "native"]), r#""auto""#),
    now("non_blocking_redelivery", "nonBlockingRedelivery", Kind::Boolean, "false"),
    now("hold_limit", "holdLimit", Kind::Duration { min_ms: 0 }, r#""10m""#),
    now("zero_delay", "zeroDelay", Kind::Words(&["container", "immediate"]), r#""container""#),
    now("dead_letter", "deadLetter", Kind::Queue, r#""orders.dead""#),
    now("dead_letter_strategy", "deadLetterStrategy", Kind::Words(&["shared", "individual", "discarding"]), r#""individual""#),
    now("dead_letter_prefix", "deadLetterPrefix", NAME, r#""DLQ.""#),

    later("transaction", "transaction", "transactions of a database come with a later version; the manager of the transport is chosen with `transaction_manager`"),
    later("ack", "ack", ACK),
    later("batch", "batch", "batches come with a later version"),
    later("group", "group", "consumer groups come with a later version"),
    later("mode", "mode", "clustering and broadcasting come with a later version"),
    later("reply_to", "replyTo", "replies come with a later version"),
    later("tags", "tags", "filters by tag come with a later version"),
    later("ordered", "ordered", "ordered consumption comes with a later version; `concurrency = 1` with `non_blocking_redelivery = false` keeps the order"),
];

#[rustfmt::skip]
pub(crate) const PROPERTIES: &[Row] = &[
    now("maximum", "maximumRedeliveries", Kind::Integer { min: -1, max: i64::MAX }, "3"),
    now("initial", "initialRedeliveryDelay", Kind::Duration { min_ms: 0 }, r#""200ms""#),
    now("delay", "redeliveryDelay", Kind::Duration { min_ms: 0 }, r#""1s""#),
    now("maximum_delay", "maximumRedeliveryDelay", Kind::DurationOrUnlimited, r#""1m""#),
    now("exponential", "useExponentialBackOff", Kind::Boolean, "true"),
    now("multiplier", "backOffMultiplier", Kind::Positive, "2"),
    now("collision_avoidance", "useCollisionAvoidance", Kind::Boolean, "true"),
    now("collision_avoidance_percent", "collisionAvoidancePercent", Kind::Percent, "15"),
    now("formula", "formula", Kind::Words(&["5.5", "5.10"]), r#""5.10""#),
    now("preset", "preset", Kind::Words(&["aliyun"]), r#""aliyun""#),
    now("max_reconsume_times", "maxReconsumeTimes", Kind::Integer { min: -1, max: i64::MAX }, "16"),
    now("on_exhausted", "onExhausted", Kind::Words(&["dead-letter", "discard"]), r#""discard""#),
    now("pre_dispatch_check", "preDispatchCheck", Kind::Boolean, "false"),
];

const LIMIT: Hint = Hint::Advice(
    r#"the limit belongs to a redelivery policy: write `redelivery(maximum = 3)`, or `redelivery = "NAME"` and set `maximumRedeliveries` under `[redelivery.NAME]`"#,
);
const DELAY: Hint = Hint::Advice(
    r#"delays belong to a redelivery policy: write `redelivery(initial = "1s")`, or `redelivery = "NAME"` and set `initialRedeliveryDelay` under `[redelivery.NAME]`"#,
);
const RULES: Hint = Hint::Advice(
    r#"rules stand in configuration: write `[[redelivery.NAME.rules]]` there, and `redelivery = "NAME"` here"#,
);
const QUEUES: Hint =
    Hint::Advice(r#"a listener has one queue: write `queue = "orders"`, and one function for each queue"#);
const DOC: Hint = Hint::Advice("write a doc comment on the function: it becomes the description");

/// What to say of a name that other libraries use.
#[derive(Clone, Copy)]
pub(crate) enum Hint {
    /// The option that means the same.
    Option(&'static str),
    Advice(&'static str),
}

#[rustfmt::skip]
pub(crate) const HINTS: &[(&[&str], Hint)] = &[
    (&["retries", "max_retries", "maximum_redeliveries", "max_redeliveries", "attempts", "max_attempts",
       "max_reconsume_times", "retry_count"], LIMIT),
    (&["delay", "retry_delay", "redelivery_delay", "initial_redelivery_delay", "backoff",
       "maximum_redelivery_delay"], DELAY),
    (&["queues"], QUEUES),
    (&["description", "doc", "docs"], DOC),
    (&["topic", "topics"], Hint::Advice(r#"a listener reads a queue: write `queue = "orders"`, and `exchange` with `binding` to fill it from a topic exchange"#)),
    (&["destination", "destination_name", "queue_name", "address", "subscribe", "from", "source"], Hint::Option("queue")),
    (&["name", "listener_id", "listener_name"], Hint::Option("id")),
    (&["timeout", "time_limit", "deadline"], Hint::Option("handler_timeout")),
    (&["workers", "consumers", "threads", "concurrent_consumers", "max_concurrent_consumers", "max_concurrency"],
       Hint::Option("concurrency")),
    (&["reconnect_interval", "reconnect_delay", "recovery_delay"], Hint::Option("recovery_interval")),
    (&["priority", "x_priority"], Hint::Option("consumer_priority")),
    (&["prefetch_count", "prefetch_size", "qos"], Hint::Option("prefetch")),
    (&["policy", "redelivery_policy", "retry", "retry_policy"], Hint::Option("redelivery")),
    (&["dlq", "dlx", "dead_letter_queue", "dead_letter_exchange"], Hint::Option("dead_letter")),
    (&["auto_start", "autostart", "enabled"], Hint::Option("auto_startup")),
    (&["shutdown_grace", "grace", "grace_period"], Hint::Option("shutdown_timeout")),
    (&["transactional", "tx", "manager"], Hint::Option("transaction_manager")),
    (&["key", "routing"], Hint::Option("routing_key")),
    (&["bind", "binding_key", "pattern"], Hint::Option("binding")),
    (&["ack_mode", "acknowledge", "acknowledge_mode", "auto_ack", "no_ack"], Hint::Option("ack")),
    (&["krate", "crate_path"], Hint::Option("crate")),
];

#[rustfmt::skip]
pub(crate) const POLICY_HINTS: &[(&[&str], Hint)] = &[
    (&["retries", "max_retries", "max_redeliveries", "attempts", "max_attempts", "retry_count", "limit", "max"],
       Hint::Option("maximum")),
    (&["initial_delay", "retry_delay", "wait", "back_off", "backoff"], Hint::Option("initial")),
    (&["max_delay", "max_redelivery_delay", "cap"], Hint::Option("maximum_delay")),
    (&["exponential_back_off", "exponential_backoff"], Hint::Option("exponential")),
    (&["factor"], Hint::Option("multiplier")),
    (&["jitter"], Hint::Option("collision_avoidance")),
    (&["collision_avoidance_factor", "jitter_percent"], Hint::Option("collision_avoidance_percent")),
    (&["rules", "rule", "when", "code", "error_contains", "predicate"], RULES),
    (&["uri", "url"], Hint::Advice(r#"a URI stands in configuration: write `uri` under `[redelivery.NAME]` there, and `redelivery = "NAME"` here"#)),
    (&["name"], Hint::Advice(r#"a policy in the attribute has no name: write `redelivery = "NAME"` for one of configuration"#)),
];
