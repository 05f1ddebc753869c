//! The effective configuration as `check` shows it.

use hearken_core::redelivery::RedeliveryPolicy;
use serde::Serialize;

use super::check::{Checked, literal};
use super::configuration::Configuration;
use super::effective::{Effective, Scope};
use super::inline::{self, Inline};
use super::key::{Kind, Row, Table};
use super::mask::{self, MASK};
use super::names::{dotted, toml_text};
use super::node::Scalar;
use super::place::Place;
use super::source::Source;
use super::structure::VALUES;
use super::{recovery, rules, scaling, uri};

/// One effective value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// The path of its table, or list of tables: `listeners.on_order`.
    pub table: String,
    /// In a list of tables the number of its table, first = 0.
    pub item: Option<usize>,
    /// Its key, quoted where TOML needs it.
    pub key: String,
    /// The value, secrets masked.
    pub value: Literal,
    /// The value as TOML spells it, secrets masked.
    pub text: String,
    /// Where it is from.
    pub source: Source,
}

/// A value for a program to read. Durations and sizes are texts with units.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Literal {
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number.
    Decimal(f64),
    /// A truth value.
    Boolean(bool),
}

impl Entry {
    /// The path of its key: `listeners.on_order.prefetch`, `redelivery.patient.rules[0].kind`.
    pub fn path(&self) -> String {
        match self.item {
            Some(item) => format!("{}[{item}].{}", self.table, self.key),
            None => format!("{}.{}", self.table, self.key),
        }
    }

    /// The header of its table as TOML spells it.
    pub fn header(&self) -> String {
        match self.item {
            Some(_) => format!("[[{}]]", self.table),
            None => format!("[{}]", self.table),
        }
    }
}

impl Configuration {
    /// Every effective value, table by table, without those that another makes meaningless.
    ///
    /// A listener that is linked has all its keys; of one that is not known, what files say.
    pub fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        for table in [Table::Application, Table::Transport, Table::Container] {
            for row in self.resolver.keys.rows(table) {
                entries.extend(self.plain(row));
            }
        }
        for (name, policy) in self.policies() {
            self.policy(name, policy, &mut entries);
        }
        self.map(&mut entries);
        self.all_listeners(&mut entries);
        self.values(&mut entries);
        entries
    }

    fn plain(&self, row: &Row) -> Option<Entry> {
        let container = Place { resolver: &self.resolver, scope: None };
        if row.table == Table::Container && !counts(container, row.key) {
            return None;
        }
        match self.resolver.plain(row.table, row.key) {
            Some(effective) => Some(entry(row.table.word().to_owned(), row, &effective)),
            None if row.table == Table::Application => {
                let value = Checked::Text(self.application().name.clone());
                Some(shown(row.table.word().to_owned(), row, &value, Source::BuiltIn))
            }
            None => None,
        }
    }

    fn policy(&self, name: &str, policy: &RedeliveryPolicy, entries: &mut Vec<Entry>) {
        let table = dotted(&[Table::Redelivery.word(), name]);
        let inline = self.inline(name);
        for row in self.resolver.keys.rows(Table::Redelivery) {
            let given = || {
                let attribute = || self.resolver.of_inline(inline?, row.key);
                self.resolver.of_table(name, row.key).or_else(attribute)
            };
            let given = given().filter(|_| !self.resolver.code.contains(name));
            let source = match &given {
                Some(given) => given.spot.source(),
                None if self.resolver.code.contains(name) => Source::Builder,
                None => Source::BuiltIn,
            };
            let value = match (row.kind, &given) {
                (Kind::ConnectionUri, given) => given.as_ref().map(|given| given.value.clone()),
                _ => property(policy, row.key),
            };
            if let Some(value) = value {
                entries.push(shown(table.clone(), row, &value, source));
            }
        }
        self.rules(name, policy, entries);
    }

    /// The policy of this name that stands in an attribute.
    fn inline(&self, name: &str) -> Option<Inline> {
        let mut linked = self.linked.iter().flatten();
        let descriptor = linked.find(|descriptor| inline::name(descriptor) == name)?;
        let scope = Scope { id: descriptor.id, descriptor: Some(descriptor), builder: &[] };
        inline::counting(&self.resolver, scope)
    }

    /// The rules of a policy: of each what it says, and nothing else.
    fn rules(&self, name: &str, policy: &RedeliveryPolicy, entries: &mut Vec<Entry>) {
        let path = [Table::Redelivery.word(), name, Table::Rule.word()];
        let list = self.resolver.merged.list(&path).filter(|_| !self.resolver.code.contains(name));
        for (index, rule) in policy.rules.iter().enumerate() {
            let item = list.and_then(|list| list.items.get(index));
            for row in self.resolver.keys.rows(Table::Rule) {
                let given = item.and_then(|item| item.values.get(row.key));
                let source = given.map_or(Source::Builder, |given| given.value.source());
                if let Some(value) = rules::property(rule, row.key) {
                    entries.push(Entry { item: Some(index), ..shown(dotted(&path), row, &value, source) });
                }
            }
        }
    }

    fn map(&self, entries: &mut Vec<Entry>) {
        let path = [Table::Map.word()];
        let items = self.resolver.merged.list(&path).into_iter().flat_map(|list| &list.items);
        for (index, item) in items.enumerate() {
            for row in self.resolver.keys.rows(Table::Map) {
                if let Some(value) = self.resolver.of_item(Table::Map, item, row.key) {
                    entries.push(Entry { item: Some(index), ..entry(dotted(&path), row, &value) });
                }
            }
        }
    }

    fn all_listeners(&self, entries: &mut Vec<Entry>) {
        let tables = self.resolver.merged.named(Table::Listener.word());
        let scopes: Vec<Scope<'_>> = match &self.linked {
            Some(linked) => linked
                .iter()
                .map(|descriptor| Scope { id: descriptor.id, descriptor: Some(descriptor), builder: &[] })
                .collect(),
            None => tables.keys().map(|id| Scope { id, descriptor: None, builder: &[] }).collect(),
        };
        for scope in scopes {
            let table = dotted(&[Table::Listener.word(), scope.id]);
            let place = Place { resolver: &self.resolver, scope: Some(scope) };
            for row in self.resolver.keys.rows(Table::Listener) {
                // Of a listener that is not known all that is given may count.
                let given = match scope.descriptor {
                    Some(_) => counts(place, row.key),
                    None => !self.resolver.candidates(scope, row.key).is_empty(),
                };
                if let Some(effective) = place.get(row.key).filter(|_| given) {
                    entries.push(entry(table.clone(), row, &effective));
                }
            }
        }
    }

    fn values(&self, entries: &mut Vec<Entry>) {
        for path in self.resolver.merged.paths().filter(|path| path[0] == VALUES) {
            let (Some(given), Some((key, table))) = (self.resolver.merged.get(path), path.split_last())
            else {
                continue;
            };
            let value = match self.resolver.resolved(given) {
                _ if path.iter().any(|word| mask::is_secret_name(word)) => Literal::Text(MASK.to_owned()),
                Ok((Scalar::Integer { value: Some(value), .. }, _)) => Literal::Integer(value),
                Ok((Scalar::Float { value, .. }, _)) => Literal::Decimal(value),
                Ok((Scalar::Boolean(value), _)) => Literal::Boolean(value),
                Ok((Scalar::Text(text), _)) => Literal::Text(mask::address(&text)),
                _ => continue,
            };
            let text = match &value {
                Literal::Text(text) => toml_text(text),
                Literal::Integer(value) => value.to_string(),
                Literal::Decimal(value) => value.to_string(),
                Literal::Boolean(value) => value.to_string(),
            };
            entries.push(Entry {
                table: dotted(table),
                item: None,
                key: dotted(&[key]),
                value,
                text,
                source: given.value.source(),
            });
        }
    }
}

fn counts(place: Place<'_>, key: &str) -> bool {
    recovery::counts(place, key) && scaling::counts(place, key)
}

fn entry(table: String, row: &Row, effective: &Effective) -> Entry {
    shown(table, row, &effective.value, effective.spot.source())
}

fn shown(table: String, row: &Row, value: &Checked, source: Source) -> Entry {
    let text = literal(row.kind, value);
    let value = match (row.kind, value) {
        (Kind::Duration { .. } | Kind::Size { .. }, _) if text.starts_with('"') => {
            Literal::Text(text.trim_matches('"').to_owned())
        }
        (Kind::ConnectionUri, Checked::Text(text)) => Literal::Text(uri::shown(text)),
        (_, Checked::Text(text)) => Literal::Text(mask::address(text)),
        (_, Checked::Integer(value)) => Literal::Integer(*value),
        (_, Checked::Decimal(value)) => Literal::Decimal(*value),
        (_, Checked::Boolean(value)) => Literal::Boolean(*value),
        (_, Checked::Concurrency(value)) if value.is_elastic() => Literal::Text(value.to_string()),
        (_, Checked::Concurrency(value)) => Literal::Integer(value.max().into()),
    };
    Entry { table, item: None, key: row.key.to_owned(), value, text, source }
}

/// A property that counts: with a preset its table counts, without one there is none.
fn property(policy: &RedeliveryPolicy, key: &str) -> Option<Checked> {
    let shared = match key {
        "onExhausted" => Some(Checked::Text(policy.on_exhausted.name().to_owned())),
        "preDispatchCheck" => Some(Checked::Boolean(policy.pre_dispatch_check)),
        "useCollisionAvoidance" => Some(Checked::Boolean(policy.use_collision_avoidance)),
        "collisionAvoidancePercent" => Some(Checked::Integer(policy.collision_avoidance_percent.into())),
        _ => None,
    };
    if shared.is_some() {
        return shared;
    }
    match (&policy.ladder, key) {
        (Some(ladder), "preset") => Some(Checked::Text(ladder.name().to_owned())),
        (Some(ladder), "maxReconsumeTimes") => Some(Checked::Integer(ladder.max_reconsume_times)),
        (Some(_), _) | (None, "preset" | "maxReconsumeTimes") => None,
        (None, "maximumRedeliveries") => Some(Checked::Integer(policy.maximum_redeliveries)),
        (None, "initialRedeliveryDelay") => Some(Checked::Integer(policy.initial_redelivery_delay)),
        (None, "redeliveryDelay") => Some(Checked::Integer(policy.redelivery_delay)),
        (None, "maximumRedeliveryDelay") => Some(Checked::Integer(policy.maximum_redelivery_delay)),
        (None, "useExponentialBackOff") => Some(Checked::Boolean(policy.use_exponential_back_off)),
        (None, "backOffMultiplier") => Some(Checked::Decimal(policy.back_off_multiplier)),
        (None, "formula") => Some(Checked::Text(policy.formula.name().to_owned())),
        (None, _) => None,
    }
}
