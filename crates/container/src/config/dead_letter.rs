//! Where dead letters go, and that they do not come back.

use std::collections::BTreeMap;

use hearken_core::redelivery::RedeliveryPolicy;

use super::consumer;
use super::effective::{Effective, Rank};
use super::listener::Reader;
use super::names::dotted;
use super::problem::{Problem, Report};
use super::settings::{DeadLetterStrategy, DeadLetterTarget, ListenerSettings};
use super::spot::Spot;

/// The target of a listener with this queue.
pub(super) fn target(
    reader: &mut Reader<'_>,
    queue: Option<&str>,
    policy: &RedeliveryPolicy,
) -> DeadLetterTarget {
    let (named, strategy) = (reader.get("deadLetter"), reader.get("deadLetterStrategy"));
    let chosen = strategy.as_ref().and_then(|strategy| DeadLetterStrategy::from_name(strategy.text()));
    let rank = |value: &Option<Effective>| value.as_ref().map_or(Rank::BuiltIn, |value| value.rank);
    let target = match chosen.unwrap_or_default() {
        // A queue that is named more specifically than the strategy is the answer.
        _ if rank(&named) > rank(&strategy) => shared(named.as_ref()),
        DeadLetterStrategy::Shared => shared(named.as_ref()),
        other => {
            contradiction(reader, named.as_ref(), strategy.as_ref());
            match other {
                DeadLetterStrategy::Individual => individual(reader, queue),
                _ => discard(reader, strategy.as_ref(), policy),
            }
        }
    };
    if let (Some(queue), Some(target)) = (queue, target.queue())
        && queue == target
    {
        let spot = [&named, &strategy].into_iter().flatten().max_by_key(|value| value.rank);
        let spot = spot.map_or(Spot::BuiltIn, |value| value.spot.clone());
        // A default is nobody's mistake: the queue is.
        let queue_spot = || reader.get("queue").map_or(Spot::BuiltIn, |queue| queue.spot);
        let spot = if matches!(spot, Spot::BuiltIn) { queue_spot() } else { spot };
        let message = format!("the dead letters of `{queue}` would go round: {queue} → {queue}");
        let problem = Problem::error(&spot, reader.path("deadLetter"), message);
        reader
            .report
            .add(problem.help("name another queue, or write deadLetterStrategy = \"discarding\"".to_owned()));
    }
    target
}

fn shared(named: Option<&Effective>) -> DeadLetterTarget {
    named.map_or(DeadLetterTarget::Discard, |named| DeadLetterTarget::Queue(named.text().to_owned()))
}

fn individual(reader: &mut Reader<'_>, queue: Option<&str>) -> DeadLetterTarget {
    if let (Some(""), Some(strategy), Some(temporary)) =
        (queue, reader.place().certain("deadLetterStrategy"), reader.get("temporary"))
    {
        let reason = "the dead letter queue would be named after a queue without a name of its own";
        let help = "name deadLetter for this listener";
        consumer::contradiction(
            reader,
            ("temporary", &temporary),
            ("deadLetterStrategy", &strategy),
            reason,
            help,
        );
        return DeadLetterTarget::Discard;
    }
    let prefix = reader.get("deadLetterPrefix");
    let name = format!("{}{}", prefix.as_ref().map_or("", Effective::text), queue.unwrap_or_default());
    if let (Some(prefix), true) = (&prefix, name.len() > 255) {
        let message =
            format!("the dead letter queue would have a name of {} bytes; 255 are allowed", name.len());
        let spot = reader.get("queue").map_or_else(|| prefix.spot.clone(), |queue| queue.spot);
        reader.report.add(Problem::error(&spot, reader.path("deadLetterPrefix"), message));
    }
    DeadLetterTarget::Queue(name)
}

fn discard(
    reader: &mut Reader<'_>,
    strategy: Option<&Effective>,
    policy: &RedeliveryPolicy,
) -> DeadLetterTarget {
    if let (Some(strategy), Some(0)) = (strategy, policy.limit()) {
        let message = format!(
            "every failure discards its message: policy `{}` has no redelivery, and there is no dead letter",
            policy.name
        );
        let path = reader.path_of("deadLetterStrategy", strategy);
        let problem = Problem::warning(&strategy.key, path, message);
        reader.report.add(problem.help("write deadLetterStrategy = \"shared\" to keep them".to_owned()));
    }
    DeadLetterTarget::Discard
}

fn contradiction(reader: &mut Reader<'_>, named: Option<&Effective>, strategy: Option<&Effective>) {
    let (Some(named), Some(strategy)) = (named, strategy) else {
        return;
    };
    if named.rank == strategy.rank && named.rank > Rank::BuiltIn {
        let (given, text) = (strategy.key.source(), strategy.text());
        let message = format!("contradicts deadLetterStrategy = \"{text}\", given at {given}");
        let path = reader.path_of("deadLetter", named);
        let problem = Problem::error(&named.key, path, message);
        reader
            .report
            .add(problem.help("a queue is named for the strategy \"shared\" only: remove one".to_owned()));
    }
}

/// Over several listeners dead letters may go round too: A's to B, and B's to A.
pub(crate) fn cycles<'a>(listeners: impl Iterator<Item = (&'a ListenerSettings, Spot)>, report: &mut Report) {
    let mut next: BTreeMap<&str, (&str, &ListenerSettings, Spot)> = BTreeMap::new();
    for (listener, spot) in listeners {
        if let Some(target) = listener.dead_letter.queue() {
            next.entry(&listener.queue).or_insert((target, listener, spot));
        }
    }
    for start in next.keys() {
        let mut trail = vec![*start];
        while let Some((target, ..)) = trail.last().and_then(|queue| next.get(queue)) {
            // Each cycle once, told at its first queue by name.
            if trail.len() > next.len() || *target < *start {
                break;
            }
            trail.push(target);
            if target == start {
                tell(&trail, &next, report);
                break;
            }
        }
    }
}

fn tell(trail: &[&str], next: &BTreeMap<&str, (&str, &ListenerSettings, Spot)>, report: &mut Report) {
    let stations: Vec<_> = trail.iter().filter_map(|queue| next.get(queue)).collect();
    // A default is nobody's mistake.
    let named = stations.iter().find(|(.., spot)| !matches!(spot, Spot::BuiltIn));
    // A listener whose dead letters come to itself has been told of.
    if let (Some((_, listener, spot)), true) = (named.or(stations.first()), trail.len() > 2) {
        let message = format!("dead letters would go round: {}", trail.join(" → "));
        let path = dotted(&["listeners", &listener.id, "deadLetter"]);
        report.add(Problem::error(spot, path, message).help("end at a queue without listener".to_owned()));
    }
}
