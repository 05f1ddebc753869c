//! The keys as one place sees them: `[container]` itself, or a listener with all that it inherits.

use super::check::literal;
use super::effective::{Effective, Rank, Scope};
use super::key::Table;
use super::names::dotted;
use super::resolve::Resolver;
use super::spot::Spot;

/// `scope` is `None` for `[container]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) resolver: &'a Resolver,
    pub(crate) scope: Option<Scope<'a>>,
}

impl Place<'_> {
    pub(crate) fn get(self, key: &str) -> Option<Effective> {
        match self.scope {
            Some(scope) => self.resolver.of_listener(scope, key),
            None => self.resolver.plain(Table::Container, key),
        }
    }

    /// The path of a value as its own place names it: a default of all listeners is a key of `[container]`.
    pub(crate) fn path_of(self, key: &str, effective: &Effective) -> String {
        match self.scope {
            Some(scope) if effective.rank > Rank::Container => {
                dotted(&[Table::Listener.word(), scope.id, key])
            }
            _ => dotted(&[Table::Container.word(), key]),
        }
    }

    /// The value that is to be compared with others: neither one that an attribute may replace, which only the binary
    /// of the service knows, nor one that stands in for a mistake.
    pub(crate) fn certain(self, key: &str) -> Option<Effective> {
        let value = self.get(key)?;
        let replaceable = self.scope.is_some_and(|scope| scope.descriptor.is_none());
        let seen = !replaceable || value.rank > Rank::Policy;
        (seen && self.strongest(key).is_none_or(|strongest| strongest <= value.rank)).then_some(value)
    }

    /// The rank of the most specific value that is given, right or wrong.
    fn strongest(self, key: &str) -> Option<Rank> {
        let own = self.scope.and_then(|scope| self.resolver.candidates(scope, key).into_iter().next());
        let shared = || self.resolver.merged.get(&[Table::Container.word(), key]).map(|_| Rank::Container);
        own.map(|(_, rank)| rank).or_else(shared)
    }

    /// `concurrency = 4`.
    pub(crate) fn assignment(self, key: &str, effective: &Effective) -> String {
        format!("{key} = {}", self.literal(key, effective))
    }

    /// The value as TOML spells it.
    pub(crate) fn literal(self, key: &str, effective: &Effective) -> String {
        let row = self.resolver.row(Table::Listener, key);
        row.map_or_else(String::new, |row| literal(row.kind, &effective.value))
    }
}

/// `given at shop.toml:3:1`, or `built in`.
pub(crate) fn origin(effective: &Effective) -> String {
    match &effective.key {
        Spot::BuiltIn => "built in".to_owned(),
        spot => format!("given at {}", spot.source()),
    }
}
