//! What does not fit how long the broker leaves a delivery unacknowledged (`consumerTimeout`).

use std::time::Duration;

use hearken_core::redelivery::RedeliveryPolicy;

use super::duration;
use super::effective::Effective;
use super::key::Table;
use super::listener::Reader;
use super::place::origin;
use super::problem::Problem;
use super::settings::RedeliveryMode;
use super::spot::Spot;
use crate::patience::{hold_limit, longest_wait};

pub(super) fn check(reader: &mut Reader<'_>, policy: &RedeliveryPolicy) {
    let place = reader.place();
    let rabbitmq =
        place.resolver.plain(Table::Transport, "url").is_some_and(|url| url.text().starts_with("amqp"));
    let timeout = place.resolver.plain(Table::Transport, "consumerTimeout");
    if let Some(timeout) = timeout.filter(|timeout| rabbitmq && !timeout.duration().is_zero()) {
        too_long(reader, &timeout);
        waits(reader, policy, &timeout);
    }
}

/// `consumerTimeout = "30m", built in`.
fn told(timeout: &Effective) -> String {
    format!("consumerTimeout = \"{}\", {}", duration::show(timeout.integer()), origin(timeout))
}

fn show(time: Duration) -> String {
    duration::show(i64::try_from(time.as_millis()).unwrap_or(i64::MAX))
}

fn too_long(reader: &mut Reader<'_>, timeout: &Effective) {
    let place = reader.place();
    let third = hold_limit(Duration::MAX, Some(timeout.duration()));
    if let Some(handler) = place.certain("handlerTimeout").filter(|time| time.duration() > timeout.duration())
    {
        let message = format!(
            "{} is longer than {}: the broker takes a delivery back that is unacknowledged for longer",
            place.literal("handlerTimeout", &handler),
            told(timeout)
        );
        let help = "raise consumer_timeout on the broker, and say so in consumerTimeout".to_owned();
        let path = place.path_of("handlerTimeout", &handler);
        reader.report.add(Problem::warning(&handler.key, path, message).help(help));
    }
    let hold = place.certain("holdLimit").filter(|hold| !matches!(hold.key, Spot::BuiltIn));
    if let Some(hold) = hold.filter(|hold| hold.duration() > third) {
        let message = format!(
            "{} is longer than a third of {}: no delivery is held for longer than {}",
            place.literal("holdLimit", &hold),
            told(timeout),
            show(third)
        );
        let help = "raise consumer_timeout on the broker, and say so in consumerTimeout".to_owned();
        let path = place.path_of("holdLimit", &hold);
        reader.report.add(Problem::warning(&hold.key, path, message).help(help));
    }
}

/// Waits that cannot be held as the listener wants: spent at the broker, or impossible where no copy finds back.
fn waits(reader: &mut Reader<'_>, policy: &RedeliveryPolicy, timeout: &Effective) {
    let place = reader.place();
    let on = |key| place.certain(key).filter(Effective::boolean);
    let temporary = on("temporary");
    let Some(hold) = place.certain("holdLimit") else { return };
    // What cannot be spent elsewhere is held however long.
    let asked = if temporary.is_some() { Duration::MAX } else { hold.duration() };
    let limit = hold_limit(asked, Some(timeout.duration()));
    let longest = longest_wait(policy);
    if longest <= limit || reader.scope.descriptor.is_none() {
        return;
    }
    let bound = if limit < asked {
        format!("a third of {}", told(timeout))
    } else {
        format!("{}, {}", place.assignment("holdLimit", &hold), origin(&hold))
    };
    let asks = format!(
        "policy `{}` waits up to {}, and a delivery is held for {} at most ({bound})",
        policy.name,
        show(longest),
        show(limit)
    );
    if let Some(temporary) = temporary {
        let message = format!("{asks}: a copy does not find back to a temporary queue");
        let problem = Problem::error(&temporary.key, place.path_of("temporary", &temporary), message);
        let help = "shorten the waits, raise what bounds them, or give the queue a name".to_owned();
        reader.report.add(problem.help(help));
        return;
    }
    let client = |mode: &Effective| mode.text() == RedeliveryMode::Client.name();
    let mode = place.certain("redeliveryMode").filter(client).map(|mode| ("redeliveryMode", mode));
    let blocking = place.certain("nonBlockingRedelivery").filter(|value| !value.boolean());
    let blocking = blocking.map(|value| ("nonBlockingRedelivery", value));
    let Some((key, value)) = blocking.or(mode) else { return };
    let effect = match key {
        "redeliveryMode" => "longer waits are spent at the broker",
        _ => "longer waits are spent at the broker, where later messages overtake",
    };
    let problem = Problem::warning(&value.key, place.path_of(key, &value), format!("{asks}: {effect}"));
    reader.report.add(problem.help("shorten the waits, or raise what bounds them".to_owned()));
}
