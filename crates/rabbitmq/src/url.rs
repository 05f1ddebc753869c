use std::fmt;
use std::str::FromStr;

/// The URL of a broker: `amqp://user:password@host:port/vhost` or `amqps://…`.
///
/// Without user information it is `guest`, without a port 5672 (5671 with TLS). Both `amqp://host` and `amqp://host/`
/// mean the virtual host `/`; any other is written percent-encoded (`/%2f` is `/` as well). Neither `Debug` nor
/// `Display` shows the password.
#[derive(Clone, PartialEq, Eq)]
pub struct Url {
    tls: bool,
    user: String,
    password: Secret,
    host: String,
    port: u16,
    vhost: String,
}

/// Keeps a password out of every output.
#[derive(Clone, PartialEq, Eq)]
struct Secret(String);

/// A URL is wrong. Never shows the password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{url}: {reason} (at character {position})")]
pub struct UrlError {
    /// The URL, the password replaced by `***`.
    pub url: String,
    /// The character in the URL as it was given that the reason is about; the first is 1.
    pub position: usize,
    /// What is wrong, and what is allowed.
    pub reason: String,
}

impl Url {
    /// Whether the connection is encrypted.
    pub fn tls(&self) -> bool {
        self.tls
    }

    /// The user.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The host; an IPv6 address without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The virtual host, decoded.
    pub fn vhost(&self) -> &str {
        &self.vhost
    }

    /// Host and port, an IPv6 address in brackets.
    pub fn authority(&self) -> String {
        match self.host.contains(':') {
            true => format!("[{}]:{}", self.host, self.port),
            false => format!("{}:{}", self.host, self.port),
        }
    }

    pub(crate) fn password(&self) -> &str {
        &self.password.0
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { "amqps" } else { "amqp" };
        let (user, vhost) = (Encoded(&self.user), Encoded(&self.vhost));
        write!(f, "{scheme}://{user}:***@{}/{vhost}", self.authority())
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

struct Encoded<'a>(&'a str);

impl fmt::Display for Encoded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                    write!(f, "{}", byte as char)?;
                }
                _ => write!(f, "%{byte:02x}")?,
            }
        }
        Ok(())
    }
}

impl FromStr for Url {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        parse(text).map_err(|(at, reason)| UrlError {
            url: masked(text),
            position: text.get(..at).map_or(1, |before| before.chars().count() + 1),
            reason,
        })
    }
}

type Problem = (usize, String);

fn parse(text: &str) -> Result<Url, Problem> {
    let (tls, start) = if text.starts_with("amqp://") {
        (false, 7)
    } else if text.starts_with("amqps://") {
        (true, 8)
    } else {
        return Err((0, "the scheme must be amqp:// or amqps://".into()));
    };
    if let Some(at) = text.find(|c: char| c.is_whitespace() || c.is_control()) {
        return Err((at, "spaces and control characters must be percent-encoded".into()));
    }
    if let Some(at) = text.find(['?', '#']) {
        return Err((at, "nothing may follow the virtual host; settings are keys of [transport]".into()));
    }
    let end = text[start..].find('/').map_or(text.len(), |at| start + at);
    let authority = &text[start..end];
    // The last `@`, so that a password with an unencoded one is not taken for a host and shown.
    let (user, password, host_at) = match authority.rfind('@') {
        Some(at) => {
            let (user, password) = credentials(&authority[..at], start)?;
            (user, password, start + at + 1)
        }
        None => ("guest".to_owned(), "guest".to_owned(), start),
    };
    let (host, port) = host_and_port(&text[host_at..end], host_at, if tls { 5671 } else { 5672 })?;
    let vhost = match text.get(end + 1..) {
        None | Some("") => "/".to_owned(),
        Some(path) => match path.find('/') {
            Some(at) => {
                return Err((end + 1 + at, "a `/` inside the virtual host must be written %2f".into()));
            }
            None => decode(path, end + 1)?,
        },
    };
    short(&vhost, "virtual host", end)?;
    short(&user, "user", start)?;
    Ok(Url { tls, user, password: Secret(password), host, port, vhost })
}

fn credentials(text: &str, at: usize) -> Result<(String, String), Problem> {
    let (user, password) = match text.split_once(':') {
        Some((user, password)) => (user, decode(password, at + user.len() + 1)?),
        None => (text, String::new()),
    };
    if user.is_empty() {
        return Err((at, "the user before `@` is empty".into()));
    }
    Ok((decode(user, at)?, password))
}

fn host_and_port(text: &str, at: usize, default: u16) -> Result<(String, u16), Problem> {
    let (host, rest, rest_at) = if let Some(inner) = text.strip_prefix('[') {
        let Some(end) = inner.find(']') else {
            return Err((at, "the bracket of the IPv6 address is not closed".into()));
        };
        if inner[..end].parse::<std::net::Ipv6Addr>().is_err() {
            return Err((at + 1, "between brackets stands an IPv6 address".into()));
        }
        (inner[..end].to_owned(), &inner[end + 1..], at + end + 2)
    } else {
        let end = text.find(':').unwrap_or(text.len());
        (decode(&text[..end], at)?, &text[end..], at + end)
    };
    if host.is_empty() {
        return Err((at, "the host is missing".into()));
    }
    let port = match rest.strip_prefix(':') {
        None if rest.is_empty() => default,
        None => return Err((rest_at, "after the host comes `:` and the port, or `/`".into())),
        Some(port) => match port.parse() {
            Ok(0) | Err(_) => return Err((rest_at + 1, "the port must be a number from 1 to 65535".into())),
            Ok(port) => port,
        },
    };
    Ok((host, port))
}

fn short(text: &str, what: &str, at: usize) -> Result<(), Problem> {
    match text.len() {
        0..=255 => Ok(()),
        length => Err((at, format!("the {what} has {length} bytes; AMQP carries at most 255"))),
    }
}

fn decode(text: &str, at: usize) -> Result<String, Problem> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut here = 0;
    while let Some(&byte) = bytes.get(here) {
        if byte != b'%' {
            out.push(byte);
            here += 1;
            continue;
        }
        let digits = text.get(here + 1..here + 3).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(value) => out.push(value),
            None => return Err((at + here, "after `%` come two hexadecimal digits (`%25` is `%`)".into())),
        }
        here += 3;
    }
    String::from_utf8(out).map_err(|_| (at, "decoded, this is not UTF-8".into()))
}

/// `text` with everything that may be a password replaced, however broken the rest is.
fn masked(text: &str) -> String {
    let start = text.find("://").map_or(0, |at| at + 3);
    let Some(end) = text.rfind('@').filter(|end| *end >= start) else { return text.to_owned() };
    match text[start..end].find(':') {
        Some(colon) => format!("{}:***{}", &text[..start + colon], &text[end..]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
