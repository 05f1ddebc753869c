//! What is known of earlier attempts at a message, and how it travels in headers.

use crate::delivery::Origin;
use crate::failure::{Failure, FailureKind};
use crate::message::{HeaderValue, Headers};
use crate::redact::redact;
use crate::time::Timestamp;
use std::sync::Arc;

/// Every header of hearken's own begins with this. No `x-`: brokers treat those as theirs.
pub const PREFIX: &str = "hearken-";
/// Handler calls so far.
pub const ATTEMPTS: &str = "hearken-attempts";
/// When the first attempt failed, in milliseconds since the Unix epoch.
pub const FIRST_FAILURE: &str = "hearken-first-failure-ms";
/// When the last attempt failed, in milliseconds since the Unix epoch.
pub const LAST_FAILURE: &str = "hearken-last-failure-ms";
/// The kind of the last failure.
pub const ERROR_KIND: &str = "hearken-error-kind";
/// The code of the last failure, where the handler gave one.
pub const ERROR_CODE: &str = "hearken-error-code";
/// The text of the last failure, bounded.
pub const ERROR_TEXT: &str = "hearken-error-text";
/// The queue the message was first consumed from.
pub const QUEUE: &str = "hearken-queue";
/// The exchange the message was published to.
pub const EXCHANGE: &str = "hearken-exchange";
/// The routing key the message was published with.
pub const ROUTING_KEY: &str = "hearken-routing-key";

/// The story of a message so far.
///
/// Lost in a crash: attempts that failed while the delivery was held in the client, since the last move.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    /// Handler calls so far, all failed.
    pub attempts: u64,
    /// When the first of them failed.
    pub first_failure: Timestamp,
    /// When the last of them failed.
    pub last_failure: Timestamp,
    /// How the last of them failed.
    pub failure: FailureRecord,
}

/// How an attempt failed, as far as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureRecord {
    /// The kind.
    pub kind: FailureKind,
    /// The handler's code.
    pub code: Option<String>,
    /// The text of the error and its causes: at most [`MAX_TEXT`] bytes, without control characters, secrets masked.
    pub text: String,
}

/// The longest error text kept, in bytes.
pub const MAX_TEXT: usize = 8 * 1024;
const MAX_CODE: usize = 256;

impl From<&Failure> for FailureRecord {
    fn from(failure: &Failure) -> Self {
        Self {
            kind: failure.kind(),
            code: failure.code_name().map(|code| presentable(code, MAX_CODE)),
            text: presentable(&failure.text(), MAX_TEXT),
        }
    }
}

/// `text` as it may be kept and shown to others: [secrets masked](redact), then [`printable`].
pub fn presentable(text: &str, limit: usize) -> String {
    printable(&redact(text), limit)
}

/// `text` without control characters, cut on a character boundary to at most `limit` bytes, marked where it was cut.
pub fn printable(text: &str, limit: usize) -> String {
    let mut out = String::with_capacity(text.len().min(limit));
    for c in text.chars().map(|c| if c.is_control() { ' ' } else { c }) {
        out.push(c);
        if out.len() > limit {
            return shorten(&out, limit);
        }
    }
    out
}

/// What a text ends with that was cut.
pub(crate) const MARK: &str = "… (cut)";

/// `text`, which is longer, cut on a character boundary to at most `limit` bytes, the mark among them.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    let end = text.floor_char_boundary(limit.saturating_sub(MARK.len()));
    format!("{}{MARK}", &text[..end])
}

impl History {
    /// The history after one more failed attempt.
    #[must_use]
    pub fn failed(earlier: Option<&Self>, failure: FailureRecord, now: Timestamp) -> Self {
        Self {
            attempts: earlier.map_or(0, |history| history.attempts).saturating_add(1),
            first_failure: earlier.map_or(now, |history| history.first_failure),
            last_failure: now,
            failure,
        }
    }

    /// Writes history and origin into headers, replacing what was there under the same names.
    pub fn write(&self, origin: &Origin, headers: &mut Headers) {
        headers.retain(|name, _| !name.starts_with(PREFIX));
        headers.insert(ATTEMPTS, i64::try_from(self.attempts).unwrap_or(i64::MAX));
        headers.insert(FIRST_FAILURE, self.first_failure.as_millis());
        headers.insert(LAST_FAILURE, self.last_failure.as_millis());
        headers.insert(ERROR_KIND, self.failure.kind.as_str());
        if let Some(code) = &self.failure.code {
            headers.insert(ERROR_CODE, code.as_str());
        }
        headers.insert(ERROR_TEXT, self.failure.text.as_str());
        headers.insert(QUEUE, &*origin.queue);
        headers.insert(EXCHANGE, &*origin.exchange);
        headers.insert(ROUTING_KEY, &*origin.routing_key);
    }

    /// Reads history and origin from the headers of a delivery that came through hearken's own deliver exchange.
    /// `None` if they are not there or make no sense.
    pub fn read(headers: &Headers) -> Option<(Self, Origin)> {
        let text = |name| headers.text(name).map(Arc::<str>::from);
        let time = |name| headers.integer(name).map(Timestamp::from_millis);
        let history = Self {
            attempts: u64::try_from(headers.integer(ATTEMPTS)?).ok()?,
            first_failure: time(FIRST_FAILURE)?,
            last_failure: time(LAST_FAILURE)?,
            failure: FailureRecord {
                kind: FailureKind::from_name(headers.text(ERROR_KIND)?)?,
                code: headers.text(ERROR_CODE).map(str::to_owned),
                text: headers.get(ERROR_TEXT).and_then(HeaderValue::as_text).unwrap_or_default().to_owned(),
            },
        };
        Some((
            history,
            Origin { queue: text(QUEUE)?, exchange: text(EXCHANGE)?, routing_key: text(ROUTING_KEY)? },
        ))
    }

    /// Removes every header of hearken's own.
    pub fn strip(headers: &mut Headers) {
        headers.retain(|name, _| !name.starts_with(PREFIX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_survives_its_headers() {
        let origin = Origin { queue: "q".into(), exchange: "".into(), routing_key: "k".into() };
        let record = FailureRecord { kind: FailureKind::Error, code: Some("busy".into()), text: "no".into() };
        let first = History::failed(None, record.clone(), Timestamp::from_millis(5));
        let second = History::failed(Some(&first), record, Timestamp::from_millis(9));
        let mut headers = Headers::from_iter([("mine", "1"), (ATTEMPTS, "forged")]);
        second.write(&origin, &mut headers);
        assert_eq!(History::read(&headers), Some((second.clone(), origin)));
        assert_eq!((second.attempts, second.first_failure.as_millis()), (2, 5));
        History::strip(&mut headers);
        assert_eq!(headers, Headers::from_iter([("mine", "1")]));
    }

    #[test]
    fn absurd_counts_are_no_history() {
        let mut headers = Headers::new();
        headers.insert(ATTEMPTS, -1i64);
        assert_eq!(History::read(&headers), None);
    }

    #[test]
    fn texts_are_cut_on_a_character_boundary_and_hold_no_control_characters() {
        assert_eq!(printable("a\r\nb\u{1b}[31m", 100), "a  b [31m");
        for limit in 20..40 {
            let cut = printable(&"ü€𝄞".repeat(20), limit);
            assert!(cut.len() <= limit && cut.ends_with("(cut)"), "{cut} {limit}");
        }
    }
}
