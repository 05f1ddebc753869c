//! Properties of Spring's listener containers that are no keys here: why, and what to write instead.

use crate::config::key::{Row, Table};

/// In `[container]`, and with those in `[listeners.ID]`.
const fn no(key: &'static str, reason: &'static str) -> Row {
    Row::refused(Table::Container, key, reason)
}

const KEPT: &str = "has no meaning here: connections, channels and consumers are always kept";
const RUNTIME: &str = "has no meaning here: handlers run on the tokio runtime of the application";
const QUEUES_ONLY: &str = "has no meaning here: AMQP has queues only; `exchange` and `binding` fill one";
const BROKER: &str = "has no meaning here: the broker is `url` under [transport]";
const RANGE: &str = "is no key: write `concurrency = 4`, or a range as in `concurrency = \"3-10\"`";
const GROWTH: &str = "has no meaning here: an invoker is added when a message comes while fewer than `idleConsumerLimit` are idle";
const SHRINKAGE: &str = "has no meaning here: a busy invoker is never ended; an idle one leaves after `idleReceivesPerTaskLimit` ticks";
const TASKS: &str = "has no meaning here: invokers are not rescheduled; write `idleReceivesPerTaskLimit`";
const PACE: &str = "is no key: write `recoveryInterval`, and `backOff` if it shall grow";
const TRANSACTED: &str = "has no meaning here: every call is a transaction of `transactionManager`";
const SESSION: &str = "has no meaning here: a handler that takes `Session` has it";
const FAILED: &str = "has no meaning here: a failed message comes again by its policy, named by `redelivery`, or is a dead letter";
const ACK: &str = "is not available yet: acknowledge modes come with a later version";
const TOGETHER: &str = "has no meaning here: acknowledgements that are ready are sent together, at once";
const BATCH: &str = "is not available yet: batches come with a later version";
const METRICS: &str = "is not available yet: metrics come with a later version; calls are `tracing` spans";
const REPLIES: &str = "is not available yet: replies come with a later version";
const ALWAYS: &str = "has no meaning here: it is always so";

/// `DefaultMessageListenerContainer` and its base classes.
#[rustfmt::skip]
pub(super) const JMS: &[Row] = &[
    no("connectionFactory", BROKER),
    no("pubSubDomain", QUEUES_ONLY),
    no("pubSubNoLocal", QUEUES_ONLY),
    no("messageSelector", "has no meaning here: AMQP selects by `exchange` and `binding`"),
    no("subscriptionDurable", "has no meaning here: a queue is durable unless `autoDelete` or `temporary` says otherwise"),
    no("subscriptionShared", "has no meaning here: consumers of a queue share it unless `exclusive` says otherwise"),
    no("subscriptionName", "has no meaning here: the name of the queue is that of the subscription"),
    no("durableSubscriptionName", "has no meaning here: the name of the queue is that of the subscription"),
    no("clientId", "has no meaning here: the name of the queue is that of the subscription"),
    no("sessionTransacted", TRANSACTED),
    no("sessionAcknowledgeMode", ACK),
    no("sessionAcknowledgeModeName", ACK),
    no("acknowledgeAfterListener", ALWAYS),
    no("transactionName", "has no meaning here: a transaction belongs to its listener, whose id names it"),
    no("transactionTimeout", "has no meaning here: write `handlerTimeout`, in milliseconds or with a unit"),
    no("cacheLevel", KEPT),
    no("cacheLevelName", KEPT),
    no("concurrentConsumers", RANGE),
    no("maxConcurrentConsumers", RANGE),
    no("maxMessagesPerTask", "has no meaning here: invokers are not rescheduled; `prefetch` is the broker's"),
    no("idleTaskExecutionLimit", TASKS),
    no("taskExecutor", RUNTIME),
    no("virtualThreads", RUNTIME),
    no("exposeListenerSession", SESSION),
    no("replyPubSubDomain", REPLIES),
    no("replyQosSettings", REPLIES),
    no("messageConverter", "has no meaning here: a handler's arguments say how a body is read"),
    no("destinationResolver", "has no meaning here: a queue is named by `queue`"),
    no("observationRegistry", METRICS),
];

/// The simple and the direct container of Spring AMQP.
#[rustfmt::skip]
pub(super) const AMQP: &[Row] = &[
    no("acknowledgeMode", ACK),
    no("enforceImmediateAckForManual", ACK),
    no("globalQos", "has no meaning here: `prefetch` is that of one consumer, and each has a channel of its own"),
    no("batchSize", BATCH),
    no("consumerBatchEnabled", BATCH),
    no("batchReceiveTimeout", BATCH),
    no("deBatchingEnabled", BATCH),
    no("batchingStrategy", BATCH),
    no("messagesPerAck", TOGETHER),
    no("ackTimeout", TOGETHER),
    no("messageAckListener", "is not available: what becomes of a message is told in its `tracing` span; failures are told to `errorHandler`"),
    no("consumersPerQueue", RANGE),
    no("consecutiveActiveTrigger", GROWTH),
    no("startConsumerMinInterval", GROWTH),
    no("consecutiveIdleTrigger", SHRINKAGE),
    no("stopConsumerMinInterval", SHRINKAGE),
    no("immediateScaleDown", SHRINKAGE),
    no("consumerStartTimeout", "is no key: write `callTimeout` under [transport]"),
    no("consumeDelay", "has no meaning here: consumers start at once"),
    no("declarationRetries", "is no key: write `maxRecoveryAttempts`, and `missingQueue` for a queue that does not exist"),
    no("failedDeclarationRetryInterval", PACE),
    no("retryDeclarationInterval", PACE),
    no("recoveryBackOff", PACE),
    no("missingQueuesFatal", "is no key: write `missingQueue = \"fail\"`, or `\"retry\"`"),
    no("mismatchedQueuesFatal", "has no meaning here: a queue that exists with other arguments always keeps the application from starting"),
    no("possibleAuthenticationFailureFatal", "has no meaning here: a refused login always keeps the application from starting"),
    no("autoDeclare", "is no key: write `topology` under [transport]"),
    no("monitorInterval", "has no meaning here: the container is told when a consumer ends"),
    no("defaultRequeueRejected", FAILED),
    no("alwaysRequeueWithTxManagerRollback", FAILED),
    no("adviceChain", FAILED),
    no("afterReceivePostProcessors", "has no meaning here: a handler's arguments say what is made of a message"),
    no("statefulRetryFatalWithNullMessageId", "has no meaning here: attempts are counted without a message id"),
    no("javaLangErrorHandler", "has no meaning here: a panic is a failed attempt like any other"),
    no("channelTransacted", TRANSACTED),
    no("transactionAttribute", TRANSACTED),
    no("exposeListenerChannel", SESSION),
    no("noLocal", "has no meaning here: RabbitMQ does not know it"),
    no("consumerTagStrategy", "has no meaning here: the tags of consumers are hearken's own"),
    no("consumerArguments", "is no key: write `consumerPriority`, `exclusive` or `singleActiveConsumer`"),
    no("forceCloseChannel", "has no meaning here: what runs beyond `shutdownTimeout` is always cut short"),
    no("forceStop", "is no key: write `acceptMessagesWhileStopping`; without it a stop hands back what is buffered"),
    no("idleEventInterval", "is not available yet: events of idle listeners come with a later version"),
    no("lookupKeyQualifier", BROKER),
    no("taskScheduler", RUNTIME),
    no("micrometerEnabled", METRICS),
    no("micrometerTags", METRICS),
    no("observationEnabled", METRICS),
    no("observationConvention", METRICS),
];
