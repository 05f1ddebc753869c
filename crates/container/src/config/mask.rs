//! Keeps passwords out of what is printed.

pub(crate) use hearken_core::redact::{MASK, is_secret_name};

/// A text in which the password of every address is masked: `amqp://user:***@host`.
///
/// A password may hold any character, also an `@` that should have been escaped, so everything up to the last `@`
/// belongs to it.
pub(crate) fn address(text: &str) -> String {
    options(&login(text))
}

/// A text in which the value of every option is masked whose name says that it is a secret: `?password=***`.
fn options(text: &str) -> String {
    let Some((before, query)) = text.split_once('?') else {
        return text.to_owned();
    };
    let masked = |option: &str| match option.split_once('=') {
        Some((name, _)) if is_secret_name(name) => format!("{name}={MASK}"),
        _ => option.to_owned(),
    };
    let options: Vec<_> = query.split('&').map(masked).collect();
    format!("{before}?{}", options.join("&"))
}

fn login(text: &str) -> String {
    let Some(at) = text.find("://") else {
        return text.to_owned();
    };
    let (scheme, rest) = text.split_at(at + 3);
    let Some(host) = rest.rfind('@') else {
        return match rest.split_once(':') {
            // A port, or a password whose host is missing.
            Some((host, port)) if !port.starts_with(|c: char| c.is_ascii_digit()) => {
                format!("{scheme}{host}:{MASK}")
            }
            _ => text.to_owned(),
        };
    };
    let (user, host) = rest.split_at(host);
    match user.split_once(':') {
        Some((user, _)) => format!("{scheme}{user}:{MASK}{host}"),
        None => text.to_owned(),
    }
}

/// A line of a file in which addresses are masked, and everything behind a key that is a secret by its name.
pub(crate) fn line(line: &str) -> String {
    for (at, _) in line.match_indices('=') {
        let (before, value) = (&line[..at], &line[at + 1..]);
        let key = before.rsplit(['{', ',', '=']).next().unwrap_or(before);
        if is_secret_name(key) || is_uri(key) || (is_url(key) && !is_harmless(value)) {
            return format!("{}= {MASK}", address(before));
        }
    }
    address(line)
}

fn is_url(key: &str) -> bool {
    last_word(key) == "url"
}

/// Its options may hold a password too.
fn is_uri(key: &str) -> bool {
    last_word(key) == "uri"
}

fn last_word(key: &str) -> &str {
    let key = key.trim().trim_matches(['"', '\'']);
    key.rsplit('.').next().unwrap_or(key)
}

/// What holds no password, or one that [`address`] finds.
fn is_harmless(value: &str) -> bool {
    let value = value.trim();
    value.contains("://") || value.starts_with("\"${") || value.starts_with("\"embedded:\"")
}

#[cfg(test)]
mod tests {
    use super::{address, line};

    #[test]
    fn passwords_of_addresses_are_masked() {
        for (text, masked) in [
            ("amqp://u:pw@host/v", "amqp://u:***@host/v"),
            ("amqp://u:p@w:x@host", "amqp://u:***@host"),
            ("amqp://u:p/w@host:5672", "amqp://u:***@host:5672"),
            ("amqp://host:5672/v", "amqp://host:5672/v"),
            ("amqp://user:pw", "amqp://user:***"),
            ("amqp://user@host", "amqp://user@host"),
            ("embedded:", "embedded:"),
            ("tcp://h?jms.password=pw&jms.userName=u", "tcp://h?jms.password=***&jms.userName=u"),
            ("failover:(tcp://u:p@a,tcp://u:q@b)?x=1", "failover:(tcp://u:***@b)?x=1"),
        ] {
            assert_eq!(address(text), masked);
        }
    }

    #[test]
    fn lines_are_masked_by_the_name_of_their_key() {
        assert_eq!(line("password = \"hunter2\""), "password = ***");
        assert_eq!(line("passphrase = \"hunter2\""), "passphrase = ***");
        assert_eq!(line("url = \"amqp:u:hunter2@h\""), "url = ***");
        assert_eq!(
            line("transport = { url = \"amqp://u:pw@h\" }"),
            "transport = { url = \"amqp://u:***@h\" }"
        );
        assert_eq!(line("values = { a = 1, db-password = \"x\" }"), "values = { a = 1, db-password = ***");
        assert_eq!(line("uri = \"tcp://h?jms.password=pw\""), "uri = ***");
        assert_eq!(line("x = { uri = \"tcp://h?jms.password=pw\" }"), "x = { uri = ***");
        assert_eq!(line("prefetch = 0"), "prefetch = 0");
    }
}
