//! Spellings of names, and what was probably meant by a wrong one.

/// `receiveTimeout` as `receive_timeout`.
pub(crate) fn snake_case(key: &str) -> String {
    let mut snake = String::with_capacity(key.len() + 4);
    for c in key.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// Every spelling of a name as one: lower case, without separators.
pub(crate) fn squashed(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

/// The candidate that differs by little more than a typing mistake.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = squashed(name);
    let allowed = match name.chars().count() {
        0..=3 => 1,
        4..=12 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&name, &squashed(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= allowed && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// ``did you mean `x`?`` for the nearest candidate.
pub(crate) fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(name, candidates).map(|near| format!("did you mean `{near}`?"))
}

/// `"auto", "client", "broker"`.
pub(crate) fn quoted_list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.into_iter().map(|name| format!("\"{name}\"")).collect();
    names.join(", ")
}

/// Whether a listener may have this id.
pub(crate) fn is_id(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// A path of keys for a reader: dotted, with quotes where TOML needs them.
pub(crate) fn dotted<T: AsRef<str>>(path: &[T]) -> String {
    let plain = |word: &str| {
        !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    };
    let words: Vec<_> = path
        .iter()
        .map(|word| {
            let word = word.as_ref();
            if plain(word) { word.to_owned() } else { toml_text(word) }
        })
        .collect();
    words.join(".")
}

/// The path of one table of a list, first = 0.
pub(crate) fn item<T: AsRef<str>>(path: &[T], index: usize) -> String {
    format!("{}[{index}]", dotted(path))
}

/// A text as TOML spells it.
pub(crate) fn toml_text(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::{dotted, nearest, snake_case, squashed, toml_text};

    #[test]
    fn spellings_of_a_key_meet() {
        assert_eq!(snake_case("maximumRedeliveryDelay"), "maximum_redelivery_delay");
        assert_eq!(squashed("maximum-Redelivery_DELAY"), "maximumredeliverydelay");
    }

    #[test]
    fn a_near_name_differs_by_a_typing_mistake() {
        let names = ["maximumRedeliveries", "prefetch", "url"];
        assert_eq!(nearest("maximum_redelivieries", names), Some("maximumRedeliveries"));
        assert_eq!(nearest("prefecth", names), Some("prefetch"));
        assert_eq!(nearest("uri", names), Some("url"));
        assert_eq!(nearest("wibble", names), None);
        assert_eq!(nearest("a", ["b"]), None);
    }

    #[test]
    fn paths_are_quoted_as_in_toml() {
        assert_eq!(dotted(&["redelivery", "very patient", "preset"]), "redelivery.\"very patient\".preset");
        assert_eq!(toml_text("it's \"x\\y\"\t"), r#""it's \"x\\y\"\u0009""#);
    }
}
