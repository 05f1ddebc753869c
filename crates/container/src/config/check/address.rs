//! The address of a broker. Nothing here puts the address into a message.

use super::{Checked, Fault};
use crate::config::names::nearest;

pub(super) fn url(text: &str, schemes: &[&str]) -> Result<Checked, Fault> {
    let allowed = || format!("allowed schemes: {}", schemes.join(", "));
    if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err(Fault::new("must not have spaces or control characters"));
    }
    let Some(scheme) = schemes.iter().find(|scheme| text.starts_with(**scheme)) else {
        let written = text.split(':').next().unwrap_or_default();
        let known = schemes.iter().map(|scheme| scheme.trim_end_matches([':', '/']));
        let near = nearest(written, known)
            .and_then(|near| schemes.iter().find(|s| s.trim_end_matches([':', '/']) == near));
        let shown = (text.contains("://") && is_scheme(written)).then(|| format!("; given {written}"));
        let fault = Fault::new(format!("{}{}", allowed(), shown.unwrap_or_default()));
        return Err(fault.help(near.map(|near| format!("did you mean {near}?"))));
    };
    let rest = text.get(scheme.len()..).unwrap_or_default();
    let fault = if scheme.ends_with("//") { amqp(rest, scheme.len()) } else { nothing(rest, scheme) };
    fault.map_or_else(|| Ok(Checked::Text(text.to_owned())), Err)
}

fn is_scheme(text: &str) -> bool {
    (1..=12).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-'))
}

fn nothing(rest: &str, scheme: &str) -> Option<Fault> {
    (!rest.is_empty()).then(|| Fault::new(format!("nothing may follow `{scheme}`")))
}

/// `user:password@host:port/vhost`; `before` characters precede it.
fn amqp(rest: &str, before: usize) -> Option<Fault> {
    let ats: Vec<_> = rest.match_indices('@').map(|(at, _)| at).collect();
    if let [first, _, ..] = ats.as_slice() {
        let position = before + rest.get(..*first).unwrap_or_default().chars().count() + 1;
        let fault = Fault::new(format!("more than one `@`; the first is character {position} of the value"));
        return Some(fault.help("write %40 for an `@` in a user, a password or a virtual host".to_owned()));
    }
    let (user, place) = rest.rsplit_once('@').map_or(("", rest), |(user, place)| (user, place));
    if user.contains(['/', '?', '#']) {
        let fault = Fault::new("a `/`, `?` or `#` in the user or the password");
        return Some(fault.help("write %2F for `/`, %3F for `?`, %23 for `#`".to_owned()));
    }
    if user.matches(':').count() > 1 {
        return Some(Fault::new("a `:` in the password").help("write %3A for it".to_owned()));
    }
    if place.contains(['?', '#']) {
        let fault = Fault::new("options after the virtual host are not read");
        return Some(fault.help("connectTimeout, heartbeat and the like are keys of [transport]".to_owned()));
    }
    let (authority, vhost) = place.split_once('/').map_or((place, None), |(host, vhost)| (host, Some(vhost)));
    if let Some(fault) = host(authority) {
        return Some(fault);
    }
    if vhost.is_some_and(|vhost| vhost.contains('/')) {
        let fault = Fault::new("a `/` in the virtual host");
        return Some(fault.help("write %2F for it; the default virtual host is left out, or %2F".to_owned()));
    }
    let escaped = [user, vhost.unwrap_or_default()].into_iter().all(is_escaped);
    (!escaped).then(|| {
        Fault::new("a `%` without two hexadecimal digits, or no UTF-8 behind it")
            .help("write %25 for `%`".to_owned())
    })
}

fn host(authority: &str) -> Option<Fault> {
    let (host, port) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, port)) => (host, port.strip_prefix(':')),
        None => authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port))),
    };
    if host.is_empty() {
        return Some(
            Fault::new("the host is missing").help("write amqp://user:password@host:5672/vhost".to_owned()),
        );
    }
    let valid = |port: &str| {
        port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|port| port > 0)
    };
    // What looks like a port may be a password whose host is missing: it is not shown.
    port.is_some_and(|port| !valid(port)).then(|| {
        Fault::new("what follows the host is no port")
            .help("write amqp://user:password@host:5672/vhost".to_owned())
    })
}

fn is_escaped(text: &str) -> bool {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
        match (digit(rest.next()), digit(rest.next())) {
            (Some(high), Some(low)) => bytes.extend(u8::try_from(high * 16 + low)),
            _ => return false,
        }
    }
    String::from_utf8(bytes).is_ok()
}
