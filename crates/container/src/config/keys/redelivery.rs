use hearken_core::redelivery::{Formula, Ladder, OnExhausted};

use crate::config::key::{Kind, Row, Table};

const fn row(key: &'static str, kind: Kind, doc: &'static str) -> Row {
    Row::new(Table::Redelivery, key, kind, doc).owner("hearken-core")
}

const LIMIT: Kind = Kind::Integer { min: -1, max: i64::MAX };

/// `[redelivery.NAME]`. The defaults are those of `RedeliveryPolicy::new`; a test compares.
pub(super) const ROWS: &[Row] = &[
    row(
        "maximumRedeliveries",
        LIMIT,
        "How many redeliveries follow the first delivery; 0 for none, -1 for no limit.",
    )
    .default("6").attribute("maximum"),
    row("initialRedeliveryDelay", Kind::DELAY, "The wait before the first redelivery; neither capped nor spread.")
        .default("1s").attribute("initial"),
    row(
        "redeliveryDelay",
        Kind::DELAY,
        "The base of the later waits: under formula 5.5 what follows a wait of 0, under 5.10 every wait that does \
         not grow.",
    )
    .default("1s").attribute("delay"),
    row(
        "maximumRedeliveryDelay",
        Kind::DELAY_OR_UNLIMITED,
        "The longest wait that exponential back-off reaches; -1 for no cap.",
    )
    .default("-1").attribute("maximum_delay"),
    row(
        "useExponentialBackOff",
        Kind::Boolean,
        "Whether each wait is the one before times backOffMultiplier.",
    )
    .default("false").attribute("exponential"),
    row("backOffMultiplier", Kind::Decimal, "The factor of exponential back-off.").default("5").attribute("multiplier"),
    row(
        "useCollisionAvoidance",
        Kind::Boolean,
        "Whether the waits from the second on are spread at random.",
    )
    .default("false").attribute("collision_avoidance"),
    row("collisionAvoidancePercent", Kind::Percent, "The largest spread of a wait, either way, in percent.")
        .default("15").attribute("collision_avoidance_percent"),
    row("formula", Kind::Choice(Formula::NAMES), "The arithmetic of ActiveMQ 5.5 to 5.9, or of 5.10 and later.")
        .default("5.5").attribute("formula"),
    row(
        "preset",
        Kind::Choice(Ladder::NAMES),
        "A table of waits in place of the delays: `aliyun` has 16, from 10s to 2h.",
    ).attribute("preset"),
    row(
        "maxReconsumeTimes",
        LIMIT,
        "How many retries a preset grants; -1 for as many as its table has. Only with preset. Default: -1.",
    ).attribute("max_reconsume_times"),
    row(
        "onExhausted",
        Kind::Choice(OnExhausted::NAMES),
        "What becomes of a message whose redeliveries are used up: a dead letter, or nothing.",
    )
    .default("dead-letter").attribute("on_exhausted"),
    row(
        "preDispatchCheck",
        Kind::Boolean,
        "Whether a message that has used up its redeliveries when it arrives, because the limit was lowered or the \
         process ended meanwhile, is exhausted before a handler sees it; false calls the handler once more.",
    )
    .default("true").attribute("pre_dispatch_check"),
    row(
        "uri",
        Kind::ConnectionUri,
        "A connection URI of ActiveMQ: its jms.redeliveryPolicy.* are the keys of the same names, unless these are given \
         beside it; its jms.nonBlockingRedelivery is that of the listeners with this policy, unless they say it themselves. \
         Other jms. options are refused.",
    ),
    row(
        "rules",
        Kind::Tables(Table::Rule),
        "What is done about failures of certain sorts, in the place of all above: the first rule that holds decides. \
         The rules of one source replace those of another.",
    ),
];
