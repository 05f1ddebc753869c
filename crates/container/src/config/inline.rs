//! Policies that stand in the attribute of a listener: `redelivery(maximum = 3)`.

use hearken_core::listener::{AttributeOption, AttributeValue, ListenerDescriptor};

use super::effective::{self, Rank, Scope};
use super::key::Table;
use super::layer::Given;
use super::names::dotted;
use super::problem::{Problem, Report};
use super::resolve::Resolver;
use super::spot::Spot;

const KEY: &str = "redelivery";

/// What everything but the attribute calls the policy of this listener.
pub(super) fn name(descriptor: &ListenerDescriptor) -> String {
    format!("inline:{}", descriptor.id)
}

/// The policy of an attribute, if there is one.
pub(super) fn policy(descriptor: &ListenerDescriptor) -> Option<&'static [AttributeOption]> {
    let option = descriptor.options.iter().find(|option| option.key == KEY)?;
    if let AttributeValue::Table(policy) = option.value { Some(policy) } else { None }
}

/// The same, unless something more specific takes its place.
pub(super) fn counting(resolver: &Resolver, scope: Scope<'_>) -> Option<Inline> {
    let descriptor = scope.descriptor?;
    let strongest = resolver.candidates(scope, KEY).into_iter().next();
    let values = policy(descriptor).filter(|_| strongest.is_some_and(|(_, rank)| rank == Rank::Attribute))?;
    Some(Inline { descriptor, values })
}

/// A policy, and the listener in whose attribute it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inline {
    pub(super) descriptor: &'static ListenerDescriptor,
    values: &'static [AttributeOption],
}

impl Inline {
    pub(super) fn spot(self) -> Spot {
        Spot::Attribute(self.descriptor)
    }

    pub(super) fn path(self, key: &str) -> String {
        dotted(&[Table::Listener.word(), self.descriptor.id, KEY, key])
    }

    /// A key as it stands in the attribute, if it does.
    pub(super) fn given(self, key: &str) -> Option<Given> {
        let option = self.values.iter().find(|option| option.key == key)?;
        Some(effective::of_attribute(self.descriptor, option.value))
    }

    /// The values of files and variables were checked as a whole; those of the attribute are checked here.
    pub(super) fn check(self, resolver: &Resolver, report: &mut Report) {
        for key in self.values.iter().map(|option| option.key) {
            let row = resolver.keys.row(Table::Redelivery, key).filter(|row| row.attribute.is_some());
            let Some(row) = row else {
                let message = format!("unknown property `{key}`");
                report.add(Problem::error(&self.spot(), self.path(key), message));
                continue;
            };
            // A placeholder that another source replaces is not read.
            let replaced = resolver.merged.get(&[Table::Redelivery.word(), &name(self.descriptor), key]);
            if let (None, Some(given)) = (replaced, self.given(key))
                && let Err(fault) = resolver.value(row, &given)
            {
                report.add(Problem::error(&given.value, self.path(key), fault.message).help(fault.help));
            }
        }
    }
}
