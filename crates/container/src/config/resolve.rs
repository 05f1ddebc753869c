//! The value of a key, with placeholders read from the merged configuration.

use std::collections::{BTreeMap, BTreeSet};

use super::check::{self, Checked, Fault};
use super::effective::Effective;
use super::key::{Kind, Row, Table};
use super::layer::{Given, KeyPath};
use super::mask;
use super::merge::Merged;
use super::names::{did_you_mean, dotted, squashed};
use super::node::Scalar;
use super::placeholder::{self, Placeholder};
use super::structure::VALUES;
use super::table::{KeyTable, Lookup};

/// A fault of a value that a placeholder supplied; one that is a secret by its name is not shown.
fn read_from(row: &Row, placeholder: &str, fault: Fault) -> Fault {
    if mask::is_secret_name(placeholder) {
        let message =
            format!("expected {}, found another value (from {placeholder})", check::expected(row.kind));
        return Fault { message, help: None };
    }
    Fault { message: format!("{} (from {placeholder})", fault.message), ..fault }
}

/// What values are read against.
#[derive(Clone, Debug)]
pub(crate) struct Resolver {
    pub(crate) merged: Merged,
    pub(crate) keys: KeyTable,
    /// Policies that the application's code gave: what files say of them does not count.
    pub(crate) code: BTreeSet<String>,
    /// The values of unnamed tables, which every listener inherits.
    pub(crate) shared: BTreeMap<Table, BTreeMap<&'static str, Option<Effective>>>,
}

/// What a path in a placeholder leads to.
enum Target<'a> {
    Given(KeyPath, &'a Given),
    Default(&'static str),
    Secret,
    Nothing,
}

impl Resolver {
    pub(crate) fn new(merged: Merged, keys: KeyTable, code: BTreeSet<String>) -> Self {
        let mut resolver = Self { merged, keys, code, shared: BTreeMap::new() };
        let values = |table| {
            let rows = resolver.keys.rows(table).into_iter();
            (table, rows.map(|row| (row.key, resolver.read(row, table))).collect())
        };
        let shared = Table::single().filter(|table| !table.is_named()).map(values);
        resolver.shared = shared.collect();
        resolver
    }

    /// The value of a key, checked.
    pub(crate) fn value(&self, row: &Row, given: &Given) -> Result<Checked, Fault> {
        let (scalar, lenient) = self.resolved(given)?;
        let checked = check::check(row, &scalar, lenient, self.keys.schemes());
        checked.map_err(|fault| match &given.scalar {
            Scalar::Text(text) if given.is_placeholder() => read_from(row, text, fault),
            _ => fault,
        })
    }

    /// The value without placeholders, and whether its text may spell any type.
    pub(crate) fn resolved(&self, given: &Given) -> Result<(Scalar, bool), Fault> {
        self.follow(given, &mut Vec::new())
    }

    fn follow(&self, given: &Given, trail: &mut Vec<String>) -> Result<(Scalar, bool), Fault> {
        let fault = |message: String, help: Option<String>| Fault { message, help };
        let Scalar::Text(text) = &given.scalar else {
            return Ok((given.scalar.clone(), given.lenient));
        };
        let Some(placeholder) = placeholder::parse(text).map_err(|reason| {
            fault(reason.to_owned(), Some("write ${path} or ${path:default}".to_owned()))
        })?
        else {
            return Ok((given.scalar.clone(), given.lenient));
        };
        match self.target(&placeholder.path) {
            Target::Given(path, next) => {
                let name = dotted(&path);
                let goes_round = trail.contains(&name);
                trail.push(name);
                if goes_round {
                    return Err(fault(format!("placeholders go round: {}", trail.join(" → ")), None));
                }
                self.follow(next, trail).map(|(scalar, _)| (scalar, true))
            }
            Target::Default(default) => Ok((Scalar::Text(default.to_owned()), true)),
            Target::Secret => {
                let name = dotted(&placeholder.path);
                Err(fault(format!("`{name}` may hold a password: no placeholder reads it"), None))
            }
            Target::Nothing => self.missing(placeholder),
        }
    }

    fn missing(&self, placeholder: Placeholder) -> Result<(Scalar, bool), Fault> {
        if let Some(default) = placeholder.default {
            return Ok((Scalar::Text(default), true));
        }
        let name = dotted(&placeholder.path);
        let known: Vec<_> =
            self.merged.paths().filter(|path| path[0] == VALUES).map(|path| dotted(&path[1..])).collect();
        let help = did_you_mean(&name, known.iter().map(String::as_str))
            .unwrap_or_else(|| format!("give it under [values], or a default: ${{{name}:default}}"));
        Err(Fault { message: format!("`{name}` is not in the configuration"), help: Some(help) })
    }

    fn target(&self, path: &[String]) -> Target<'_> {
        let mut own = vec![VALUES.to_owned()];
        own.extend_from_slice(path);
        if let Some(given) = self.merged.get(&own) {
            return Target::Given(own, given);
        }
        // An environment variable has no case.
        let same = |other: &&KeyPath| {
            other.len() == own.len() && other.iter().zip(&own).all(|(a, b)| squashed(a) == squashed(b))
        };
        if let Some((path, given)) =
            self.merged.paths().find(same).and_then(|path| Some((path, self.merged.get(path)?)))
        {
            return Target::Given(path.clone(), given);
        }
        self.key_target(path)
    }

    fn key_target(&self, path: &[String]) -> Target<'_> {
        let (Some(table), Some(key)) = (path.first().and_then(|word| Table::of_word(word)), path.last())
        else {
            return Target::Nothing;
        };
        if path.len() != if table.is_named() { 3 } else { 2 } {
            return Target::Nothing;
        }
        let Lookup::Key(row) = self.keys.lookup(table, key) else {
            return Target::Nothing;
        };
        if matches!(row.kind, Kind::Url { .. } | Kind::ConnectionUri) {
            return Target::Secret;
        }
        let mut path = path.to_vec();
        if let Some(last) = path.last_mut() {
            *last = row.key.to_owned();
        }
        match (self.merged.get(&path), row.default) {
            (Some(given), _) => Target::Given(path, given),
            (None, Some(default)) if !table.is_named() => Target::Default(default),
            _ => Target::Nothing,
        }
    }
}
