//! `[[redelivery.NAME.rules]]`: what a policy does about certain failures.

use std::borrow::Cow;
use std::time::Duration;

use hearken_core::failure::FailureKind;
use hearken_core::redelivery::{Amendment, Condition, RedeliveryPolicy, Response, Rule};

use super::check::Checked;
use super::effective::Effective;
use super::key::Table;
use super::layer::{Item, List};
use super::names::{self, quoted_list};
use super::problem::{Problem, Report};
use super::registered::Registered;
use super::resolve::Resolver;
use super::spot::Spot;

/// The keys of which a rule has one.
const CONDITIONS: [&str; 4] = ["kind", "code", "errorContains", "predicate"];

/// The keys that change limits and delays.
const AMENDMENTS: [&str; 8] = [
    "maximumRedeliveries",
    "initialRedeliveryDelay",
    "redeliveryDelay",
    "maximumRedeliveryDelay",
    "useExponentialBackOff",
    "backOffMultiplier",
    "useCollisionAvoidance",
    "collisionAvoidancePercent",
];

/// Reads the rules of one policy.
pub(super) struct Reader<'a> {
    pub(super) resolver: &'a Resolver,
    /// Of the list.
    pub(super) path: &'a [&'a str],
    /// Without its rules.
    pub(super) policy: &'a RedeliveryPolicy,
    pub(super) registered: &'a Registered,
    pub(super) report: &'a mut Report,
}

impl Reader<'_> {
    pub(super) fn rules(mut self, list: &List) -> Vec<Rule> {
        let mut rules: Vec<(Rule, &Spot)> = Vec::new();
        for (index, item) in list.items.iter().enumerate() {
            let path = names::item(self.path, index);
            // What is wrong in one does not hide what is wrong in the other.
            let (when, then) = (self.condition(item, &path), self.response(item, &path));
            let (Some((when, key)), Some(then)) = (when, then) else {
                continue;
            };
            if let Some((_, first)) = rules.iter().find(|(rule, _)| rule.when == when) {
                let message = "the rule never holds: one before it has the same condition";
                let help = format!("the other is at {}", first.source());
                self.report.add(Problem::warning(key, path, message).help(help));
            }
            rules.push((Rule::new(when, then), key));
        }
        rules.into_iter().map(|(rule, _)| rule).collect()
    }

    fn get(&self, item: &Item, key: &str) -> Option<Effective> {
        self.resolver.of_item(Table::Rule, item, key)
    }

    fn problem(&mut self, spot: &Spot, path: String, message: impl Into<String>, help: impl Into<String>) {
        self.report.add(Problem::error(spot, path, message).help(help.into()));
    }

    fn missing(&mut self, item: &Item, path: &str, message: &str, help: &str) {
        if item.clear {
            self.problem(&item.spot, path.to_owned(), message, help);
        }
    }

    fn condition<'i>(&mut self, item: &'i Item, path: &str) -> Option<(Condition, &'i Spot)> {
        let mut given = CONDITIONS.iter().filter_map(|key| Some((*key, &item.values.get(*key)?.key)));
        let Some((key, spot)) = given.next() else {
            let help = format!("write one of {}", CONDITIONS.join(", "));
            self.missing(item, path, "the rule does not say which failures it is for", &help);
            return None;
        };
        for (other, other_spot) in given {
            let message = format!("`{other}` stands beside `{key}`, given at {}", spot.source());
            let help = "a rule has one condition: write a rule for each, or a `predicate` for both at once";
            self.problem(other_spot, format!("{path}.{other}"), message, help);
        }
        let value = self.get(item, key)?;
        let text = value.text();
        let owned = || Cow::Owned(text.to_owned());
        let condition = match key {
            "kind" => Condition::Kind(FailureKind::from_name(text)?),
            "code" => Condition::Code(owned()),
            "errorContains" => Condition::ErrorContains(owned()),
            _ => {
                self.registered.check_predicate(text, &value.spot, format!("{path}.{key}"), self.report);
                Condition::Predicate(owned())
            }
        };
        Some((condition, spot))
    }

    fn response(&mut self, item: &Item, path: &str) -> Option<Response> {
        let Some(given) = item.values.get("then") else {
            let help = "write then = \"redeliver\", \"dead-letter\", \"discard\", \"defer\" or \"pause\"";
            self.missing(item, path, "the rule does not say what to do", help);
            return None;
        };
        let then = self.get(item, "then")?;
        if then.text() != "redeliver" {
            self.refuse(item, path, &AMENDMENTS, &then, &["redeliver"]);
        }
        let lasting = matches!(then.text(), "defer" | "pause");
        if !lasting {
            self.refuse(item, path, &["for"], &then, &["defer", "pause"]);
        } else if !item.values.contains_key("for") {
            let message = format!("then = \"{}\" needs `for`, its time", then.text());
            self.problem(&given.key, path.to_owned(), message, "write for = \"30s\", or another time");
            return None;
        }
        let time = || Some(Duration::from_millis(u64::try_from(self.get(item, "for")?.integer()).ok()?));
        Some(match then.text() {
            "redeliver" => Response::Redeliver(self.amendment(item, path)),
            "dead-letter" => Response::DeadLetter,
            "discard" => Response::Discard,
            "defer" => Response::Defer { after: time()? },
            _ => Response::Pause { pause: time()? },
        })
    }

    /// Keys that belong to another response.
    fn refuse(&mut self, item: &Item, path: &str, keys: &[&str], then: &Effective, allowed: &[&str]) {
        for key in keys {
            if let Some(given) = item.values.get(*key) {
                let message = format!(
                    "`{key}` has no meaning with then = \"{}\", given at {}",
                    then.text(),
                    then.spot.source()
                );
                let help = format!("it belongs to then = {}", quoted_list(allowed.iter().copied()));
                self.problem(&given.key, format!("{path}.{key}"), message, help);
            }
        }
    }

    fn amendment(&mut self, item: &Item, path: &str) -> Amendment {
        let integer = |key| self.get(item, key).map(|value| value.integer());
        let boolean = |key| self.get(item, key).map(|value| value.boolean());
        let mut amendment = Amendment::new();
        amendment.maximum_redeliveries = integer("maximumRedeliveries");
        amendment.initial_redelivery_delay = integer("initialRedeliveryDelay");
        amendment.redelivery_delay = integer("redeliveryDelay");
        amendment.maximum_redelivery_delay = integer("maximumRedeliveryDelay");
        amendment.use_exponential_back_off = boolean("useExponentialBackOff");
        amendment.back_off_multiplier = self.get(item, "backOffMultiplier").map(|value| value.decimal());
        amendment.use_collision_avoidance = boolean("useCollisionAvoidance");
        amendment.collision_avoidance_percent =
            integer("collisionAvoidancePercent").and_then(|percent| i16::try_from(percent).ok());
        self.warn(item, path, &amendment);
        amendment
    }

    /// What is questionable in the rule, and was not in the policy.
    fn warn(&mut self, item: &Item, path: &str, amendment: &Amendment) {
        let known = self.policy.warnings();
        for warning in amendment.apply(self.policy).warnings() {
            if known.contains(&warning) {
                continue;
            }
            let keys = [warning.key()].into_iter().chain(AMENDMENTS);
            let spot =
                keys.filter_map(|key| item.values.get(key)).next().map_or(&item.spot, |given| &given.key);
            self.report.add(Problem::warning(spot, path, format!("{warning}")));
        }
    }
}

/// What a rule says of a key, if anything.
pub(super) fn property(rule: &Rule, key: &str) -> Option<Checked> {
    let text = |text: &str| Some(Checked::Text(text.to_owned()));
    match (&rule.when, key) {
        (Condition::Kind(kind), "kind") => return text(kind.as_str()),
        (Condition::Code(code), "code") => return text(code),
        (Condition::ErrorContains(part), "errorContains") => return text(part),
        (Condition::Predicate(name), "predicate") => return text(name),
        _ => {}
    }
    let milliseconds =
        |time: Duration| Some(Checked::Integer(i64::try_from(time.as_millis()).unwrap_or(i64::MAX)));
    match (&rule.then, key) {
        (Response::Redeliver(_), "then") => text("redeliver"),
        (Response::DeadLetter, "then") => text("dead-letter"),
        (Response::Discard, "then") => text("discard"),
        (Response::Defer { .. }, "then") => text("defer"),
        (Response::Pause { .. }, "then") => text("pause"),
        (Response::Defer { after: time } | Response::Pause { pause: time }, "for") => milliseconds(*time),
        (Response::Redeliver(amendment), _) => amended(amendment, key),
        _ => None,
    }
}

fn amended(amendment: &Amendment, key: &str) -> Option<Checked> {
    match key {
        "maximumRedeliveries" => amendment.maximum_redeliveries.map(Checked::Integer),
        "initialRedeliveryDelay" => amendment.initial_redelivery_delay.map(Checked::Integer),
        "redeliveryDelay" => amendment.redelivery_delay.map(Checked::Integer),
        "maximumRedeliveryDelay" => amendment.maximum_redelivery_delay.map(Checked::Integer),
        "useExponentialBackOff" => amendment.use_exponential_back_off.map(Checked::Boolean),
        "backOffMultiplier" => amendment.back_off_multiplier.map(Checked::Decimal),
        "useCollisionAvoidance" => amendment.use_collision_avoidance.map(Checked::Boolean),
        "collisionAvoidancePercent" => {
            amendment.collision_avoidance_percent.map(|percent| Checked::Integer(percent.into()))
        }
        _ => None,
    }
}
