//! Sizes as texts: a whole number with a unit of 1024, `"16MiB"`.

const UNITS: [(&str, i64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];

/// The bytes of `text`, or `None` when it is no size or does not fit.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let (unit, factor) = UNITS.into_iter().find(|(unit, _)| text.ends_with(unit))?;
    let number = text.strip_suffix(unit)?;
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| number.parse::<i64>().ok()?.checked_mul(factor)).flatten()
}

/// What was probably meant: `16 mb` is `16MiB`.
pub(crate) fn repaired(text: &str) -> Option<String> {
    let compact = text.replace([' ', '_'], "");
    let at = compact.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = compact.split_at(at);
    let first = unit.chars().next()?.to_ascii_uppercase();
    let (unit, _) = UNITS.into_iter().find(|(name, _)| name.starts_with(first))?;
    let repaired = format!("{number}{unit}");
    parse(&repaired).map(|_| repaired)
}

/// Bytes in the largest unit that fits.
pub(crate) fn show(bytes: i64) -> String {
    let whole = UNITS.into_iter().find(|(_, factor)| bytes >= *factor && bytes % factor == 0);
    whole.map_or_else(|| bytes.to_string(), |(unit, factor)| format!("{}{unit}", bytes / factor))
}

/// Bytes for a reader: in the largest unit that fits, to one decimal.
pub(crate) fn show_rounded(bytes: i64) -> String {
    match UNITS.into_iter().find(|(_, factor)| bytes >= *factor) {
        Some((unit, factor)) if bytes % factor == 0 => format!("{}{unit}", bytes / factor),
        Some((unit, factor)) => format!("{:.1}{unit}", bytes as f64 / factor as f64),
        None => bytes.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{parse, repaired, show, show_rounded};

    #[test]
    fn units_are_powers_of_1024() {
        assert_eq!(parse("16MiB"), Some(16 * 1024 * 1024));
        for text in ["", "16", "MiB", "16 MiB", "16MB", "-1KiB", "9223372036854775807GiB"] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(repaired("16 mb").as_deref(), Some("16MiB"));
        assert_eq!(repaired("big"), None);
        assert_eq!(show(256 << 20), "256MiB");
        assert_eq!(show(1500), "1500");
        assert_eq!([show_rounded(800 << 20), show_rounded(1600 << 20)], ["800MiB", "1.6GiB"]);
    }
}
