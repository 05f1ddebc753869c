//! From environment variables to known keys: `HEARKEN_LISTENERS__ON_ORDER__PREFETCH`.

use std::collections::BTreeSet;

use super::environment::{Environment, PREFIX, RESERVED};
use super::key::Table;
use super::layer::{Given, KeyPath, Layer};
use super::names::{did_you_mean, dotted, snake_case, squashed};
use super::node::Scalar;
use super::problem::{Problem, Report};
use super::spot::Spot;
use super::structure::VALUES;
use super::table::{KeyTable, Lookup};
use super::unknown;

/// The names that users chose, as far as anything but the environment knows them: a variable has no case.
pub(crate) struct Known<'a> {
    /// `None` when it is not known which listeners there are.
    pub(crate) listeners: Option<BTreeSet<&'a str>>,
    /// The listeners that files name.
    pub(crate) configured: BTreeSet<&'a str>,
    pub(crate) policies: BTreeSet<&'a str>,
    pub(crate) values: Vec<&'a KeyPath>,
}

/// The known keys of the environment.
pub(crate) fn layer(
    environment: &Environment,
    keys: &KeyTable,
    known: &Known<'_>,
    report: &mut Report,
) -> Layer {
    let mut layer = Layer::default();
    for (name, value) in environment.keys() {
        let spot = Spot::Environment(name.into());
        match path_of(name, keys, known) {
            Ok(path) if value.contains('\u{FFFD}') => {
                report.add(Problem::error(&spot, dotted(&path), "the value is not UTF-8"));
            }
            Ok(path) => {
                if let Some(first) = layer.values.get(&path) {
                    let help = format!("first given by {}", first.key.source());
                    report.add(Problem::error(&spot, dotted(&path), "is given twice").help(help));
                    continue;
                }
                if path.len() > 2 && path[0] != VALUES {
                    layer.tables.entry(path[..2].to_vec()).or_insert_with(|| spot.clone());
                }
                let scalar = Scalar::Text(value.to_owned());
                layer.values.insert(path, Given { scalar, lenient: true, key: spot.clone(), value: spot });
            }
            Err((message, help)) => report.add(Problem::error(&spot, "", message).help(help)),
        }
    }
    layer
}

type Told = (String, Option<String>);

fn path_of(name: &str, keys: &KeyTable, known: &Known<'_>) -> Result<KeyPath, Told> {
    let rest = name.strip_prefix(PREFIX).unwrap_or(name);
    let Some((word, rest)) = rest.split_once("__") else {
        return Err(no_table(name, rest, keys));
    };
    let word = word.to_ascii_lowercase();
    if word == VALUES {
        return Ok(value_path(rest, known));
    }
    let table = Table::of_word(&word).ok_or_else(|| unknown::table(&word))?;
    let (mut path, key) = if table.is_named() {
        let missing = || {
            let form = format!("{PREFIX}{}__NAME__KEY", table.word().to_ascii_uppercase());
            ("names no key".to_owned(), Some(format!("a key of {} is named by {form}", table.title())))
        };
        let (id, key) = rest.rsplit_once("__").ok_or_else(missing)?;
        (vec![word, user_name(table, id, known)?], key)
    } else {
        (vec![word], rest)
    };
    match keys.lookup_loosely(table, key) {
        Lookup::Key(row) => path.push(row.key.to_owned()),
        Lookup::Refused(reason) => return Err((format!("`{}` {reason}", key.to_ascii_lowercase()), None)),
        Lookup::Unknown => {
            let (_, help) = unknown::key_of(keys, table, &key.to_ascii_lowercase(), None);
            return Err((format!("no key of {} is called {key}", table.title()), help));
        }
    }
    Ok(path)
}

fn no_table(name: &str, rest: &str, keys: &KeyTable) -> Told {
    let near = did_you_mean(name, RESERVED);
    let help = near.or_else(|| {
        let mut homes = Table::single().filter(|table| !table.is_named());
        homes.find_map(|table| match keys.lookup_loosely(table, rest) {
            Lookup::Key(row) => Some(format!("did you mean {}?", variable(table, row.key))),
            _ => None,
        })
    });
    let form = || "a key is named by HEARKEN_TABLE__KEY, with two underscores".to_owned();
    ("is no key of the configuration".to_owned(), Some(help.unwrap_or_else(form)))
}

/// The variable of a key in an unnamed table.
fn variable(table: Table, key: &str) -> String {
    format!("{PREFIX}{}__{}", table.word(), snake_case(key)).to_ascii_uppercase()
}

fn user_name(table: Table, written: &str, known: &Known<'_>) -> Result<String, Told> {
    let (names, what): (Vec<&str>, _) = match (table, &known.listeners) {
        (Table::Listener, Some(listeners)) => (listeners.iter().copied().collect(), "listener"),
        (Table::Listener, None) => (known.configured.iter().copied().collect(), "listener"),
        _ => (known.policies.iter().copied().collect(), "policy"),
    };
    let spelling = |name: &str| {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        name.chars().map(plain).collect::<String>()
    };
    let same: Vec<_> = names.iter().filter(|name| spelling(name) == spelling(written)).collect();
    match same.as_slice() {
        [name] => Ok((**name).to_owned()),
        [] if table == Table::Listener && known.listeners.is_none() => Ok(written.to_ascii_lowercase()),
        [] => {
            let lower = written.to_ascii_lowercase();
            let help = did_you_mean(&lower, names.iter().copied());
            Err((format!("there is no {what} `{lower}`"), help))
        }
        [one, other, ..] => Err((format!("`{one}` and `{other}` have the same name here"), None)),
    }
}

fn value_path(rest: &str, known: &Known<'_>) -> KeyPath {
    let mut path = vec![VALUES.to_owned()];
    path.extend(rest.split("__").map(str::to_ascii_lowercase));
    let same = |one: &KeyPath| {
        one.len() == path.len() && one.iter().zip(&path).all(|(a, b)| squashed(a) == squashed(b))
    };
    known.values.iter().find(|one| same(one)).map_or(path.clone(), |one| (*one).clone())
}
