use crate::time::Timestamp;
use bytes::Bytes;
use std::sync::Arc;

/// The value of a header.
///
/// Integers of every width arrive as [`Integer`](Self::Integer) and leave as a 64-bit one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum HeaderValue {
    /// No value.
    Void,
    /// A truth value.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A floating-point number.
    Float(f64),
    /// A decimal number: `value` divided by ten to the power of `scale`.
    Decimal {
        /// Digits after the point.
        scale: u8,
        /// All digits.
        value: u32,
    },
    /// Text.
    Text(String),
    /// Bytes, or text that is not UTF-8.
    Bytes(Bytes),
    /// A point in time; AMQP carries whole seconds.
    Timestamp(Timestamp),
    /// A list of values.
    List(Vec<HeaderValue>),
    /// A table of values.
    Table(Headers),
}

impl HeaderValue {
    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// About how many bytes it takes on its way.
    pub fn size(&self) -> usize {
        match self {
            Self::Void | Self::Boolean(_) => 1,
            Self::Integer(_) | Self::Float(_) | Self::Decimal { .. } | Self::Timestamp(_) => 8,
            Self::Text(text) => 4 + text.len(),
            Self::Bytes(bytes) => 4 + bytes.len(),
            Self::List(values) => 4 + values.iter().map(Self::size).sum::<usize>(),
            Self::Table(table) => {
                4 + table.iter().map(|(name, value)| 2 + name.len() + value.size()).sum::<usize>()
            }
        }
    }

    /// The whole number, if it is one.
    pub fn as_integer(&self) -> Option<i64> {
        if let Self::Integer(number) = self { Some(*number) } else { None }
    }
}

macro_rules! from {
    ($($from:ty => $variant:ident),* $(,)?) => {$(
        impl From<$from> for HeaderValue {
            fn from(value: $from) -> Self { Self::$variant(value.into()) }
        }
    )*};
}
from!(bool => Boolean, i64 => Integer, i32 => Integer, u32 => Integer, f64 => Float, String => Text, &str => Text,
    Bytes => Bytes, Timestamp => Timestamp, Headers => Table, Vec<HeaderValue> => List);

/// Headers by name, in the order in which they were set. Cloning shares them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Headers {
    // None for the common message without headers: no allocation.
    entries: Option<Arc<Vec<(String, HeaderValue)>>>,
}

impl Headers {
    /// No headers.
    pub const fn new() -> Self {
        Self { entries: None }
    }

    /// The value of the header `name`, compared byte by byte.
    pub fn get(&self, name: &str) -> Option<&HeaderValue> {
        self.iter().find_map(|(key, value)| (key == name).then_some(value))
    }

    /// The text of the header `name`; `None` if it is absent or no text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(HeaderValue::as_text)
    }

    /// The whole number of the header `name`; `None` if it is absent or no number.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.get(name).and_then(HeaderValue::as_integer)
    }

    /// Sets a header, in the place of an older one of the same name.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<HeaderValue>) {
        let (name, value) = (name.into(), value.into());
        let entries = Arc::make_mut(self.entries.get_or_insert_default());
        match entries.iter_mut().find(|(key, _)| *key == name) {
            Some(entry) => entry.1 = value,
            None => entries.push((name, value)),
        }
    }

    /// Removes the header `name`.
    pub fn remove(&mut self, name: &str) -> Option<HeaderValue> {
        let at = self.iter().position(|(key, _)| key == name)?;
        Some(Arc::make_mut(self.entries.as_mut()?).remove(at).1)
    }

    /// Keeps the headers for which `keep` says so. Copies nothing when all stay.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &HeaderValue) -> bool) {
        if self.iter().all(|(name, value)| keep(name, value)) {
            return;
        }
        if let Some(entries) = &mut self.entries {
            Arc::make_mut(entries).retain(|(name, value)| keep(name, value));
        }
    }

    /// Names and values, in the order in which they were set.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &HeaderValue)> {
        self.entries.as_deref().map(Vec::as_slice).unwrap_or_default().iter().map(|(k, v)| (k.as_str(), v))
    }

    /// How many headers there are.
    pub fn len(&self) -> usize {
        self.iter().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<N: Into<String>, V: Into<HeaderValue>> FromIterator<(N, V)> for Headers {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(entries: I) -> Self {
        let mut headers = Self::new();
        for (name, value) in entries {
            headers.insert(name, value);
        }
        headers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_is_not_changed_by_a_later_insert() {
        let mut headers = Headers::from_iter([("a", 1), ("b", 2)]);
        let before = headers.clone();
        headers.insert("a", 3);
        headers.remove("b");
        assert_eq!((headers.integer("a"), headers.len()), (Some(3), 1));
        assert_eq!((before.integer("a"), before.integer("b")), (Some(1), Some(2)));
    }

    #[test]
    fn retain_keeps_what_it_is_told() {
        let mut headers = Headers::from_iter([("keep", 1), ("drop", 2)]);
        headers.retain(|name, _| name == "keep");
        assert_eq!(headers, Headers::from_iter([("keep", 1)]));
    }
}
