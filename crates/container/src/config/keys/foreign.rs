use crate::config::key::Table;
use crate::config::names::squashed;

const POLICY: Table = Table::Redelivery;
const RULE: Table = Table::Rule;
const MAP: Table = Table::Map;
const LISTENER: Table = Table::Listener;
const TRANSPORT: Table = Table::Transport;

/// Names that other libraries use, without separators, and the key that means the same here.
#[rustfmt::skip]
const FOREIGN: &[(Table, &[&str], &str)] = &[
    (POLICY, &["retries", "maxretries", "retrycount", "attempts", "maxattempts", "maxredeliveries", "limit"], "maximumRedeliveries"),
    (POLICY, &["delay", "initialdelay", "initialinterval", "retrydelay", "backoff"], "initialRedeliveryDelay"),
    (POLICY, &["maxdelay", "maximumdelay", "maxinterval", "maxbackoff", "cap"], "maximumRedeliveryDelay"),
    (POLICY, &["multiplier", "factor"], "backOffMultiplier"),
    (POLICY, &["exponential", "exponentialbackoff"], "useExponentialBackOff"),
    (POLICY, &["jitter", "collisionavoidance"], "useCollisionAvoidance"),
    (RULE, &["failurekind", "failure", "errorkind"], "kind"),
    (RULE, &["errorcode", "failurecode"], "code"),
    (RULE, &["error", "contains", "text", "message", "errortext", "matches", "exception"], "errorContains"),
    (RULE, &["when", "if", "condition"], "predicate"),
    (RULE, &["action", "do", "response", "outcome"], "then"),
    (RULE, &["after", "delay", "wait", "pause", "duration"], "for"),
    (RULE, &["retries", "maxretries", "retrycount", "attempts", "maxattempts", "maxredeliveries", "limit"], "maximumRedeliveries"),
    (MAP, &["pattern", "destination", "destinationname", "queuename", "name", "match", "queues"], "queue"),
    (MAP, &["policy", "redeliverypolicy", "retry", "retrypolicy"], "redelivery"),
    (LISTENER, &["destination", "destinationname", "queuename", "queuenames", "queues", "address", "topic"], "queue"),
    (LISTENER, &["workers", "consumers", "threads", "invokers", "maxconcurrency"], "concurrency"),
    (LISTENER, &["reconnectinterval", "reconnectdelay", "recoverydelay", "initialinterval"], "recoveryInterval"),
    (LISTENER, &["multiplier", "backoffmultiplier"], "recoveryMultiplier"),
    (LISTENER, &["maxinterval", "maxbackoff"], "maxRecoveryInterval"),
    (LISTENER, &["priority", "xpriority"], "consumerPriority"),
    (LISTENER, &["sac", "xsingleactiveconsumer"], "singleActiveConsumer"),
    (LISTENER, &["prefetchcount", "prefetchsize", "qos"], "prefetch"),
    (LISTENER, &["policy", "redeliverypolicy", "retry", "retrypolicy"], "redelivery"),
    (LISTENER, &["dlq", "dlx", "deadletterqueue", "deadletterexchange"], "deadLetter"),
    (LISTENER, &["autostart", "enabled"], "autoStartup"),
    (LISTENER, &["timeout", "deadline"], "handlerTimeout"),
    (LISTENER, &["grace", "graceperiod", "shutdowngrace"], "shutdownTimeout"),
    (LISTENER, &["tx", "manager", "transactional"], "transactionManager"),
    (TRANSPORT, &["address", "addresses", "host", "broker", "brokerurl", "uri", "username", "user", "password", "vhost", "virtualhost", "port"], "url"),
    (TRANSPORT, &["ca", "cacert", "cafile", "cacerts"], "caCertificate"),
    (TRANSPORT, &["connectiontimeout"], "connectTimeout"),
    (TRANSPORT, &["requestedheartbeat"], "heartbeat"),
];

/// The key that a name of another library stands for in `table`.
pub(crate) fn foreign(table: Table, name: &str) -> Option<&'static str> {
    let name = squashed(name);
    let table = if table == Table::Container { Table::Listener } else { table };
    FOREIGN
        .iter()
        .find(|(owner, names, _)| *owner == table && names.contains(&name.as_str()))
        .map(|(_, _, key)| *key)
}
