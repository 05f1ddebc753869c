//! What happened to messages, as people read it.

use super::attempt::{Span, TestAttempt};
use super::record::{Fact, Id, What};
use std::fmt::Write;
use std::time::Duration;

/// How many lines of a long story are told, from its beginning and from its end.
const ENDS: usize = 8;

/// The story of one message. Its ends only, if it is long.
pub(super) fn story(facts: &[Fact], id: &Id) -> String {
    let mut text = format!("message `{}`:\n", id.as_deref().unwrap_or("without an id"));
    let mut lines: Vec<(Duration, String)> =
        facts.iter().filter(|fact| fact.id == *id).map(|fact| line(&fact.what)).collect();
    lines.sort_by_key(|(at, _)| *at);
    let left_out = lines.len().saturating_sub(2 * ENDS);
    for (index, (at, line)) in lines.iter().enumerate() {
        if left_out > 0 && index == ENDS {
            let _ = writeln!(text, "  … {left_out} more …");
        }
        if left_out == 0 || index < ENDS || index >= ENDS + left_out {
            let _ = writeln!(text, "  {:>12}  {line}", Span(*at).to_string());
        }
    }
    if lines.is_empty() {
        text.push_str("  nothing happened to it\n");
    }
    text
}

fn line(what: &What) -> (Duration, String) {
    match what {
        What::Published { destination, at } if destination.exchange.is_empty() => {
            (*at, format!("sent to queue `{}`", destination.routing_key))
        }
        What::Published { destination, at } => {
            let text =
                format!("sent to exchange `{}`, key `{}`", destination.exchange, destination.routing_key);
            (*at, text)
        }
        What::Called { attempt, .. } => (attempt.began, called(attempt)),
        What::DeadLetter { queue, at, .. } => (*at, format!("in dead letter queue `{queue}`")),
    }
}

fn called(attempt: &TestAttempt) -> String {
    let TestAttempt { listener, number, began, ended, outcome } = attempt;
    let took = ended.map(|ended| ended.saturating_sub(*began)).filter(|took| !took.is_zero());
    let took = took.map(|took| format!(", {} long,", Span(took))).unwrap_or_default();
    format!("{listener}: attempt {number}{took} {outcome}")
}
