use super::Checked;
use crate::config::duration;
use crate::config::key::Kind;
use crate::config::mask;
use crate::config::names::toml_text;
use crate::config::node::Scalar;
use crate::config::size;
use crate::config::uri;

const LONGEST: usize = 60;

/// A value as TOML would spell it, bounded and without control characters.
pub(crate) fn show(scalar: &Scalar) -> String {
    match scalar {
        Scalar::Text(text) => quoted(text),
        Scalar::Integer { written, .. } | Scalar::Float { written, .. } => written.clone(),
        Scalar::Boolean(value) => value.to_string(),
        Scalar::Other(what) => (*what).to_owned(),
    }
}

fn quoted(text: &str) -> String {
    let text = mask::address(text);
    let short: String = text.chars().take(LONGEST).collect();
    let dots = if short.len() < text.len() { "…" } else { "" };
    let escaped: String = short.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect();
    format!("\"{escaped}{dots}\"")
}

/// The same with its type, where its spelling does not tell.
pub(super) fn found(scalar: &Scalar) -> String {
    match scalar {
        Scalar::Text(_) => format!("the text {}", show(scalar)),
        _ => show(scalar),
    }
}

pub(super) fn type_of(scalar: &Scalar) -> String {
    match scalar {
        Scalar::Text(_) => "a text",
        Scalar::Integer { .. } | Scalar::Float { .. } => "a number",
        Scalar::Boolean(_) => "true or false",
        Scalar::Other(what) => what,
    }
    .to_owned()
}

/// A checked value as TOML spells it, for `check` and the documentation; without its secret.
pub(crate) fn literal(kind: Kind, value: &Checked) -> String {
    match (kind, value) {
        (Kind::Duration { unlimited: true, .. }, Checked::Integer(-1)) => "-1".to_owned(),
        (Kind::Duration { .. }, Checked::Integer(ms)) => format!("\"{}\"", duration::show(*ms)),
        (Kind::Size { .. }, Checked::Integer(bytes)) => match size::show(*bytes) {
            plain if plain.bytes().all(|b| b.is_ascii_digit()) => plain,
            unit => format!("\"{unit}\""),
        },
        (Kind::ConnectionUri, Checked::Text(text)) => toml_text(&uri::shown(text)),
        (_, Checked::Text(text)) => toml_text(&mask::address(text)),
        (_, Checked::Integer(value)) => value.to_string(),
        (_, Checked::Decimal(value)) => value.to_string(),
        (_, Checked::Boolean(value)) => value.to_string(),
        (_, Checked::Concurrency(value)) if value.is_elastic() => format!("\"{value}\""),
        (_, Checked::Concurrency(value)) => value.to_string(),
    }
}
