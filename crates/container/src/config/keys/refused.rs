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
    redelivery("ladder", LATER),
    redelivery("queue", "is no key: `queue` and `redelivery` under [[redeliveryMap]] give queues a policy"),
    redelivery("topic", "is no key: `queue` and `redelivery` under [[redeliveryMap]] give queues a policy"),
];

/// Keys of later versions, in `[container]` and with those in `[listeners.ID]`.
pub(super) const CONTAINER: &[Row] = &[
    container("ack", "is not available yet: the other acknowledge modes come with a later version"),
    container("batch", "is not available yet: batches come with a later version"),
    container("ordered", LATER),
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
