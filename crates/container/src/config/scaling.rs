//! The limits within which a range of concurrency moves.

use super::effective::Rank;
use super::key::Table;
use super::names::dotted;
use super::place::{Place, origin};
use super::problem::{Problem, Report};
use super::resolve::Resolver;

/// What only a range of concurrency reads.
const LIMITS: [&str; 2] = ["idleConsumerLimit", "idleReceivesPerTaskLimit"];

const HELP: &str = "write a range such as concurrency = \"1-4\", or remove it";

/// Whether the value of a key is read at all, or at least was given by someone.
pub(super) fn counts(place: Place<'_>, key: &str) -> bool {
    let elastic = || place.get("concurrency").is_some_and(|value| value.concurrency().is_elastic());
    !LIMITS.contains(&key) || elastic() || place.get(key).is_some_and(|value| value.rank > Rank::BuiltIn)
}

/// A listener's own limits beside a fixed concurrency. A warning: an environment may fix for a while what else moves.
pub(super) fn check(place: Place<'_>, report: &mut Report) {
    let Some(concurrency) = place.certain("concurrency").filter(|value| !value.concurrency().is_elastic())
    else {
        return;
    };
    for key in LIMITS {
        if let Some(limit) = place.get(key).filter(|limit| limit.rank > Rank::Container) {
            let fixed = place.assignment("concurrency", &concurrency);
            let message = format!("has no effect with {fixed}, {}", origin(&concurrency));
            let problem = Problem::warning(&limit.key, place.path_of(key, &limit), message);
            report.add(problem.help(HELP.to_owned()));
        }
    }
}

/// Defaults for all listeners, of which none has a range.
pub(super) fn check_defaults(resolver: &Resolver, report: &mut Report) {
    for key in LIMITS {
        let limit = resolver.plain(Table::Container, key);
        if let Some(limit) = limit.filter(|limit| limit.rank > Rank::BuiltIn) {
            let path = dotted(&[Table::Container.word(), key]);
            let message = "has no effect: no listener has a range of concurrency";
            report.add(Problem::warning(&limit.key, path, message).help(HELP.to_owned()));
        }
    }
}
