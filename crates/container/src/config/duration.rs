//! Durations as texts: whole numbers with units, largest unit first, `"2m30s"`. The attribute reads the same texts.

const UNITS: [(&str, i64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];

/// Other spellings of the units, for the replacement in a message only.
const WORDS: [(&str, &[&str]); 5] = [
    ("d", &["day", "days"]),
    ("h", &["hr", "hrs", "hour", "hours"]),
    ("m", &["min", "mins", "minute", "minutes"]),
    ("s", &["sec", "secs", "second", "seconds"]),
    ("ms", &["msec", "msecs", "milli", "millis", "millisecond", "milliseconds"]),
];

/// The milliseconds of `text`, or `None` when it is no duration or does not fit. One sign may stand before it.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let (sign, mut rest) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let mut total: i64 = 0;
    let mut units = UNITS.iter();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let (number, unit, tail) = part(rest)?;
        let (_, factor) = units.find(|(name, _)| *name == unit)?;
        total = total.checked_add(number.parse::<i64>().ok()?.checked_mul(*factor)?)?;
        rest = tail;
    }
    Some(sign * total)
}

/// What was probably meant: `5 sec` is `5s`.
pub(crate) fn repaired(text: &str) -> Option<String> {
    let compact = text.to_lowercase().replace([' ', ',', '_'], "");
    let mut rest = compact.as_str();
    let mut repaired = String::new();
    while !rest.is_empty() {
        let (number, unit, tail) = part(rest)?;
        let name = WORDS.iter().find(|(name, words)| *name == unit || words.contains(&unit))?.0;
        repaired.push_str(number);
        repaired.push_str(name);
        rest = tail;
    }
    parse(&repaired).map(|_| repaired)
}

fn part(text: &str) -> Option<(&str, &str, &str)> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, rest) = text.split_at(unit_at);
    let end = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
    let (unit, tail) = rest.split_at(end);
    (!number.is_empty()).then_some((number, unit, tail))
}

/// Milliseconds as a text that a configuration reads back: `2m30s`.
pub fn show(ms: i64) -> String {
    if ms == 0 {
        return "0s".to_owned();
    }
    let mut text = if ms < 0 { "-".to_owned() } else { String::new() };
    let mut rest = ms.unsigned_abs();
    for (unit, factor) in UNITS {
        let factor = factor.unsigned_abs();
        if rest >= factor {
            text.push_str(&format!("{}{unit}", rest / factor));
            rest %= factor;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{parse, repaired, show};

    #[test]
    fn units_combine_from_large_to_small() {
        assert_eq!(parse("250ms"), Some(250));
        assert_eq!(parse("2m30s"), Some(150_000));
        assert_eq!(parse("1d1h1m1s1ms"), Some(90_061_001));
        assert_eq!(parse("-1s"), Some(-1000));
        for text in
            ["", "-", "5", "s", "5 s", "1.5s", "--5s", "30s2m", "1s1s", "5S", "٥s", "9223372036854775807d"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn near_misses_are_repaired() {
        assert_eq!(repaired("5 sec").as_deref(), Some("5s"));
        assert_eq!(repaired("1 minute, 30 seconds").as_deref(), Some("1m30s"));
        assert_eq!(repaired("soon"), None);
    }

    #[test]
    fn what_is_shown_is_read_back() {
        for ms in [0, 1, 999, 1000, 61_001, 86_400_000, i64::MAX, -1500] {
            assert_eq!(parse(&show(ms)), Some(ms), "{ms}");
        }
        assert_eq!(show(7_200_000), "2h");
    }
}
