//! Values that are legal one by one and do not fit one another: warnings.

use super::check;
use super::effective::{Effective, Rank};
use super::key::Table;
use super::names::dotted;
use super::place::{Place, origin};
use super::problem::{Problem, Report};
use super::size;

/// What one listener may hold in memory before it is told of, in bytes.
const MUCH: i64 = 1 << 30;

pub(super) fn check(place: Place<'_>, report: &mut Report) {
    memory(place, report);
    stop(place, report);
}

/// The defaults are nobody's choice, and writing one out changes nothing.
fn memory(place: Place<'_>, report: &mut Report) {
    let bytes = place.resolver.plain(Table::Transport, "maxMessageBytes");
    let (Some(prefetch), Some(concurrency), Some(bytes)) =
        (place.certain("prefetch"), place.certain("concurrency"), bytes)
    else {
        return;
    };
    let chosen = |table, key, value: &Effective| {
        place.resolver.row(table, key).and_then(check::default).is_none_or(|default| value.value != default)
    };
    let invokers = i64::from(concurrency.concurrency().max());
    let total = prefetch.integer().saturating_mul(invokers).saturating_mul(bytes.integer());
    if total <= MUCH {
        return;
    }
    let (value, path) = if chosen(Table::Listener, "prefetch", &prefetch) {
        (&prefetch, place.path_of("prefetch", &prefetch))
    } else if chosen(Table::Transport, "maxMessageBytes", &bytes) {
        (&bytes, dotted(&[Table::Transport.word(), "maxMessageBytes"]))
    } else {
        return;
    };
    let message = format!(
        "one listener may hold {} in memory: prefetch {} × concurrency {invokers} × maxMessageBytes {}",
        size::show_rounded(total),
        prefetch.integer(),
        size::show(bytes.integer()),
    );
    let help = format!("lower one of the three, to {} together", size::show(MUCH));
    report.add(Problem::warning(&value.key, path, message).help(help));
}

/// What a stop waits for, and what it does not.
fn stop(place: Place<'_>, report: &mut Report) {
    let Some(shutdown) = place.certain("shutdownTimeout") else {
        return;
    };
    let longer = |key| {
        place
            .certain(key)
            .filter(|value| value.rank > Rank::BuiltIn && value.duration() > shutdown.duration())
    };
    if let Some(handler) = longer("handlerTimeout") {
        let effect = "a stop may cut a call short, and its message comes again";
        let help = format!("write shutdownTimeout = {} or more", place.literal("handlerTimeout", &handler));
        disproportion(place, ("handlerTimeout", &handler), &shutdown, effect, help, report);
    }
    if let Some(receive) = longer("receiveTimeout") {
        let help = "a stop never waits for receiveTimeout".to_owned();
        disproportion(place, ("receiveTimeout", &receive), &shutdown, "shutdownTimeout wins", help, report);
    }
}

fn disproportion(
    place: Place<'_>,
    (key, long): (&str, &Effective),
    shutdown: &Effective,
    effect: &str,
    help: String,
    report: &mut Report,
) {
    let (key, value, relation, other_key, other) = if shutdown.rank > long.rank {
        ("shutdownTimeout", shutdown, "shorter", key, long)
    } else {
        (key, long, "longer", "shutdownTimeout", shutdown)
    };
    let (written, other_written) = (place.literal(key, value), place.assignment(other_key, other));
    let message = format!("{written} is {relation} than {other_written}, {}: {effect}", origin(other));
    report.add(Problem::warning(&value.key, place.path_of(key, value), message).help(help));
}
