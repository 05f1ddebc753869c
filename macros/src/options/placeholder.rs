//! `"${orders.queue}"` and `"${orders.queue:default}"`: values that configuration supplies at start-up.

/// Whether `text` is a placeholder; `Err` says what is wrong with one that was meant to be.
pub(super) fn is_placeholder(text: &str) -> Result<bool, &'static str> {
    if !text.contains("${") {
        return Ok(false);
    }
    let Some(inner) = text.strip_prefix("${") else {
        return Err("the placeholder must be the whole value");
    };
    let Some(end) = inner.find('}') else {
        return Err("the closing `}` is missing");
    };
    let (inner, rest) = inner.split_at(end);
    let (key, default) = inner.split_once(':').unwrap_or((inner, ""));
    if inner.contains("${") {
        Err("a placeholder cannot hold another one")
    } else if rest != "}" {
        Err("the placeholder must be the whole value")
    } else if key.is_empty() {
        Err("the key is missing")
    } else if !key.split('.').all(is_word) {
        Err("a key is words of letters, digits, `_` and `-`, joined by dots")
    } else if default.chars().any(char::is_control) {
        Err("the default has a control character")
    } else {
        Ok(true)
    }
}

fn is_word(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

#[cfg(test)]
mod tests {
    use super::is_placeholder;

    #[test]
    fn a_key_with_or_without_a_default() {
        for text in ["${orders.queue}", "${orders.queue:orders}", "${a:}", "${a:amqp://h:5672}", "${A-b.c_1}"]
        {
            assert_eq!(is_placeholder(text), Ok(true), "{text}");
        }
        for text in ["orders", "", "$orders", "{orders}", "$ {a}"] {
            assert_eq!(is_placeholder(text), Ok(false), "{text}");
        }
    }

    #[test]
    fn what_is_meant_as_one_must_be_one() {
        for text in [
            "${",
            "${}",
            "${:x}",
            "${a",
            "x${a}",
            "${a}x",
            "${a}${b}",
            "${a:${b}}",
            "${a..b}",
            "${a b}",
            "${a:\n}",
        ] {
            assert!(is_placeholder(text).is_err(), "{text}");
        }
    }
}
