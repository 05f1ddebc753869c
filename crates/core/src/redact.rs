//! Takes secrets out of texts that are kept or printed: an error may quote the address, header or setting it is about.

/// What stands for a secret.
pub const MASK: &str = "***";

/// Names that say that their value is a secret, without separators and in lower case; part of a name is enough.
const SECRET: [&str; 9] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "credential",
    "apikey",
    "privatekey",
    "accesskey",
    "authorization",
];
/// Names that are words of prose too, as in "unexpected token: `}`": not before a bare colon.
const SECRET_BEFORE_EQUALS: [&str; 2] = ["token", "pwd"];
/// What comes before credentials in a header.
const SCHEMES: [&str; 4] = ["bearer", "basic", "digest", "token"];
/// Shorter words behind a scheme are prose.
const SHORTEST_CREDENTIALS: usize = 8;

/// `text` with `***` in place of passwords in URLs, credentials behind `Bearer` and `Basic`, and the values of keys that are
/// secrets by their names: `password=…`, `"api_key": "…"`, `Authorization: …`.
///
/// It errs on the side of masking too much. What is a secret by its looks alone is not found.
pub fn redact(text: &str) -> String {
    keys(&urls(text))
}

/// Whether the value of a key of this name is a secret, as far as the name tells: `dbPassword`, `api-key`.
pub fn is_secret_name(name: &str) -> bool {
    let name = squashed(name);
    holds(&name, &SECRET) || holds(&name, &SECRET_BEFORE_EQUALS)
}

/// Lower case, without separators.
fn squashed(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn holds(squashed: &str, words: &[&str]) -> bool {
    words.iter().any(|word| squashed.contains(word))
}

fn urls(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, address) = rest.split_at(at + 3);
        out.push_str(before);
        let end = address.find(|c: char| c.is_whitespace() || c.is_control() || "\"'<>`".contains(c));
        let (address, after) = address.split_at(end.unwrap_or(address.len()));
        login(address, &mut out);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// A password may hold any character, also an `@` that should have been escaped: everything up to the last belongs to it.
fn login(address: &str, out: &mut String) {
    let (user, host) = match address.rfind('@') {
        Some(at) => address.split_at(at),
        // A port, or a password whose host was cut off.
        None if port(address) => return out.push_str(address),
        None => (address, ""),
    };
    match user.split_once(':') {
        Some((user, _)) => out.extend([user, ":", MASK, host]),
        None => out.push_str(address),
    }
}

fn port(address: &str) -> bool {
    let path = address.find(['/', '?', '#', ',', ')']).unwrap_or(address.len());
    let (_, port) = address[..path].rsplit_once(':').unwrap_or(("", ""));
    // The colons of an IPv6 address are within brackets.
    port.chars().all(|c| c.is_ascii_digit()) || port.ends_with(']')
}

fn keys(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_name) {
        let (before, name) = rest.split_at(start);
        out.push_str(before);
        let (name, after) = name.split_at(name.find(|c| !is_name(c)).unwrap_or(name.len()));
        out.push_str(name);
        rest = match secret_behind(name, after) {
            Some((lead, secret)) => {
                out.push_str(&after[..lead]);
                out.push_str(MASK);
                &after[lead + secret..]
            }
            None => after,
        };
    }
    out.push_str(rest);
    out
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// The secret that follows `name`: after how many bytes, and how long it is.
fn secret_behind(name: &str, after: &str) -> Option<(usize, usize)> {
    if let Some(credentials) = credentials_behind(name, after) {
        return Some((1, credentials));
    }
    let name = squashed(name);
    let (sure, perhaps) = (holds(&name, &SECRET), holds(&name, &SECRET_BEFORE_EQUALS));
    if !sure && !perhaps {
        return None;
    }
    let quote = quote(after);
    let sign = quote + blanks(&after[quote..]);
    let value = match after[sign..].chars().next()? {
        '=' => sign + 1,
        // Not the path of a type.
        ':' if (sure || quote > 0) && !after[sign..].starts_with("::") => sign + 1,
        _ => return None,
    };
    let value = value + after[value..].bytes().take_while(|b| matches!(b, b'=' | b'>')).count();
    let value = value + blanks(&after[value..]);
    let length = value_length(&after[value..]);
    (length.1 > 0).then_some((value + length.0, length.1))
}

fn credentials_behind(scheme: &str, after: &str) -> Option<usize> {
    let known = SCHEMES[..2].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    let credentials = after.strip_prefix(' ').filter(|_| known)?;
    let length = bare_length(credentials);
    let prose = credentials[..length].bytes().all(|b| b.is_ascii_lowercase());
    (length >= SHORTEST_CREDENTIALS && !prose).then_some(length)
}

/// The bytes of a quotation mark, escaped or not.
fn quote(text: &str) -> usize {
    let escapes = text.bytes().take_while(|b| *b == b'\\').count();
    match text.as_bytes().get(escapes) {
        Some(b'"' | b'\'') => escapes + 1,
        _ => 0,
    }
}

fn blanks(text: &str) -> usize {
    text.bytes().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// Where a value begins, behind its quotation mark, and how long it is.
fn value_length(text: &str) -> (usize, usize) {
    let mark = quote(text);
    if mark > 0 {
        let (mark, inner) = text.split_at(mark);
        // To the same mark again, with as many escapes; to the end if it was cut off.
        return (mark.len(), inner.find(mark).unwrap_or(inner.len()));
    }
    let word = bare_length(text);
    let behind = text[word..].strip_prefix(' ').map(bare_length).filter(|length| *length > 0);
    match behind {
        Some(more) if SCHEMES.iter().any(|scheme| text[..word].eq_ignore_ascii_case(scheme)) => {
            (0, word + 1 + more)
        }
        _ => (0, word),
    }
}

fn bare_length(text: &str) -> usize {
    text.find(|c: char| c.is_whitespace() || c.is_control() || ",;&)}]>\"'`".contains(c))
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::redact;

    #[test]
    fn passwords_in_urls_are_masked() {
        for (text, masked) in [
            ("cannot reach amqp://u:pw@host/v: refused", "cannot reach amqp://u:***@host/v: refused"),
            ("amqp://u:p@w:x@host", "amqp://u:***@host"),
            ("redis://:pw@host:1 and http://host:80/x", "redis://:***@host:1 and http://host:80/x"),
            ("see https://host/path: gone", "see https://host/path: gone"),
            ("at http://[::1]:8080/x", "at http://[::1]:8080/x"),
            ("postgres://u:hunter2", "postgres://u:***"),
            ("url \"mysql://u:pw@h\", next", "url \"mysql://u:***@h\", next"),
        ] {
            assert_eq!(redact(text), masked);
        }
    }

    #[test]
    fn credentials_behind_their_scheme_are_masked() {
        for (text, masked) in [
            ("Authorization: Bearer abc.DEF-123", "Authorization: ***"),
            ("sent 'bearer eyJhbGciOi.J9.x' to", "sent 'bearer ***' to"),
            ("Basic dXNlcjpwdw== refused", "Basic *** refused"),
            (
                "basic authentication failed: bearer token expired",
                "basic authentication failed: bearer token expired",
            ),
        ] {
            assert_eq!(redact(text), masked);
        }
    }

    #[test]
    fn values_of_secret_keys_are_masked() {
        for (text, masked) in [
            ("user=u password=hunter2 host=h", "user=u password=*** host=h"),
            ("?api_key=abc&x=1", "?api_key=***&x=1"),
            ("{\"dbPassword\": \"hun ter2\", \"n\": 1}", "{\"dbPassword\": \"***\", \"n\": 1}"),
            (
                r#"body "{\"client_secret\":\"x y\",\"n\":1}""#,
                r#"body "{\"client_secret\":\"***\",\"n\":1}""#,
            ),
            ("Login { pwd = 'a', token=\"b\" }", "Login { pwd = '***', token=\"***\" }"),
            ("\"token\":\"abc\"", "\"token\":\"***\""),
            ("unexpected token: `}` at line 3", "unexpected token: `}` at line 3"),
            ("password", "password"),
            ("password=", "password="),
            ("X-Api-Key: k1", "X-Api-Key: ***"),
        ] {
            assert_eq!(redact(text), masked);
        }
    }
}
