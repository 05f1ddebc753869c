//! `[[redeliveryMap]]`: policies by the names of queues.

use std::collections::BTreeMap;

use super::effective::{Effective, Rank, Scope};
use super::key::Table;
use super::layer::{Item, List};
use super::listener::no_policy;
use super::names;
use super::pattern::{Choice, Pattern, choose};
use super::place::Place;
use super::policies::Policies;
use super::problem::{Problem, Report};
use super::resolve::Resolver;
use super::spot::Spot;

const PATH: [&str; 1] = [Table::Map.word()];

/// One table of the map that is complete.
struct Line<'a> {
    item: &'a Item,
    queue: Effective,
    redelivery: Effective,
}

impl Resolver {
    fn map(&self) -> Option<&List> {
        self.merged.list(&PATH)
    }

    fn lines(&self) -> Vec<Line<'_>> {
        let items = self.map().into_iter().flat_map(|list| &list.items);
        let line = |item| {
            let (queue, redelivery) =
                (self.of_item(Table::Map, item, "queue")?, self.of_item(Table::Map, item, "redelivery")?);
            Some(Line { item, queue, redelivery })
        };
        items.filter_map(line).collect()
    }

    /// The policy that the map has for the queue of a listener. A temporary queue has no name that a pattern could match.
    pub(super) fn mapped(&self, scope: Scope<'_>) -> Option<Effective> {
        self.map()?;
        let queue = self.queue_of(scope)?;
        let lines = self.lines();
        let Choice { best, .. } = choice(queue.text(), &lines);
        let line = lines.iter().find(|line| Some(Pattern::new(line.queue.text())) == best)?;
        Some(Effective { rank: Rank::Map, ..line.redelivery.clone() })
    }

    fn queue_of(&self, scope: Scope<'_>) -> Option<Effective> {
        let temporary = self.of_listener(scope, "temporary").is_some_and(|value| value.boolean());
        if temporary { None } else { self.of_listener(scope, "queue") }
    }
}

fn choice<'a>(queue: &str, lines: &'a [Line<'_>]) -> Choice<'a> {
    choose(queue, lines.iter().map(|line| Pattern::new(line.queue.text())))
}

/// What is wrong with the map itself.
pub(super) fn check(resolver: &Resolver, policies: &Policies, report: &mut Report) {
    for (index, item) in resolver.map().into_iter().flat_map(|list| &list.items).enumerate() {
        let missing = ["queue", "redelivery"].into_iter().find(|key| !item.values.contains_key(*key));
        if let Some(key) = missing.filter(|_| item.clear) {
            let (message, help) = match key {
                "queue" => ("the table does not say for which queues", "write queue = \"orders.>\""),
                _ => ("the table does not say which policy", "write redelivery = \"NAME\""),
            };
            let path = names::item(&PATH, index);
            report.add(Problem::error(&item.spot, path, message).help(help.to_owned()));
        }
        if let Some(named) = resolver.of_item(Table::Map, item, "redelivery")
            && !policies.contains_key(named.text())
        {
            let names: Vec<_> = policies.keys().map(String::as_str).collect();
            let path = format!("{}.redelivery", names::item(&PATH, index));
            report.add(no_policy(&named.spot, path, named.text(), &names));
        }
    }
    check_repetition(resolver, report);
}

fn check_repetition(resolver: &Resolver, report: &mut Report) {
    let mut seen: BTreeMap<String, Spot> = BTreeMap::new();
    let items = resolver.map().into_iter().flat_map(|list| &list.items);
    for (index, queue) in items.map(|item| resolver.of_item(Table::Map, item, "queue")).enumerate() {
        let Some(queue) = queue else { continue };
        if let Some(first) = seen.get(queue.text()) {
            let message = format!("the pattern \"{}\" is given twice", queue.text());
            let path = format!("{}.queue", names::item(&PATH, index));
            let help = format!("first given at {}", first.source());
            report.add(Problem::error(&queue.spot, path, message).help(help));
        } else {
            seen.insert(queue.text().to_owned(), queue.spot);
        }
    }
}

/// Two patterns that fit equally well are decided by their spelling, which few would guess.
pub(super) fn check_choice(place: Place<'_>, report: &mut Report) {
    let Some((scope, policy)) = place.scope.zip(place.get("redelivery")) else {
        return;
    };
    let Some(queue) = place.resolver.queue_of(scope).filter(|_| policy.rank == Rank::Map) else {
        return;
    };
    let lines = place.resolver.lines();
    let Choice { best, rival } = choice(queue.text(), &lines);
    let of = |pattern| lines.iter().find(|line| Some(Pattern::new(line.queue.text())) == pattern);
    if let (Some(best), Some(rival)) = (of(best), of(rival))
        && best.redelivery.text() != rival.redelivery.text()
    {
        let message = format!(
            "\"{}\" and \"{}\", given at {}, fit `{}` equally well; the first by its spelling counts",
            best.queue.text(),
            rival.queue.text(),
            rival.queue.spot.source(),
            queue.text()
        );
        let path = names::dotted(&PATH);
        let help = format!("add queue = \"{}\" with the policy that is meant", queue.text());
        report.add(Problem::warning(&best.item.spot, path, message).help(help));
    }
}
