//! How long the queue of a listener lives and who may consume from it, and what contradicts these.

use hearken_core::transport::{QueueLifetime, QueueType};

use super::effective::Effective;
use super::listener::Reader;
use super::place::origin;
use super::problem::Problem;
use super::settings::RedeliveryMode;

/// The lifetime of the queue.
pub(super) fn lifetime(reader: &Reader<'_>) -> QueueLifetime {
    let on = |key| reader.get(key).is_some_and(|value| value.boolean());
    match (on("temporary"), on("autoDelete")) {
        (true, _) => QueueLifetime::Temporary,
        (false, true) => QueueLifetime::AutoDelete,
        (false, false) => QueueLifetime::Durable,
    }
}

pub(super) fn check(reader: &mut Reader<'_>) {
    let place = reader.place();
    let on = |key| place.certain(key).filter(Effective::boolean);
    let several = || place.certain("concurrency").filter(|value| value.concurrency().max() > 1);
    let quorum = || place.certain("queueType").filter(|kind| kind.text() == QueueType::Quorum.as_str());
    let (exclusive, single) = (on("exclusive"), on("singleActiveConsumer"));
    if let Some(exclusive) = &exclusive {
        if let Some(several) = several() {
            let help =
                "write concurrency = 1 for this listener, or singleActiveConsumer in place of exclusive";
            let reason = "an exclusive consumer is the only one of its queue";
            contradiction(reader, ("exclusive", exclusive), ("concurrency", &several), reason, help);
        }
        if let Some(single) = &single {
            let help = "exclusive refuses other consumers, singleActiveConsumer has them wait: remove one";
            contradiction(
                reader,
                ("exclusive", exclusive),
                ("singleActiveConsumer", single),
                "one suffices",
                help,
            );
        }
    } else if let (Some(single), Some(several)) = (&single, several()) {
        stand_by(reader, single, &several);
    }
    let (temporary, auto_delete) = (on("temporary"), on("autoDelete"));
    for (key, value) in [("temporary", &temporary), ("autoDelete", &auto_delete)] {
        if let (Some(value), Some(kind)) = (value, quorum()) {
            let reason = "a quorum queue lives until it is deleted";
            contradiction(reader, ("queueType", &kind), (key, value), reason, "remove queueType");
        }
    }
    if let Some(temporary) = &temporary {
        if let Some(auto_delete) = &auto_delete {
            let help = "a temporary queue is deleted in any case: remove autoDelete";
            contradiction(
                reader,
                ("autoDelete", auto_delete),
                ("temporary", temporary),
                "one suffices",
                help,
            );
        }
        check_temporary(reader, temporary);
    }
}

fn check_temporary(reader: &mut Reader<'_>, temporary: &Effective) {
    let place = reader.place();
    let it = ("temporary", temporary);
    if let Some(queue) = place.certain("queue") {
        let reason = "the broker names a temporary queue";
        contradiction(reader, ("queue", &queue), it, reason, "remove one of the two");
    }
    let exchange_given = !reader.resolver.candidates(reader.scope, "exchange").is_empty();
    if reader.scope.descriptor.is_some() && !exchange_given {
        let problem =
            Problem::error(&temporary.key, reader.path("temporary"), "a temporary queue needs an `exchange`");
        let help = "nobody knows its name: name the exchange that fills it".to_owned();
        reader.report.add(problem.help(help));
    }
    let broker = |mode: &Effective| mode.text() == RedeliveryMode::Broker.name();
    if let Some(mode) = place.certain("redeliveryMode").filter(broker) {
        let reason = "what waits on the broker does not find back to a queue that is gone";
        let help = "write redeliveryMode = \"client\" for this listener";
        contradiction(reader, ("redeliveryMode", &mode), it, reason, help);
    }
    if let Some(several) = place.certain("concurrency").filter(|value| value.concurrency().max() > 1) {
        let reason = "each invoker would have a queue, and every message, of its own";
        contradiction(
            reader,
            it,
            ("concurrency", &several),
            reason,
            "write concurrency = 1 for this listener",
        );
    }
}

/// Two values that exclude each other are told at the more specific one.
pub(super) fn contradiction(
    reader: &mut Reader<'_>,
    one: (&str, &Effective),
    other: (&str, &Effective),
    reason: &str,
    help: &str,
) {
    let place = reader.place();
    let ((key, value), (other_key, other)) =
        if other.1.rank > one.1.rank { (other, one) } else { (one, other) };
    let message = format!("contradicts {}, {}: {reason}", place.assignment(other_key, other), origin(other));
    let problem = Problem::error(&value.key, place.path_of(key, value), message);
    reader.report.add(problem.help(help.to_owned()));
}

fn stand_by(reader: &mut Reader<'_>, single: &Effective, several: &Effective) {
    let place = reader.place();
    let idle = several.concurrency().max() - 1;
    let several = format!("{}, {}", place.assignment("concurrency", several), origin(several));
    let message =
        format!("only one invoker has messages at a time; with {several}, the other {idle} stand by");
    let problem = Problem::warning(&single.key, place.path_of("singleActiveConsumer", single), message);
    reader.report.add(problem.help("write concurrency = 1 for this listener".to_owned()));
}
