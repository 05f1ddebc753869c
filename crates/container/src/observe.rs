//! Spans and events. Field names are those of OpenTelemetry's messaging conventions; ours begin with `hearken.`.
//! No payload anywhere; error texts are cut and hold neither control characters nor known secrets.

use crate::epoch::chain;
use crate::invoker::{Job, Relocation};
use crate::listener::ListenerRuntime;
use hearken_core::failure::Failure;
use hearken_core::history::{presentable, printable};
use hearken_core::transport::PublishError;
use hearken_core::verdict::Verdict;
use std::fmt::Arguments;
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
        Verdict::Defer { failure: None, after } => {
            tracing::info!(hearken.listener = id, "deferred by {after:?}");
        }
        Verdict::Discard { reason } => {
            tracing::info!(hearken.listener = id, reason = presentable(reason, LINE), "discarded");
        }
        Verdict::Redeliver { failure, after } => {
            failed(id, attempt, failure, format_args!("again in {after:?}"));
        }
        Verdict::Defer { failure: Some(failure), after } => {
            failed(id, attempt, failure, format_args!("again in {after:?}, not counted"));
        }
        Verdict::Pause { failure, pause } => {
            failed(id, attempt, failure, format_args!("the listener pauses for {pause:?}, not counted"));
        }
        Verdict::DeadLetter { failure, exhausted } => {
            let why = if *exhausted { "the redelivery limit is reached" } else { "trying again cannot help" };
            failed(id, attempt, failure, format_args!("dead letter: {why}"));
        }
        Verdict::Abandon { failure, exhausted } => {
            let why = if *exhausted { "the redelivery limit is reached" } else { "by a rule of its policy" };
            failed(id, attempt, failure, format_args!("discarded: {why}"));
        }
    }
}

fn failed(listener: &str, attempt: u64, failure: &Failure, then: Arguments<'_>) {
    let kind = failure.kind().as_str();
    Span::current().record("error.type", kind);
    tracing::warn!(
        hearken.listener = listener,
        hearken.attempt = attempt,
        error.r#type = kind,
        error = presentable(&failure.text(), LINE),
        "attempt {attempt} failed; {then}"
    );
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
