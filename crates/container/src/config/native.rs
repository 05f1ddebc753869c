//! What redeliveryMode = "native" asks for.

use hearken_core::redelivery::RedeliveryPolicy;
use hearken_core::transport::QueueType;

use super::consumer::contradiction;
use super::key::Table;
use super::listener::Reader;
use super::problem::Problem;
use super::settings::RedeliveryMode;

pub(super) fn check(reader: &mut Reader<'_>, policy: &RedeliveryPolicy) {
    let place = reader.place();
    let native = |mode: &super::effective::Effective| mode.text() == RedeliveryMode::Native.name();
    let Some(mode) = place.certain("redeliveryMode").filter(native) else { return };
    let it = ("redeliveryMode", &mode);
    if let Some(kind) = place.certain("queueType").filter(|kind| kind.text() == QueueType::Classic.as_str()) {
        let reason = "only a quorum queue delays what is retried";
        contradiction(reader, it, ("queueType", &kind), reason, "write redeliveryMode = \"broker\"");
    }
    if let Some(order) = place.certain("nonBlockingRedelivery").filter(|value| !value.boolean()) {
        let reason = "a message that waits at the broker is overtaken";
        let help = "write redeliveryMode = \"client\"";
        contradiction(reader, it, ("nonBlockingRedelivery", &order), reason, help);
    }
    let transport = place.resolver.plain(Table::Transport, "url");
    let embedded = transport.is_some_and(|url| url.text().starts_with("embedded:"));
    let fault = if embedded {
        "is of RabbitMQ's quorum queues: the embedded broker has none".to_owned()
    } else if reader.scope.descriptor.is_none() {
        return;
    } else if let Err(reason) = policy.linear_waits() {
        format!("cannot wait as policy `{}` says: {reason}", policy.name)
    } else {
        return;
    };
    let message = format!("\"native\" {fault}");
    let problem = Problem::error(&mode.key, place.path_of("redeliveryMode", &mode), message);
    reader.report.add(problem.help("write redeliveryMode = \"broker\"".to_owned()));
}
