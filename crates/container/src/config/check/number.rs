use super::show::{literal, show};
use super::{Checked, Fault, mismatch};
use crate::concurrency::{Concurrency, ConcurrencyError};
use crate::config::duration as durations;
use crate::config::key::{Kind, Row};
use crate::config::node::Scalar;
use crate::config::size as sizes;

/// A whole number of any size, or `None` when the value is none.
fn number(scalar: &Scalar, lenient: bool) -> Option<Result<i64, String>> {
    match scalar {
        Scalar::Integer { value, written } => Some(value.ok_or_else(|| written.clone())),
        Scalar::Text(text) if lenient => {
            let text = text.trim();
            let digits = text.strip_prefix('-').unwrap_or(text);
            let whole = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            whole.then(|| text.parse().map_err(|_| text.to_owned()))
        }
        _ => None,
    }
}

pub(super) fn integer(
    row: &Row,
    scalar: &Scalar,
    lenient: bool,
    min: i64,
    max: i64,
) -> Result<Checked, Fault> {
    let value = number(scalar, lenient).ok_or_else(|| mismatch(row, scalar))?;
    match value {
        Ok(value) if (min..=max).contains(&value) => Ok(Checked::Integer(value)),
        _ if row.key == "prefetch" && value == Ok(0) => {
            let fault = Fault::new(format!("allowed: {min} to {max}; given 0"));
            Err(fault.help("0 means unlimited in AMQP, which no listener is given".to_owned()))
        }
        _ if max == i64::MAX => Err(Fault::new(format!("allowed: {min} and more; given {}", show(scalar)))),
        _ => Err(Fault::new(format!("allowed: {min} to {max}; given {}", show(scalar)))),
    }
}

pub(super) fn concurrency(row: &Row, scalar: &Scalar, lenient: bool) -> Result<Checked, Fault> {
    let parsed = match scalar {
        Scalar::Integer { value, .. } => {
            let fixed = value.and_then(|value| u32::try_from(value).ok()).and_then(Concurrency::fixed);
            fixed.ok_or(ConcurrencyError::Bounds)
        }
        Scalar::Text(text) if lenient => text.trim().parse(),
        Scalar::Text(text) => text.parse(),
        _ => return Err(mismatch(row, scalar)),
    };
    parsed.map(Checked::Concurrency).map_err(|error| match (error, scalar) {
        (ConcurrencyError::Form, _) => mismatch(row, scalar),
        (ConcurrencyError::Order, Scalar::Text(text)) => {
            let meant = meant_concurrency(text).map(|meant| format!("write {meant}"));
            Fault::new(format!("{error}; given {}", show(scalar))).help(meant)
        }
        _ => Fault::new(format!("{error}; given {}", show(scalar)))
            .help("write a number such as 4, or a range such as \"3-10\"".to_owned()),
    })
}

/// `" 3 - 10 "`, `"3..10"` and `"10-3"` were meant as `"3-10"`.
pub(super) fn meant_concurrency(text: &str) -> Option<String> {
    let mut compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    for sign in ["..=", "..", "–", ":", ","] {
        compact = compact.replace(sign, "-");
    }
    let swapped = || compact.split_once('-').map(|(high, low)| format!("{low}-{high}"));
    let meant: Concurrency = compact.parse().or_else(|_| swapped().unwrap_or_default().parse()).ok()?;
    Some(literal(Kind::Concurrency, &Checked::Concurrency(meant)))
}

pub(super) fn percent(row: &Row, scalar: &Scalar, lenient: bool) -> Result<Checked, Fault> {
    let fraction = match scalar {
        Scalar::Float { value, .. } => Some(*value),
        Scalar::Text(text) if lenient => text.trim().parse::<f64>().ok(),
        _ => None,
    };
    match (number(scalar, lenient), fraction) {
        (Some(Ok(value)), _) if (0..=100).contains(&value) => Ok(Checked::Integer(value)),
        (Some(_), _) => Err(Fault::new(format!("allowed: 0 to 100; given {}", show(scalar)))),
        (None, Some(value)) if value > 0.0 && value < 1.0 => {
            let percent = (value * 100.0).round() as i64;
            let fault =
                Fault::new(format!("{} looks like a fraction, and this key is a percent", show(scalar)));
            Err(fault.help(format!("for {percent} % write {percent}")))
        }
        _ => Err(mismatch(row, scalar)),
    }
}

pub(super) fn decimal(row: &Row, scalar: &Scalar, lenient: bool) -> Result<Checked, Fault> {
    match fraction(scalar, lenient) {
        Some(value) if value.is_finite() && value > 0.0 => Ok(Checked::Decimal(value)),
        Some(_) => Err(Fault::new(format!("must be a number above 0; given {}", show(scalar)))),
        None => Err(mismatch(row, scalar)),
    }
}

pub(super) fn factor(row: &Row, scalar: &Scalar, lenient: bool) -> Result<Checked, Fault> {
    match fraction(scalar, lenient) {
        Some(value) if value.is_finite() && value >= 1.0 => Ok(Checked::Decimal(value)),
        Some(_) => Err(Fault::new(format!("must be a number of at least 1; given {}", show(scalar)))),
        None => Err(mismatch(row, scalar)),
    }
}

fn fraction(scalar: &Scalar, lenient: bool) -> Option<f64> {
    match scalar {
        Scalar::Float { value, .. } => Some(*value),
        Scalar::Integer { written, .. } => written.parse().ok(),
        Scalar::Text(text) if lenient => text.trim().parse().ok(),
        _ => None,
    }
}

pub(super) fn limit(row: &Row, scalar: &Scalar, lenient: bool) -> Result<Checked, Fault> {
    match number(scalar, lenient).ok_or_else(|| mismatch(row, scalar))? {
        Ok(value) if value == -1 || (1..=i64::from(u32::MAX)).contains(&value) => Ok(Checked::Integer(value)),
        _ => {
            Err(Fault::new(format!("allowed: 1 to {}, or -1 for no limit; given {}", u32::MAX, show(scalar))))
        }
    }
}

pub(super) fn size(row: &Row, scalar: &Scalar, lenient: bool, min: i64) -> Result<Checked, Fault> {
    let value = match (number(scalar, lenient), scalar) {
        (Some(value), _) => value.ok(),
        (None, Scalar::Text(text)) => Some(sizes::parse(text).ok_or_else(|| mismatch(row, scalar))?),
        _ => return Err(mismatch(row, scalar)),
    };
    match value {
        Some(value) if value >= min => Ok(Checked::Integer(value)),
        _ => Err(Fault::new(format!("allowed: {min} and more; given {}", show(scalar)))),
    }
}

pub(super) fn duration(row: &Row, scalar: &Scalar, lenient: bool) -> Result<Checked, Fault> {
    let Kind::Duration { min_ms, max_ms, zero, unlimited } = row.kind else {
        return Err(mismatch(row, scalar));
    };
    let plain = number(scalar, lenient);
    let ms = match (&plain, scalar) {
        (Some(Ok(ms)), _) => *ms,
        (Some(Err(_)), _) => return Err(Fault::new(format!("is too long; given {}", show(scalar)))),
        (None, Scalar::Text(text)) => durations::parse(text).ok_or_else(|| no_duration(row, text))?,
        _ => return Err(mismatch(row, scalar)),
    };
    let given = match plain {
        Some(_) => format!("given {ms} (milliseconds)"),
        None => format!("given {}", show(scalar)),
    };
    // Only the number is "no limit": a text that begins with a minus is a mistake.
    if (unlimited && ms == -1 && plain.is_some()) || (zero && ms == 0) || (min_ms..=max_ms).contains(&ms) {
        return Ok(Checked::Integer(ms));
    }
    if ms < 0 {
        let allowed =
            if unlimited { "must not be negative, except -1 for no cap" } else { "must not be negative" };
        return Err(Fault::new(format!("{allowed}; {given}")));
    }
    if ms > max_ms {
        return Err(Fault::new(format!("must be at most {}; {given}", durations::show(max_ms))));
    }
    let fault = Fault::new(format!("must be at least {}; {given}", durations::show(min_ms)));
    let seconds = plain.is_some() && ms > 0 && ms.saturating_mul(1000) >= min_ms;
    Err(fault.help(if seconds {
        Some(format!("did you mean \"{ms}s\"?"))
    } else if row.key == "receiveTimeout" {
        Some("0 does not mean \"for ever\" here; it is the pace of idle work".to_owned())
    } else {
        None
    }))
}

fn no_duration(row: &Row, text: &str) -> Fault {
    let scalar = Scalar::Text(text.to_owned());
    let bare = text.trim().parse::<i64>().ok().filter(|number| *number >= 0);
    match (bare, durations::repaired(text)) {
        (Some(number), _) => Fault::new(format!("the unit is missing; given {}", show(&scalar)))
            .help(format!("write \"{number}s\" or \"{number}ms\"; units are d, h, m, s, ms")),
        (None, Some(repaired)) => Fault::new(format!("is no duration; given {}", show(&scalar)))
            .help(format!("write \"{repaired}\"; units are d, h, m, s, ms")),
        (None, None) => mismatch(row, &scalar).help("units are d, h, m, s, ms".to_owned()),
    }
}
