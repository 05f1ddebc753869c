//! ActiveMQ's connection URIs, as far as they speak of redelivery: `tcp://host?jms.redeliveryPolicy.maximumRedeliveries=2`.
//!
//! Nothing of the address gets into a message: it may hold a password, and so may options of others.

use super::check::{self, Checked, Fault};
use super::key::Table;
use super::keys;
use super::mask::MASK;
use super::names::{did_you_mean, squashed};
use super::node::Scalar;
use super::unknown;

/// The longest part of an option's name that is shown, in characters.
const LONGEST: usize = 80;

const OPTIONS: &str = "jms.";
const POLICY: &str = "jms.redeliveryPolicy.";
const NON_BLOCKING: &str = "nonBlockingRedelivery";

/// The properties of ActiveMQ's `RedeliveryPolicy` that its URIs can set.
const PROPERTIES: [&str; 9] = [
    "maximumRedeliveries",
    "initialRedeliveryDelay",
    "redeliveryDelay",
    "maximumRedeliveryDelay",
    "useExponentialBackOff",
    "backOffMultiplier",
    "useCollisionAvoidance",
    "collisionAvoidancePercent",
    "preDispatchCheck",
];

/// What a URI says, by the keys of configuration.
pub(super) type Said = Vec<(&'static str, Checked)>;

/// The policy's keys, and `nonBlockingRedelivery`, which belongs to the listeners that have the policy.
pub(super) fn parse(text: &str) -> Result<Said, Fault> {
    let query = query(text)?;
    let mut said = Said::new();
    for (option, value) in form_urlencoded::parse(query.as_bytes()) {
        let Some((key, value)) = read(&option, &value)? else { continue };
        if said.iter().any(|(known, _)| *known == key) {
            return Err(fault(format!("`{option}` is given twice")));
        }
        said.push((key, value));
    }
    if said.is_empty() {
        let help = "write tcp://host:61616?jms.redeliveryPolicy.maximumRedeliveries=2, or remove it";
        return Err(fault("the URI says nothing of redelivery").help(help.to_owned()));
    }
    Ok(said)
}

/// The name of an option, which may be of any length and have any character.
fn quoted(option: &str) -> String {
    let short: String =
        option.chars().take(LONGEST).map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect();
    let dots = if option.chars().nth(LONGEST).is_some() { "…" } else { "" };
    format!("`{short}{dots}`")
}

fn fault(message: impl Into<String>) -> Fault {
    Fault::new(message)
}

/// The options of the connection: those behind the parentheses of a composite URI, not those of the addresses in them.
fn query(text: &str) -> Result<&str, Fault> {
    let scheme = text.split(':').next().filter(|scheme| scheme.len() < text.len());
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
    };
    if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err(fault("must not have spaces or control characters"));
    }
    if !scheme.is_some_and(is_scheme) {
        let help = "write tcp://host:61616?jms.redeliveryPolicy.maximumRedeliveries=2";
        return Err(fault("is no connection URI of ActiveMQ").help(help.to_owned()));
    }
    let (inside, after) = match (text.find('('), text.rfind(')')) {
        (Some(open), Some(close)) if open < close => (text.get(open..close), text.get(close + 1..)),
        (None, None) => (None, Some(text)),
        _ => return Err(fault("the parentheses do not match")),
    };
    if inside.is_some_and(|inside| {
        inside.contains(&format!("?{OPTIONS}")) || inside.contains(&format!("&{OPTIONS}"))
    }) {
        let help = "write failover:(tcp://a,tcp://b)?jms.redeliveryPolicy.maximumRedeliveries=2";
        return Err(fault("`jms.` options stand behind the parentheses").help(help.to_owned()));
    }
    let query = after.and_then(|after| after.split_once('?')).map_or("", |(_, query)| query);
    Ok(query.split('#').next().unwrap_or_default())
}

/// One option, or `None` for what concerns the transport only.
fn read(option: &str, value: &str) -> Result<Option<(&'static str, Checked)>, Fault> {
    if let Some(property) = option.strip_prefix(POLICY) {
        let Some(key) = PROPERTIES.into_iter().find(|key| *key == property) else {
            return Err(no_property(option, property, value));
        };
        return checked(Table::Redelivery, option, key, value).map(Some);
    }
    match option.strip_prefix(OPTIONS) {
        Some(NON_BLOCKING) => checked(Table::Container, option, NON_BLOCKING, value).map(Some),
        Some(other) => Err(no_option(option, other)),
        // Almost one of ours, which would be lost without a word.
        None if squashed(option).contains("redelivery") => {
            Err(fault(format!("{} is no option of redelivery", quoted(option))).help(meant(option)))
        }
        None => Ok(None),
    }
}

fn checked(
    table: Table,
    option: &str,
    key: &'static str,
    value: &str,
) -> Result<(&'static str, Checked), Fault> {
    let Some(row) = keys::known(table, key) else { return Err(fault(format!("`{option}` is not known"))) };
    // Java reads a truth value without regard to case.
    let lower = value.to_ascii_lowercase();
    let value = if matches!(lower.as_str(), "true" | "false") { lower } else { value.to_owned() };
    let checked = check::check(row, &Scalar::Text(value), true, &[]);
    checked
        .map(|value| (key, value))
        .map_err(|wrong| Fault { message: format!("`{option}`: {}", wrong.message), help: wrong.help })
}

fn no_property(option: &str, property: &str, value: &str) -> Fault {
    let sample = value.parse().ok().map(Scalar::decimal);
    if squashed(property) == "collisionavoidancefactor" {
        let help = unknown::percent_for(sample.as_ref())
            .replace(" = ", "=")
            .replace("write ", &format!("write {POLICY}"));
        return fault(format!("`{option}` cannot be set by a URI")).help(help);
    }
    let ours = keys::known(Table::Redelivery, property).is_some_and(|row| !row.kind.is_refused());
    let help = match property {
        "destination" | "queue" | "topic" | "tempQueue" | "tempTopic" => {
            "[[redeliveryMap]] gives queues their policies".to_owned()
        }
        _ if ours => format!("write `{property}` beside `uri`"),
        _ => did_you_mean(property, PROPERTIES)
            .unwrap_or_else(|| format!("properties: {}", PROPERTIES.join(", "))),
    };
    fault(format!("{} is no property of ActiveMQ's RedeliveryPolicy", quoted(option))).help(help)
}

/// Another option of the connection: what is to be written instead, where there is something.
fn no_option(option: &str, name: &str) -> Fault {
    let group = name.split('.').next().unwrap_or_default();
    let instead = match group {
        "prefetchPolicy" => Some("write `prefetch` under [container] or [listeners.ID]"),
        "userName" | "password" => Some("the login belongs to `url` under [transport]"),
        "redeliveryPolicyMap" => Some("write [[redeliveryMap]]"),
        _ => None,
    };
    let near = || did_you_mean(group, [NON_BLOCKING, "redeliveryPolicy"]);
    let otherwise = "only jms.redeliveryPolicy.* and jms.nonBlockingRedelivery are read here: remove it";
    let help = instead.map(str::to_owned).or_else(near).unwrap_or_else(|| otherwise.to_owned());
    fault(format!("{} is no option of redelivery", quoted(option))).help(help)
}

fn meant(option: &str) -> Option<String> {
    let last = option.rsplit('.').next().unwrap_or(option);
    let all = PROPERTIES.map(|property| format!("{POLICY}{property}"));
    let own = format!("{OPTIONS}{NON_BLOCKING}");
    let of_last =
        PROPERTIES.into_iter().zip(&all).find(|(property, _)| *property == last).map(|(_, all)| all);
    if let Some(option) = of_last.or((last == NON_BLOCKING).then_some(&own)) {
        return Some(format!("did you mean `{option}`?"));
    }
    did_you_mean(option, all.iter().chain([&own]).map(String::as_str))
}

/// The URI without what may be secret: its scheme, and what it says of redelivery.
pub(super) fn shown(text: &str) -> String {
    let scheme = text.split(':').next().unwrap_or_default();
    let options = query(text).unwrap_or_default().split('&');
    let ours = |option: &&str| option.starts_with(POLICY) || option.starts_with("jms.nonBlockingRedelivery=");
    let options: Vec<_> = options.filter(ours).collect();
    format!("{scheme}:{MASK}?{}", options.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_read_wherever_a_uri_has_its_options() {
        use Checked::{Boolean, Decimal, Integer};
        for (text, expected) in [
            (
                "tcp://h:61616?jms.redeliveryPolicy.maximumRedeliveries=2",
                vec![("maximumRedeliveries", Integer(2))],
            ),
            (
                "failover:(tcp://a:1?wireFormat.maxInactivityDuration=0,ssl://b)?jms.redeliveryPolicy.initialRedeliveryDelay=0&randomize=false",
                vec![("initialRedeliveryDelay", Integer(0))],
            ),
            (
                "failover://(tcp://u:p%40w@a)?jms.nonBlockingRedelivery=TRUE&jms.redeliveryPolicy.backOffMultiplier=2.5#x",
                vec![("nonBlockingRedelivery", Boolean(true)), ("backOffMultiplier", Decimal(2.5))],
            ),
            (
                "vm:b?jms.redeliveryPolicy.maximumRedeliver%69es=-1&jms.redeliveryPolicy.preDispatchCheck=false",
                vec![("maximumRedeliveries", Integer(-1)), ("preDispatchCheck", Boolean(false))],
            ),
        ] {
            assert_eq!(parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn every_property_is_a_key() {
        for property in PROPERTIES {
            assert!(keys::known(Table::Redelivery, property).is_some(), "{property}");
        }
    }

    #[test]
    fn nothing_but_redelivery_is_shown() {
        let text =
            "failover:(tcp://u:hunter2@a)?jms.password=hunter2&jms.redeliveryPolicy.maximumRedeliveries=2";
        assert_eq!(shown(text), "failover:***?jms.redeliveryPolicy.maximumRedeliveries=2");
        assert_eq!(parse(&shown(text)).unwrap().len(), 1);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_answered_and_shows_no_address(text in "\\PC{0,60}", host in "[a-z0-9@:]{8,20}") {
            let _ = (parse(&text), shown(&text));
            let uri = format!("tcp://{host}?jms.{text}");
            if let Err(fault) = parse(&uri) {
                proptest::prop_assert!(!fault.message.contains(&host));
            }
            proptest::prop_assert!(!shown(&uri).contains(&host));
        }
    }
}
