//! Spans and events. Field names are those of OpenTelemetry's messaging conventions; ours begin with `hearken.`.
//! No payload anywhere; error texts are cut and hold no control characters.

use crate::epoch::chain;
use crate::invoker::{Job, Relocation};
use crate::listener::ListenerRuntime;
use hearken_core::failure::Failure;
use hearken_core::history::printable;
use hearken_core::transport::PublishError;
use hearken_core::verdict::Verdict;
use std::time::Duration;
use tracing::{Span, field};

/// The longest error text in one line of the log.
const LINE: usize = 1024;

/// The span of one delivery: from the call to its settlement.
pub(crate) fn delivery(listener: &ListenerRuntime, job: &Job) -> Span {
    let span = tracing::info_span!(
        target: "hearken::delivery",
        "process",
        otel.kind = "consumer",
        messaging.system = listener.system,
        messaging.operation.name = "process",
        messaging.operation.r#type = "process",
        messaging.destination.name = &*job.origin.queue,
        messaging.message.id = field::Empty,
        messaging.message.body.size = job.message.body().len(),
        messaging.rabbitmq.destination.routing_key = &*job.origin.routing_key,
        hearken.listener = &*listener.id,
        hearken.attempt = job.attempt(),
        error.r#type = field::Empty,
    );
    if let Some(id) = job.message.id()
        && !span.is_disabled()
    {
        span.record("messaging.message.id", printable(id, 128));
    }
    span
}

/// One line for each failed attempt; success is silent above DEBUG.
pub(crate) fn verdict(listener: &ListenerRuntime, job: &Job, verdict: &Verdict) {
    let id = &*listener.id;
    let attempt = job.attempt();
    match verdict {
        Verdict::Acknowledge => tracing::debug!(hearken.listener = id, "acknowledged"),
        Verdict::Defer { after } => tracing::info!(hearken.listener = id, "deferred by {after:?}"),
        Verdict::Discard { reason } => {
            tracing::info!(hearken.listener = id, reason = printable(reason, LINE), "discarded");
        }
        Verdict::Redeliver { failure, after } => {
            failed(failure);
            tracing::warn!(
                hearken.listener = id,
                hearken.attempt = attempt,
                error.r#type = failure.kind().as_str(),
                error = printable(&failure.text(), LINE),
                "attempt {attempt} failed; again in {after:?}"
            );
        }
        Verdict::DeadLetter { failure, exhausted } => {
            failed(failure);
            let why = if *exhausted { "the redelivery limit is reached" } else { "trying again cannot help" };
            tracing::warn!(
                hearken.listener = id,
                hearken.attempt = attempt,
                error.r#type = failure.kind().as_str(),
                error = printable(&failure.text(), LINE),
                "attempt {attempt} failed; dead letter: {why}"
            );
        }
    }
}

fn failed(failure: &Failure) {
    Span::current().record("error.type", failure.kind().as_str());
}

/// A copy was confirmed.
pub(crate) fn relocated(listener: &ListenerRuntime, job: &Job, relocation: Relocation) {
    tracing::debug!(
        hearken.listener = &*listener.id,
        hearken.attempts = job.attempts(),
        ?relocation,
        "moved"
    );
}

/// A copy was not taken: the original is kept.
pub(crate) fn not_relocated(
    listener: &ListenerRuntime,
    job: &Job,
    relocation: Relocation,
    error: &PublishError,
    wait: Duration,
) {
    let what = what(relocation);
    tracing::warn!(
        hearken.listener = &*listener.id,
        messaging.destination.name = &*job.origin.queue,
        error = printable(&chain(error), LINE),
        "{what} was not taken by the broker; the message is kept, trying again in {wait:?}"
    );
}

/// Why a listener with such a copy is degraded.
pub(crate) fn what_waits(relocation: Relocation, error: &PublishError) -> String {
    format!("{} was not taken by the broker: {}", what(relocation), printable(&chain(error), LINE))
}

fn what(relocation: Relocation) -> &'static str {
    match relocation {
        Relocation::Later(_) => "a redelivery",
        Relocation::Suspect => "a suspect",
        Relocation::DeadLetter { .. } => "a dead letter",
    }
}
