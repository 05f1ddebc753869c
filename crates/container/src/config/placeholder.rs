//! `"${orders.queue}"` and `"${orders.queue:default}"`: a value that another place of the configuration supplies.

/// A placeholder as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Placeholder {
    pub(crate) path: Vec<String>,
    pub(crate) default: Option<String>,
}

/// Reads a text: no placeholder, one, or what is wrong with one that was meant to be. The attribute has the same rules.
pub(crate) fn parse(text: &str) -> Result<Option<Placeholder>, &'static str> {
    if !text.contains("${") {
        return Ok(None);
    }
    let Some(inner) = text.strip_prefix("${") else {
        return Err("the placeholder must be the whole value");
    };
    let Some(end) = inner.find('}') else {
        return Err("the closing `}` of the placeholder is missing");
    };
    let (inner, rest) = inner.split_at(end);
    let (key, default) = inner.split_once(':').map_or((inner, None), |(key, default)| (key, Some(default)));
    if inner.contains("${") {
        Err("a placeholder cannot hold another one")
    } else if rest != "}" {
        Err("the placeholder must be the whole value")
    } else if !key.split('.').all(is_word) {
        Err("the path in a placeholder is words of letters, digits, `_` and `-`, joined by dots")
    } else {
        let path = key.split('.').map(str::to_owned).collect();
        Ok(Some(Placeholder { path, default: default.map(str::to_owned) }))
    }
}

fn is_word(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_path_with_or_without_a_default() {
        let placeholder = parse("${orders.queue:orders.v2}").unwrap().unwrap();
        assert_eq!(placeholder.path, ["orders", "queue"]);
        assert_eq!(placeholder.default.as_deref(), Some("orders.v2"));
        assert_eq!(parse("${a}").unwrap().unwrap().default, None);
        assert_eq!(parse("${a:}").unwrap().unwrap().default.as_deref(), Some(""));
        assert_eq!(parse("$orders"), Ok(None));
    }

    #[test]
    fn what_is_meant_as_one_must_be_one() {
        for text in
            ["${", "${}", "${:x}", "${a", "x${a}", "${a}x", "${a}${b}", "${a:${b}}", "${a..b}", "${a b}"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
