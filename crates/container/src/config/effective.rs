//! Which value of a key counts: specificity first, then the layer.

use std::time::Duration;

use hearken_core::listener::{AttributeValue, ListenerDescriptor};
use hearken_core::transport::QueueType;

use super::check::{self, Checked};
use super::inline::{self, Inline};
use super::key::{Row, Table};
use super::keys;
use super::layer::{Given, Item};
use super::node::Scalar;
use super::overrides::Value;
use super::resolve::Resolver;
use super::spot::Spot;
use super::uri;
use crate::concurrency::Concurrency;

/// How specific a value is; a later one beats an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    BuiltIn,
    Container,
    /// `[[redeliveryMap]]`, by the queue of the listener.
    Map,
    /// The URI of the listener's policy, for what concerns the listener.
    Policy,
    Attribute,
    Listener,
    Builder,
}

/// The value of a key that counts, and where it is from.
#[derive(Clone, Debug)]
pub(crate) struct Effective {
    pub(crate) value: Checked,
    pub(crate) key: Spot,
    pub(crate) spot: Spot,
    pub(crate) rank: Rank,
}

/// A listener, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    pub(crate) id: &'a str,
    /// `None` when only files speak of it.
    pub(crate) descriptor: Option<&'static ListenerDescriptor>,
    pub(crate) builder: &'a [(&'a str, Value)],
}

impl Resolver {
    /// A key of an unnamed table.
    pub(crate) fn plain(&self, table: Table, key: &str) -> Option<Effective> {
        match self.shared.get(&table).and_then(|values| values.get(key)) {
            Some(value) => value.clone(),
            None => self.read(self.row(table, key)?, table),
        }
    }

    pub(super) fn read(&self, row: &Row, table: Table) -> Option<Effective> {
        let rank = if table == Table::Container { Rank::Container } else { Rank::BuiltIn };
        match self.merged.get(&[table.word(), row.key]) {
            Some(given) => self.checked(row, given, rank).or_else(|| built_in(row)),
            None => built_in(row),
        }
    }

    /// A key of a policy, if it is given.
    pub(crate) fn of_policy(&self, policy: &str, key: &str) -> Option<Effective> {
        let row = self.row(Table::Redelivery, key)?;
        self.checked(row, self.merged.get(&[Table::Redelivery.word(), policy, key])?, Rank::BuiltIn)
    }

    /// A key of a policy, given by itself or by its URI.
    pub(crate) fn of_table(&self, policy: &str, key: &str) -> Option<Effective> {
        self.of_policy(policy, key).or_else(|| self.of_uri(policy, key))
    }

    /// What the URI of a policy says of a key.
    pub(super) fn of_uri(&self, policy: &str, key: &str) -> Option<Effective> {
        let uri = self.of_policy(policy, "uri")?;
        let said = uri::parse(uri.text()).ok()?;
        let (_, value) = said.into_iter().find(|(said, _)| *said == key)?;
        Some(Effective { value, ..uri })
    }

    /// `nonBlockingRedelivery` of a listener whose policy is given by a URI.
    fn of_policy_uri(&self, scope: Scope<'_>) -> Option<Effective> {
        let policy =
            self.of_listener(scope, "redelivery").filter(|policy| !self.code.contains(policy.text()))?;
        Some(Effective { rank: Rank::Policy, ..self.of_uri(policy.text(), "nonBlockingRedelivery")? })
    }

    /// A key of a policy in an attribute, if it is given.
    pub(super) fn of_inline(&self, inline: Inline, key: &str) -> Option<Effective> {
        self.checked(self.row(Table::Redelivery, key)?, &inline.given(key)?, Rank::Attribute)
    }

    /// A key of a table in a list, if it is given.
    pub(crate) fn of_item(&self, table: Table, item: &Item, key: &str) -> Option<Effective> {
        self.checked(self.row(table, key)?, item.values.get(key)?, Rank::BuiltIn)
    }

    /// A key of a listener.
    pub(crate) fn of_listener(&self, scope: Scope<'_>, key: &str) -> Option<Effective> {
        let row = self.row(Table::Listener, key)?;
        let own =
            self.candidates(scope, key).into_iter().find_map(|(given, rank)| self.checked(row, &given, rank));
        let inherited = || match key {
            "queueType" => self.classic(scope).or_else(|| self.plain(Table::Transport, row.key)),
            "nonBlockingRedelivery" => {
                self.of_policy_uri(scope).or_else(|| self.plain(Table::Container, row.key))
            }
            "redelivery" => self.mapped(scope).or_else(|| self.plain(Table::Container, row.key)),
            _ if row.table == Table::Listener => None,
            _ => self.plain(Table::Container, row.key),
        };
        own.or_else(inherited).or_else(|| built_in(row))
    }

    /// Only classic queues go by themselves: one that does is classic, whatever the type of the others.
    fn classic(&self, scope: Scope<'_>) -> Option<Effective> {
        let on = |key| self.of_listener(scope, key).filter(Effective::boolean);
        let cause = on("temporary").or_else(|| on("autoDelete"))?;
        Some(Effective { value: Checked::Text(QueueType::Classic.as_str().to_owned()), ..cause })
    }

    /// The values that the listener itself has for a key, the most specific first.
    pub(crate) fn candidates(&self, scope: Scope<'_>, key: &str) -> Vec<(Given, Rank)> {
        let extra = scope.builder.iter().rev().find(|(name, _)| *name == key);
        let extra = extra.map(|(_, value)| (super::overrides::given(value), Rank::Builder));
        let table = self.merged.get(&[Table::Listener.word(), scope.id, key]).cloned().map(|given| {
            let rank = if matches!(given.value, Spot::Builder) { Rank::Builder } else { Rank::Listener };
            (given, rank)
        });
        let attribute = scope.descriptor.and_then(|descriptor| {
            let option = descriptor.options.iter().find(|option| option.key == key)?;
            Some((of_attribute(descriptor, option.value), Rank::Attribute))
        });
        [extra, table, attribute].into_iter().flatten().collect()
    }

    /// A key that no linked crate contributes still has its default.
    pub(crate) fn row(&self, table: Table, key: &str) -> Option<&Row> {
        let shared = if table == Table::Listener { Table::Container } else { table };
        self.keys.row(table, key).or_else(|| keys::known(table, key)).or_else(|| keys::known(shared, key))
    }

    /// A wrong value was reported when all values were checked; here the next one counts.
    fn checked(&self, row: &Row, given: &Given, rank: Rank) -> Option<Effective> {
        let value = self.value(row, given).ok()?;
        let (key, spot) = (given.key.clone(), given.value.clone());
        let rank =
            if matches!(given.value, Spot::Builder) && rank > Rank::Container { Rank::Builder } else { rank };
        Some(Effective { value, key, spot, rank })
    }
}

/// A value of the attribute; a policy that stands there is the name it has.
pub(super) fn of_attribute(descriptor: &'static ListenerDescriptor, value: AttributeValue) -> Given {
    let spot = Spot::Attribute(descriptor);
    let scalar = match value {
        AttributeValue::Text(text) => Scalar::Text(text.to_owned()),
        AttributeValue::Integer(value) => Scalar::integer(value),
        AttributeValue::Decimal(value) => Scalar::decimal(value),
        AttributeValue::Boolean(value) => Scalar::Boolean(value),
        AttributeValue::Table(_) => Scalar::Text(inline::name(descriptor)),
    };
    Given { scalar, lenient: false, key: spot.clone(), value: spot }
}

fn built_in(row: &Row) -> Option<Effective> {
    let value = check::default(row)?;
    Some(Effective { value, key: Spot::BuiltIn, spot: Spot::BuiltIn, rank: Rank::BuiltIn })
}

impl Effective {
    pub(crate) fn text(&self) -> &str {
        if let Checked::Text(text) = &self.value { text } else { "" }
    }

    pub(crate) fn integer(&self) -> i64 {
        if let Checked::Integer(value) = self.value { value } else { 0 }
    }

    pub(crate) fn boolean(&self) -> bool {
        self.value == Checked::Boolean(true)
    }

    pub(crate) fn decimal(&self) -> f64 {
        if let Checked::Decimal(value) = self.value { value } else { 0.0 }
    }

    pub(crate) fn concurrency(&self) -> Concurrency {
        if let Checked::Concurrency(value) = self.value { value } else { Concurrency::ONE }
    }

    pub(crate) fn duration(&self) -> Duration {
        Duration::from_millis(u64::try_from(self.integer()).unwrap_or(0))
    }
}
