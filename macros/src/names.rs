//! Rules for names, and what the user probably meant by a wrong one.

/// The longest short string of AMQP, in bytes.
const LONGEST: usize = 255;

pub(crate) fn is_id(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// `handlerTimeout`, `handler-timeout` and `HandlerTimeout` as `handler_timeout`.
pub(crate) fn snake_case(text: &str) -> String {
    let mut snake = String::with_capacity(text.len() + 4);
    let mut after_word = false;
    for c in text.chars() {
        if c.is_uppercase() {
            if after_word {
                snake.push('_');
            }
            snake.extend(c.to_lowercase());
        } else if c.is_alphanumeric() {
            snake.push(c);
        } else if !snake.is_empty() && !snake.ends_with('_') {
            snake.push('_');
        }
        after_word = c.is_lowercase() || c.is_ascii_digit();
    }
    snake.trim_end_matches('_').to_owned()
}

/// The candidate that differs by a typing mistake only.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = (name.chars().count() / 3).max(1);
    candidates
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// What keeps `text` from being a short string of AMQP.
pub(crate) fn text_fault(text: &str, may_be_empty: bool) -> Option<String> {
    if text.is_empty() && !may_be_empty {
        Some("must not be empty".to_owned())
    } else if text.len() > LONGEST {
        Some(format!("has {} bytes, and a broker takes at most {LONGEST}", text.len()))
    } else if text.chars().any(char::is_control) {
        Some("must not have control characters".to_owned())
    } else {
        None
    }
}

/// What keeps `text` from being the name of a queue.
pub(crate) fn queue_fault(text: &str) -> Option<String> {
    text_fault(text, false).or_else(|| {
        text.starts_with("amq.")
            .then(|| "must not start with `amq.`: the broker keeps these names for itself".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::{is_id, nearest, queue_fault, snake_case};

    #[test]
    fn ids_are_lower_case_words() {
        assert!(is_id("on_order_2"));
        for text in ["", "onOrder", "on-order", "bestellung_für"] {
            assert!(!is_id(text), "{text}");
        }
    }

    #[test]
    fn spellings_meet_in_snake_case() {
        for text in
            ["handlerTimeout", "handler-timeout", "HandlerTimeout", "handler_timeout", "handler timeout"]
        {
            assert_eq!(snake_case(text), "handler_timeout");
        }
        assert_eq!(snake_case("--"), "");
    }

    #[test]
    fn near_names_differ_by_little() {
        let names = || ["queue", "prefetch", "id"].into_iter();
        assert_eq!(nearest("prefech", names()), Some("prefetch"));
        assert_eq!(nearest("qeueu", names()), None);
        assert_eq!(nearest("queeu", names()), Some("queue"));
        assert_eq!(nearest("wibble", names()), None);
    }

    #[test]
    fn queue_names_follow_the_broker() {
        assert_eq!(queue_fault("orders.#"), None);
        assert_eq!(queue_fault(&"a".repeat(255)), None);
        for text in ["", "amq.gen-1", "a\0b", "a\nb"] {
            assert!(queue_fault(text).is_some(), "{text:?}");
        }
        assert!(queue_fault(&"ä".repeat(128)).is_some());
    }
}
