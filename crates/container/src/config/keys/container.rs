use hearken_core::dead_letter::{INDIVIDUAL_PREFIX, SHARED_QUEUE};
use hearken_core::redelivery::ZeroDelay;

use crate::config::key::{Kind, Row, Table};
use crate::config::settings::{BackOffKind, DeadLetterStrategy, MissingQueue, RedeliveryMode};

const fn row(key: &'static str, kind: Kind, doc: &'static str) -> Row {
    Row::new(Table::Container, key, kind, doc)
}

const COUNT: Kind = Kind::Integer { min: 1, max: u32::MAX as i64 };

/// `[container]`. Those with an option of the attribute may stand in `[listeners.ID]` too.
pub(super) const ROWS: &[Row] = &[
    row(
        "concurrency",
        Kind::Concurrency,
        "The number of invokers: consumers, and handler calls that run at the same time. `4`, or \"4\", is always 4 \
         (unlike in Spring, where \"4\" is 1 to 4); \"3-10\" is 3, and up to 10 while all are busy and messages come.",
    )
        .default("1")
        .attribute("concurrency"),
    row(
        "idleConsumerLimit",
        COUNT,
        "No invoker is added while so many are idle. Only for a range of concurrency.",
    )
    .default("1")
    .attribute("idle_consumer_limit"),
    row(
        "idleReceivesPerTaskLimit",
        COUNT,
        "An invoker above the lower bound leaves after so many idle ticks of receiveTimeout in a row: by default after \
         10 s. Only for a range of concurrency.",
    )
    .default("10")
    .attribute("idle_receives_per_task_limit"),
    row(
        "prefetch",
        Kind::Integer { min: 1, max: 65_535 },
        "How many unsettled messages the broker hands to each invoker ahead, the one in the handler among them. Times \
         the upper bound of concurrency and maxMessageBytes it bounds the memory. After a crash they come again.",
    )
    .default("50")
    .attribute("prefetch"),
    row(
        "receiveTimeout",
        Kind::duration(1),
        "The idle tick, which idleReceivesPerTaskLimit counts; with recoveryInterval the pace of a wait of 0. No stop \
         waits for it.",
    )
    .default("1s")
    .attribute("receive_timeout"),
    row(
        "recoveryInterval",
        Kind::duration(100),
        "The wait between two attempts to connect, or to consume again; under backOff = \"exponential\" the first \
         such wait. The first attempt after a loss waits for nothing.",
    )
    .default("5s")
    .attribute("recovery_interval"),
    row(
        "backOff",
        Kind::Choice(BackOffKind::NAMES),
        "Whether these waits are all the same, or grow by recoveryMultiplier up to maxRecoveryInterval while attempts \
         fail; a success ends the row. That of [container] is also the connection's.",
    )
    .default("fixed")
    .attribute("back_off"),
    row(
        "recoveryMultiplier",
        Kind::Factor,
        "The factor from one wait to the next. Only with backOff = \"exponential\".",
    )
    .default("1.5")
    .attribute("recovery_multiplier"),
    row(
        "maxRecoveryInterval",
        Kind::duration(100),
        "The longest such wait; not below recoveryInterval. Only with backOff = \"exponential\".",
    )
    .default("30s")
    .attribute("max_recovery_interval"),
    row(
        "maxRecoveryAttempts",
        Kind::Limit,
        "How many attempts in a row may fail, the first among them, before recovery is given up and the listener \
         has failed; -1 for no limit. Unconsumed messages stay on the broker.",
    )
    .default("-1")
    .attribute("max_recovery_attempts"),
    row("redelivery", Kind::NAME, "The name of the redelivery policy. A fitting [[redeliveryMap]] is more specific than that of [container].").default("default").attribute("redelivery"),
    row(
        "redeliveryMode",
        Kind::Choice(RedeliveryMode::NAMES),
        "Where a redelivery waits: in this process, on the broker, or as its length suggests; \"native\" in its own queue, on \
         RabbitMQ 4.3 and later, for waits that are equal or grow evenly. A crash ends a wait in this \
         process: the message comes again, and attempts since the broker last held it count anew.",
    )
    .default("auto")
    .attribute("redelivery_mode"),
    row(
        "nonBlockingRedelivery",
        Kind::Boolean,
        "Whether other messages overtake a waiting one; false keeps the order.",
    )
    .default("true")
    .attribute("non_blocking_redelivery"),
    row(
        "zeroDelay",
        Kind::Choice(ZeroDelay::NAMES),
        "Whether a wait of 0 lasts the shorter of receiveTimeout and recoveryInterval, or is immediate.",
    )
    .default("container")
    .attribute("zero_delay"),
    row(
        "transactionManager",
        Kind::NAME,
        "The name of the transaction manager: session, none, or one that code registers. After a crash between the \
         commit and the acknowledgement the message comes again.",
    )
    .default("session")
    .attribute("transaction_manager"),
    row(
        "errorHandler",
        Kind::NAME,
        "The name of a hook that the application's code registers, called after each failed delivery, once it is decided \
         what becomes of the message, which it cannot change. Default: none; failures are logged in any case.",
    )
    .attribute("error_handler"),
    row(
        "exceptionListener",
        Kind::NAME,
        "The name of a hook that the application's code registers, called when a connection, a channel or a consumer \
         fails. Default: none; failures are logged in any case.",
    )
    .attribute("exception_listener"),
    row(
        "shutdownTimeout",
        Kind::duration_or_zero(0),
        "How long a stop waits for running handlers. What still runs then is cut short, and its message comes again: \
         no less than handlerTimeout.",
    )
    .default("30s")
    .attribute("shutdown_timeout"),
    row(
        "acceptMessagesWhileStopping",
        Kind::Boolean,
        "Whether a stop still handles what was handed out ahead, until shutdownTimeout, instead of handing it back to \
         the broker at once and unpenalised.",
    )
    .default("false")
    .attribute("accept_messages_while_stopping"),
    row(
        "handlerTimeout",
        Kind::duration_or_zero(1),
        "The longest time of one handler call, then a failed attempt; 0 for no limit. No more than shutdownTimeout, and \
         on RabbitMQ no more than consumerTimeout. Default: none.",
    )
    .attribute("handler_timeout"),
    row("deadLetter", Kind::Queue, "The queue for dead letters.")
        .default(SHARED_QUEUE)
        .attribute("dead_letter"),
    row(
        "deadLetterStrategy",
        Kind::Choice(DeadLetterStrategy::NAMES),
        "Dead letters go to deadLetter, to a queue of their own (deadLetterPrefix and the queue's name), or nowhere.",
    )
    .default("shared")
    .attribute("dead_letter_strategy"),
    row("deadLetterPrefix", Kind::NAME, "What individual dead letter queues begin with.")
        .default(INDIVIDUAL_PREFIX)
        .attribute("dead_letter_prefix"),
    row(
        "holdLimit",
        Kind::duration_or_zero(0),
        "The longest time one delivery is held in this process, all its waits together; beyond it the broker holds it. \
         On RabbitMQ a third of consumerTimeout counts if that is less.",
    )
    .default("10m")
    .attribute("hold_limit"),
    row("autoStartup", Kind::Boolean, "Whether the listener starts with the application.")
        .default("true")
        .attribute("auto_startup"),
    row(
        "phase",
        Kind::Integer { min: i32::MIN as i64, max: i32::MAX as i64 },
        "Listeners start by rising phase and stop by falling phase, those of one phase together. The default starts \
         last and stops first.",
    )
    .default("2147483647")
    .attribute("phase"),
    row(
        "missingQueue",
        Kind::Choice(MissingQueue::NAMES),
        "What a listener does whose queue does not exist, at its start or because it was deleted: try again, paced by \
         recoveryInterval and backOff, or fail. With topology = \"declare\" the queue is declared at every attempt.",
    )
    .default("retry")
    .attribute("missing_queue"),
    row(
        "endProcess",
        Kind::Boolean,
        "Whether the process ends at the shutdown deadline when a handler never returns.",
    )
    .default("true"),
];
