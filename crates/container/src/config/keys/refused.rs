use crate::config::key::{Row, Table};

const fn redelivery(key: &'static str, reason: &'static str) -> Row {
    Row::refused(Table::Redelivery, key, reason)
}

const fn container(key: &'static str, reason: &'static str) -> Row {
    Row::refused(Table::Container, key, reason)
}

const fn listener(key: &'static str, reason: &'static str) -> Row {
    Row::refused(Table::Listener, key, reason)
}

const LATER: &str = "is not available yet: it comes with a later version";

pub(super) const REDELIVERY: &[Row] = &[
    redelivery("rules", LATER),
    redelivery("onExhausted", LATER),
    redelivery("uri", "is not available yet: policies written as an ActiveMQ URI come with a later version"),
    redelivery("ladder", LATER),
    redelivery("preDispatchCheck", LATER),
    redelivery("queue", "is not available yet: policies by destination come with a later version"),
    redelivery("topic", "is not available yet: policies by destination come with a later version"),
];

/// Refused in `[container]`, and with those in `[listeners.ID]`.
pub(super) const CONTAINER: &[Row] = &[
    container("ack", "is not available yet: the other acknowledge modes come with a later version"),
    container("batch", "is not available yet: batches come with a later version"),
    container("ordered", LATER),
    container("cacheLevel", "has no meaning here: connections, channels and consumers are always kept"),
    container("cacheLevelName", "has no meaning here: connections, channels and consumers are always kept"),
    container(
        "maxMessagesPerTask",
        "has no meaning here: invokers are not rescheduled; `prefetch` is the broker's",
    ),
    container(
        "idleTaskExecutionLimit",
        "has no meaning here: invokers are not rescheduled; write `idleReceivesPerTaskLimit`",
    ),
    container("taskExecutor", "has no meaning here: handlers run on the tokio runtime of the application"),
    container("virtualThreads", "has no meaning here: handlers run on the tokio runtime of the application"),
    container("connectionFactory", "has no meaning here: the broker is `url` under [transport]"),
    container("destinationResolver", "has no meaning here: a queue is named by `queue`"),
    container("messageConverter", "has no meaning here: a handler's arguments say how a body is read"),
    container("pubSubDomain", "has no meaning here: AMQP has queues only; `exchange` and `binding` fill one"),
    container(
        "pubSubNoLocal",
        "has no meaning here: AMQP has queues only; `exchange` and `binding` fill one",
    ),
    container("subscriptionDurable", "has no meaning here: AMQP has queues only, and they are durable"),
    container("subscriptionShared", "has no meaning here: AMQP has queues only, and consumers share one"),
    container("subscriptionName", "has no meaning here: the name of the queue is that of the subscription"),
    container("clientId", "has no meaning here: the name of the queue is that of the subscription"),
    container("messageSelector", "has no meaning here: AMQP selects by `exchange` and `binding`"),
    container(
        "sessionTransacted",
        "has no meaning here: every call is a transaction of `transactionManager`",
    ),
    container("sessionAcknowledgeMode", "is not available yet: acknowledge modes come with a later version"),
    container("acknowledgeAfterListener", "has no meaning here: it is always so"),
    container(
        "transactionTimeout",
        "has no meaning here: write `handlerTimeout`, in milliseconds or with a unit",
    ),
    container("exposeListenerSession", "has no meaning here: a handler that takes `Session` has it"),
    container("replyQosSettings", "is not available yet: replies come with a later version"),
];

pub(super) const LISTENER: &[Row] = &[
    listener("transaction", "is not available yet: write `transactionManager`"),
    listener("group", "is not available yet: consumer groups come with a later version"),
    listener("mode", "is not available yet: clustering and broadcasting come with a later version"),
    listener("replyTo", "is not available yet: replies come with a later version"),
    listener("tags", "is not available yet: filters by tag come with a later version"),
    listener("id", "is no key: the name of the table is the id of the listener"),
    listener("crate", "is no key: it is an option of the attribute only"),
    listener("endProcess", "stands under [container] only: it concerns the process"),
];
