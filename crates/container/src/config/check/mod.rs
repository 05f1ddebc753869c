//! One value against the kind of its key.

mod address;
mod number;
mod show;
mod text;

use super::duration;
use super::key::{Kind, Row};
use super::names::quoted_list;
use super::node::Scalar;
use super::size;
use super::uri;
use crate::concurrency::Concurrency;

pub(crate) use show::literal;

/// A value of the type its key asks for. Durations are milliseconds, sizes bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Checked {
    Text(String),
    Integer(i64),
    Decimal(f64),
    Boolean(bool),
    Concurrency(Concurrency),
}

/// What is wrong with a value, and what to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl Fault {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None }
    }

    pub(super) fn help(mut self, help: impl Into<Option<String>>) -> Self {
        self.help = help.into();
        self
    }
}

/// Checks a value. A lenient one is a text that may spell a value of any type.
pub(crate) fn check(row: &Row, scalar: &Scalar, lenient: bool, schemes: &[&str]) -> Result<Checked, Fault> {
    match (row.kind, scalar) {
        (Kind::Text { empty, longest }, Scalar::Text(text)) => text::text(text, empty, longest),
        (Kind::Queue, Scalar::Text(text)) => text::queue(text),
        (Kind::Pattern, Scalar::Text(text)) => text::pattern(text),
        (Kind::Choice(choices), Scalar::Text(text)) => text::choice(text, choices),
        (Kind::Certificate, Scalar::Text(text)) => text::text(text, false, 4096),
        (Kind::Url { .. }, Scalar::Text(text)) => address::url(text, schemes),
        (Kind::ConnectionUri, Scalar::Text(text)) => uri::parse(text).map(|_| Checked::Text(text.clone())),
        (Kind::Boolean, Scalar::Boolean(value)) => Ok(Checked::Boolean(*value)),
        (Kind::Boolean, Scalar::Text(text)) if lenient => text::boolean(text),
        (Kind::Concurrency, _) => number::concurrency(row, scalar, lenient),
        (Kind::Integer { min, max }, _) => number::integer(row, scalar, lenient, min, max),
        (Kind::Percent, _) => number::percent(row, scalar, lenient),
        (Kind::Decimal, _) => number::decimal(row, scalar, lenient),
        (Kind::Factor, _) => number::factor(row, scalar, lenient),
        (Kind::Limit, _) => number::limit(row, scalar, lenient),
        (Kind::Size { min }, _) => number::size(row, scalar, lenient, min),
        (Kind::Duration { .. }, _) => number::duration(row, scalar, lenient),
        _ => Err(mismatch(row, scalar)),
    }
}

/// The default of a key.
pub(crate) fn default(row: &Row) -> Option<Checked> {
    let scalar = Scalar::Text(row.default?.to_owned());
    let schemes = if let Kind::Url { schemes } = row.kind { schemes } else { &[] };
    check(row, &scalar, true, schemes).ok()
}

/// `expected …, found …; write …`.
fn mismatch(row: &Row, scalar: &Scalar) -> Fault {
    let found = if matches!(row.kind, Kind::Url { .. } | Kind::ConnectionUri) {
        show::type_of(scalar)
    } else {
        show::found(scalar)
    };
    Fault::new(format!("expected {}, found {found}", expected(row.kind))).help(meant(row.kind, scalar))
}

/// What a key takes, for a reader.
pub(crate) fn expected(kind: Kind) -> String {
    match kind {
        Kind::Text { .. } => "a text".to_owned(),
        Kind::Queue => "the name of a queue".to_owned(),
        Kind::Pattern => "a pattern of the names of queues (\"orders.*\", \"orders.>\")".to_owned(),
        Kind::Integer { min, max: i64::MAX } => format!("an integer from {min}"),
        Kind::Integer { min, max } => format!("an integer from {min} to {max}"),
        Kind::Concurrency => {
            format!("an integer from 1 to {}, or a range of them (\"3-10\")", Concurrency::MOST)
        }
        Kind::Size { .. } => "a number of bytes, or a text with a unit (\"16MiB\")".to_owned(),
        Kind::Duration { unlimited: true, .. } => {
            "milliseconds, a text with a unit (\"1s\", \"2m30s\"), or -1".to_owned()
        }
        Kind::Duration { .. } => "milliseconds, or a text with a unit (\"1s\", \"2m30s\")".to_owned(),
        Kind::Boolean => "true or false".to_owned(),
        Kind::Percent => "an integer from 0 to 100".to_owned(),
        Kind::Decimal => "a number above 0".to_owned(),
        Kind::Factor => "a number of at least 1".to_owned(),
        Kind::Limit => "an integer from 1, or -1 for no limit".to_owned(),
        Kind::Choice([one]) => format!("\"{one}\""),
        Kind::Choice(choices) => format!("one of {}", quoted_list(choices.iter().copied())),
        Kind::Url { .. } => "the address of a broker".to_owned(),
        Kind::ConnectionUri => "a connection URI of ActiveMQ".to_owned(),
        Kind::Certificate => "the path of a file".to_owned(),
        Kind::Tables(table) => format!("tables {}", table.title()),
        Kind::Refused(_) => "nothing".to_owned(),
    }
}

/// The same value in the type that is wanted, if it says what was meant.
fn meant(kind: Kind, scalar: &Scalar) -> Option<String> {
    let written = match (kind, scalar) {
        (Kind::Boolean, Scalar::Text(text)) => text::truth(text)?.to_string(),
        (Kind::Boolean, Scalar::Integer { value: Some(0), .. }) => "false".to_owned(),
        (Kind::Boolean, Scalar::Integer { value: Some(1), .. }) => "true".to_owned(),
        (Kind::Choice(choices), Scalar::Float { written, .. } | Scalar::Integer { written, .. }) => {
            let choice = choices.iter().find(|choice| *choice == written)?;
            format!("\"{choice}\"")
        }
        (
            Kind::Text { .. } | Kind::Queue | Kind::Pattern,
            Scalar::Integer { written, .. } | Scalar::Float { written, .. },
        ) => {
            format!("\"{written}\"")
        }
        (Kind::Duration { .. }, Scalar::Float { value, .. }) => whole(*value)?.to_string(),
        (Kind::Duration { .. }, Scalar::Text(text)) => format!("\"{}\"", duration::repaired(text)?),
        (Kind::Size { .. }, Scalar::Text(text)) => match text.trim().parse::<i64>() {
            Ok(number) => number.to_string(),
            Err(_) => format!("\"{}\"", size::repaired(text)?),
        },
        (Kind::Integer { .. } | Kind::Percent | Kind::Limit, Scalar::Text(text)) => {
            text.trim().parse::<i64>().ok()?.to_string()
        }
        (Kind::Concurrency, Scalar::Text(text)) => number::meant_concurrency(text)?,
        (Kind::Decimal | Kind::Factor, Scalar::Text(text)) => text.trim().parse::<f64>().ok()?.to_string(),
        (Kind::Tables(_), Scalar::Other("a table")) => {
            return Some("write the name in double brackets, [[…]], once for each table".to_owned());
        }
        (Kind::Tables(_), _) => return None,
        (_, Scalar::Float { value, .. }) => whole(*value)?.to_string(),
        _ => return None,
    };
    Some(format!("write {written}"))
}

/// `6.5` was meant as 6, as far as anyone can tell.
fn whole(value: f64) -> Option<i64> {
    let fits = value.is_finite() && value.abs() < 1e15;
    fits.then_some(value as i64)
}

#[cfg(test)]
mod tests;
