use std::fmt;
use std::time::Duration;

use hearken_core::redelivery::RedeliveryPolicy;

use super::key::Table;
use super::layer::{Given, KeyPath, Layer};
use super::names::dotted;
use super::node::Scalar;
use super::problem::{Problem, Report};
use super::spot::Spot;
use super::structure::VALUES;
use super::table::{KeyTable, Lookup};
use super::unknown;
use crate::concurrency::Concurrency;

/// A value given in code.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A text, of a key of any type.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number.
    Decimal(f64),
    /// A truth value.
    Boolean(bool),
}

macro_rules! conversions {
    ($($from:ty, $value:ident => $result:expr;)+) => {
        $(impl From<$from> for Value {
            fn from($value: $from) -> Self {
                $result
            }
        })+
    };
}

conversions! {
    &str, text => Self::Text(text.to_owned());
    String, text => Self::Text(text);
    bool, value => Self::Boolean(value);
    i32, value => Self::Integer(value.into());
    u32, value => Self::Integer(value.into());
    u16, value => Self::Integer(value.into());
    i64, value => Self::Integer(value);
    f64, value => Self::Decimal(value);
    Concurrency, value => Self::Text(value.to_string());
    Duration, value => Self::Integer(i64::try_from(value.as_millis()).unwrap_or(i64::MAX));
}

impl Value {
    pub(crate) fn scalar(&self) -> Scalar {
        match self {
            Self::Text(text) => Scalar::Text(text.clone()),
            Self::Integer(value) => Scalar::integer(*value),
            Self::Decimal(value) => Scalar::decimal(*value),
            Self::Boolean(value) => Scalar::Boolean(*value),
        }
    }
}

/// What the application's code sets: the builder's layer, over file, profile and environment.
#[derive(Clone, Default)]
pub struct Overrides {
    values: Vec<(String, Value)>,
    policies: Vec<RedeliveryPolicy>,
}

/// Paths only: values may be secrets.
impl fmt::Debug for Overrides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths: Vec<_> = self.values.iter().map(|(path, _)| path).collect();
        f.debug_struct("Overrides").field("paths", &paths).field("policies", &self.policies).finish()
    }
}

impl Overrides {
    /// Nothing is set.
    pub fn new() -> Self {
        Self::default()
    }

    /// A key by its path: `listeners.on_order.prefetch`. The last value of a key counts.
    pub fn set(&mut self, path: impl Into<String>, value: impl Into<Value>) -> &mut Self {
        self.values.push((path.into(), value.into()));
        self
    }

    /// A policy, in place of one of the same name.
    pub fn policy(&mut self, policy: RedeliveryPolicy) -> &mut Self {
        self.policies.push(policy);
        self
    }

    pub(crate) fn policies(&self) -> &[RedeliveryPolicy] {
        &self.policies
    }

    pub(crate) fn layer(&self, keys: &KeyTable, report: &mut Report) -> Layer {
        let mut layer = Layer::default();
        for (path, value) in &self.values {
            if let Some(path) = key_path(keys, path, report) {
                if path.len() == 3 && path[0] != VALUES {
                    layer.tables.insert(path[..2].to_vec(), Spot::Builder);
                }
                layer.values.insert(path, given(value));
            }
        }
        layer
    }
}

/// The words of a dotted path; only the name of a policy may hold dots itself.
fn key_path(keys: &KeyTable, path: &str, report: &mut Report) -> Option<KeyPath> {
    let mut words: KeyPath = path.split('.').map(str::to_owned).collect();
    if words[0] == VALUES && words.len() > 1 {
        return Some(words);
    }
    let Some(table) = Table::of_word(&words[0]) else {
        let (message, help) = unknown::table(&words[0]);
        report.add(Problem::error(&Spot::Builder, path, message).help(help));
        return None;
    };
    let named = usize::from(table.is_named());
    if words.len() < 2 + named {
        let message = format!("is no path of a key of {}", table.title());
        report.add(Problem::error(&Spot::Builder, path, message));
        return None;
    }
    let key = words.pop()?;
    let name = words[1..].join(".");
    words.truncate(1);
    words.extend(Some(name).filter(|name| !name.is_empty()));
    words.push(known_key(keys, table, &words, &key, report)?.to_owned());
    Some(words)
}

/// A value from code as it stands in a layer.
pub(crate) fn given(value: &Value) -> Given {
    Given { scalar: value.scalar(), lenient: true, key: Spot::Builder, value: Spot::Builder }
}

/// The key's own spelling; reports a name that is none.
pub(crate) fn known_key<'a>(
    keys: &'a KeyTable,
    table: Table,
    path: &[String],
    key: &str,
    report: &mut Report,
) -> Option<&'a str> {
    let (message, help) = match keys.lookup(table, key) {
        Lookup::Key(row) => return Some(row.key),
        Lookup::Refused(reason) => (format!("`{key}` {reason}"), None),
        Lookup::Unknown => unknown::key_of(keys, table, key, None),
    };
    report.add(Problem::error(&Spot::Builder, dotted(path), message).help(help));
    None
}
