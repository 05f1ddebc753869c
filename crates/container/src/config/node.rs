use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value of a file, with its places.
#[derive(Debug)]
pub(crate) enum Node {
    Leaf(Scalar),
    Table(Vec<Entry>),
    /// An array with a table in it.
    Tables(Vec<Element>),
}

/// What stands in an array.
#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) span: Range<usize>,
    pub(crate) value: Node,
}

#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Range<usize>,
    pub(crate) value: Node,
    pub(crate) value_span: Range<usize>,
}

/// A value as it was given, before its key says what it should be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar {
    Text(String),
    /// `value` is `None` beyond 64 bits.
    Integer {
        value: Option<i64>,
        written: String,
    },
    Float {
        value: f64,
        written: String,
    },
    Boolean(bool),
    /// Anything else, by the name of its type.
    Other(&'static str),
}

/// No list at all, where a list is wanted.
pub(crate) const EMPTY_ARRAY: &str = "an empty array";

impl Scalar {
    pub(crate) fn integer(value: i64) -> Self {
        Self::Integer { value: Some(value), written: value.to_string() }
    }

    pub(crate) fn decimal(value: f64) -> Self {
        Self::Float { value, written: value.to_string() }
    }
}

/// The entries of a table in the order of the file.
pub(crate) fn entries(table: &DeTable<'_>) -> Vec<Entry> {
    let mut entries: Vec<_> = table
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref().to_string(),
            key_span: key.span(),
            value: node(value),
            value_span: value.span(),
        })
        .collect();
    entries.sort_by_key(|entry| entry.key_span.start);
    entries
}

fn node(value: &Spanned<DeValue<'_>>) -> Node {
    Node::Leaf(match value.get_ref() {
        DeValue::Table(table) => return Node::Table(entries(table)),
        DeValue::Array(array) if array.iter().any(|item| matches!(item.get_ref(), DeValue::Table(_))) => {
            let element = |item: &Spanned<DeValue<'_>>| Element { span: item.span(), value: node(item) };
            return Node::Tables(array.iter().map(element).collect());
        }
        DeValue::Array(array) if array.is_empty() => Scalar::Other(EMPTY_ARRAY),
        DeValue::Array(_) => Scalar::Other("an array"),
        DeValue::Datetime(_) => Scalar::Other("a date"),
        DeValue::String(text) => Scalar::Text(text.to_string()),
        DeValue::Boolean(value) => Scalar::Boolean(*value),
        DeValue::Integer(number) => Scalar::Integer {
            value: i64::from_str_radix(number.as_str(), number.radix()).ok(),
            written: number.to_string(),
        },
        DeValue::Float(number) => Scalar::Float {
            value: number.as_str().parse().unwrap_or(f64::NAN),
            written: number.as_str().to_owned(),
        },
    })
}
