//! What the application's code registers by name, and configuration chooses.

use std::sync::Arc;

use super::names::{did_you_mean, quoted_list};
use super::place::Place;
use super::problem::{Problem, Report};
use super::sources::Sources;

/// The names there are; `None` when they are not known.
type Names = Option<Arc<[String]>>;

/// The names of everything that is chosen by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registered {
    managers: Names,
    error_handlers: Names,
    exception_listeners: Names,
}

impl Registered {
    pub(crate) fn of(sources: &Sources<'_>) -> Self {
        let names =
            |names: Option<&[&str]>| names.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        Self {
            managers: names(sources.transaction_managers),
            error_handlers: names(sources.error_handlers),
            exception_listeners: names(sources.exception_listeners),
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
            if names.iter().any(|name| name == named.text()) {
                continue;
            }
            let names = || names.iter().map(String::as_str);
            let help = did_you_mean(named.text(), names()).unwrap_or_else(|| match names().next() {
                Some(_) => format!("there are: {}", quoted_list(names())),
                None => format!(
                    "there is none: register it by Hearken::builder().{method}(\"{}\", …)",
                    named.text()
                ),
            });
            let message = format!("there is no {what} `{}`", named.text());
            report.add(Problem::error(&named.spot, place.path_of(key, &named), message).help(help));
        }
    }
}
