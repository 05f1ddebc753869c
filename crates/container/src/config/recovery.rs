//! The back-off of recovery: of the connection, and of each listener's consumers.

use super::effective::Rank;
use super::place::{Place, origin};
use super::problem::{Problem, Report};
use super::settings::BackOffKind;
use crate::back_off::BackOff;

/// What only growing waits read.
const GROWTH: [&str; 2] = ["recoveryMultiplier", "maxRecoveryInterval"];

/// Whether the value of a key is read at all.
pub(super) fn counts(place: Place<'_>, key: &str) -> bool {
    !GROWTH.contains(&key) || kind(place) == BackOffKind::Exponential
}

fn kind(place: Place<'_>) -> BackOffKind {
    place.get("backOff").and_then(|kind| BackOffKind::from_name(kind.text())).unwrap_or_default()
}

pub(super) fn back_off(place: Place<'_>, report: &mut Report) -> BackOff {
    let duration = |key| place.get(key).map(|value| value.duration()).unwrap_or_default();
    let interval = duration("recoveryInterval");
    let back_off = match kind(place) {
        BackOffKind::Fixed => {
            growth_without_effect(place, report);
            BackOff::fixed(interval)
        }
        BackOffKind::Exponential => {
            check_order(place, report);
            let multiplier = place.get("recoveryMultiplier").map_or(1.0, |multiplier| multiplier.decimal());
            BackOff::exponential(interval, multiplier, duration("maxRecoveryInterval"))
        }
    };
    let attempts = place.get("maxRecoveryAttempts").and_then(|most| u32::try_from(most.integer()).ok());
    attempts.map_or(back_off, |most| back_off.max_attempts(most))
}

fn growth_without_effect(place: Place<'_>, report: &mut Report) {
    let Some(kind) = place.certain("backOff") else {
        return;
    };
    for key in GROWTH {
        // A listener that goes back to "fixed" leaves what it inherits behind.
        let given = place.get(key).filter(|value| value.rank > Rank::BuiltIn && value.rank >= kind.rank);
        if let Some(value) = given {
            let message =
                format!("has no effect with {}, {}", place.assignment("backOff", &kind), origin(&kind));
            let problem = Problem::error(&value.key, place.path_of(key, &value), message);
            report.add(problem.help("write backOff = \"exponential\" beside it, or remove it".to_owned()));
        }
    }
}

fn check_order(place: Place<'_>, report: &mut Report) {
    let (Some(interval), Some(most)) =
        (place.certain("recoveryInterval"), place.certain("maxRecoveryInterval"))
    else {
        return;
    };
    if most.duration() >= interval.duration() || place.certain("backOff").is_none() {
        return;
    }
    let (key, value, relation, other_key, other) = if interval.rank > most.rank {
        ("recoveryInterval", &interval, "above", "maxRecoveryInterval", &most)
    } else {
        ("maxRecoveryInterval", &most, "below", "recoveryInterval", &interval)
    };
    let written = place.literal(key, value);
    let message =
        format!("{written} is {relation} {}, {}", place.assignment(other_key, other), origin(other));
    let problem = Problem::error(&value.key, place.path_of(key, value), message);
    report.add(problem.help("waits grow from recoveryInterval up to maxRecoveryInterval".to_owned()));
}
