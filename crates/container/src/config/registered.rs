//! What the application's code registers by name, and configuration chooses.

use std::sync::Arc;

use super::names::{did_you_mean, quoted_list};
use super::place::Place;
use super::problem::{Problem, Report};
use super::sources::Sources;
use super::spot::Spot;

/// The names there are; `None` when they are not known.
type Names = Option<Arc<[String]>>;

/// The names of everything that is chosen by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registered {
    managers: Names,
    error_handlers: Names,
    exception_listeners: Names,
    failure_predicates: Names,
}

impl Registered {
    pub(crate) fn of(sources: &Sources<'_>) -> Self {
        let names =
            |names: Option<&[&str]>| names.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        Self {
            managers: names(sources.transaction_managers),
            error_handlers: names(sources.error_handlers),
            exception_listeners: names(sources.exception_listeners),
            failure_predicates: names(sources.failure_predicates),
        }
    }

    /// Each name that is chosen must be one of those there are.
    pub(super) fn check(&self, place: Place<'_>, report: &mut Report) {
        let chosen = [
            ("transactionManager", "transaction manager", "transaction_manager", &self.managers),
            ("errorHandler", "error handler", "error_handler", &self.error_handlers),
            ("exceptionListener", "exception listener", "exception_listener", &self.exception_listeners),
        ];
        for (key, what, method, names) in chosen {
            let (Some(names), Some(named)) = (names, place.get(key)) else {
                continue;
            };
            if let Some((message, help)) = unknown(names, what, method, named.text()) {
                report.add(Problem::error(&named.spot, place.path_of(key, &named), message).help(help));
            }
        }
    }

    /// The predicate that a rule of a policy names must be one of those there are.
    pub(super) fn check_predicate(&self, name: &str, spot: &Spot, path: String, report: &mut Report) {
        let Some(names) = &self.failure_predicates else {
            return;
        };
        if let Some((message, help)) = unknown(names, "failure predicate", "failure_predicate", name) {
            report.add(Problem::error(spot, path, message).help(help));
        }
    }
}

/// What is said of a name that is none of those there are.
fn unknown(names: &[String], what: &str, method: &str, name: &str) -> Option<(String, String)> {
    if names.iter().any(|known| known == name) {
        return None;
    }
    let names = || names.iter().map(String::as_str);
    let help = did_you_mean(name, names()).unwrap_or_else(|| match names().next() {
        Some(_) => format!("there are: {}", quoted_list(names())),
        None => format!("there is none: register it by Hearken::builder().{method}(\"{name}\", …)"),
    });
    Some((format!("there is no {what} `{name}`"), help))
}
