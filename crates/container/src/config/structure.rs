//! From the tables of a file to known keys. Types and ranges are a later matter; here every name must be one.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::document::Document;
use super::key::{Kind, Row, Table};
use super::layer::{Given, Item, KeyPath, Layer, List};
use super::names::{self, did_you_mean, dotted};
use super::node::{EMPTY_ARRAY, Element, Entry, Node, Scalar};
use super::problem::{Problem, Report};
use super::source::Source;
use super::spot::Spot;
use super::table::{KeyTable, Lookup};
use super::unknown;

/// The table of values that placeholders read; its keys are the user's own.
pub(crate) const VALUES: &str = "values";

const NOT_YET: [(&str, &str); 2] = [
    ("groups", "consumer groups come with a later version"),
    ("admin", "the operators' page comes with a later version"),
];

/// The known keys of a file.
pub(crate) fn layer(document: &Document, keys: &KeyTable, report: &mut Report) -> Layer {
    let mut walk = Walk { document, keys, report, layer: Layer::default() };
    for entry in &document.entries {
        walk.top(entry);
    }
    walk.layer
}

struct Walk<'a> {
    document: &'a Document,
    keys: &'a KeyTable,
    report: &'a mut Report,
    layer: Layer,
}

impl Walk<'_> {
    fn spot(&self, span: &Range<usize>) -> Spot {
        Spot::Text { text: Arc::clone(&self.document.text), span: span.clone() }
    }

    fn problem(&mut self, span: &Range<usize>, path: String, message: String, help: Option<String>) {
        let problem = Problem::error(&self.spot(span), path, message);
        self.report.add(problem.help(help));
    }

    fn top(&mut self, entry: &Entry) {
        let path = vec![entry.key.clone()];
        if entry.key == VALUES {
            return self.values(entry, path);
        }
        let Some(table) = Table::of_word(&entry.key) else {
            let list = Table::ALL.into_iter().find(|table| is_top_list(*table, &entry.key));
            return match list {
                Some(table) => self.top_list(table, entry),
                None => self.unknown_table(entry),
            };
        };
        let Node::Table(inner) = &entry.value else {
            return self.no_table(entry, &path, table.title());
        };
        self.layer.tables.insert(path.clone(), self.spot(&entry.key_span));
        if table.is_named() {
            for entry in inner {
                self.named(table, entry);
            }
        } else {
            self.keys_of(table, inner, &path);
        }
    }

    fn top_list(&mut self, table: Table, entry: &Entry) {
        let path = vec![table.word().to_owned()];
        match &entry.value {
            Node::Tables(elements) => self.list(table, entry, path, elements),
            Node::Leaf(Scalar::Other(EMPTY_ARRAY)) => self.list(table, entry, path, &[]),
            _ => {
                let message = format!("expected a list of tables {}", table.title());
                let help = format!("write {}, in double brackets, once for each table", table.title());
                self.problem(&entry.key_span, dotted(&path), message, Some(help));
            }
        }
    }

    fn unknown_table(&mut self, entry: &Entry) {
        let later = NOT_YET.iter().find(|(name, _)| names::squashed(name) == names::squashed(&entry.key));
        let (message, help) = match (later, &entry.value) {
            (Some((name, reason)), _) => {
                (format!("`{name}` is not available yet"), Some((*reason).to_owned()))
            }
            (None, Node::Leaf(_)) => {
                let (message, help) = unknown::key(self.keys, None, &entry.key);
                (message, help)
            }
            (None, _) => unknown::table(&entry.key),
        };
        self.problem(&entry.key_span, String::new(), message, help);
    }

    fn no_table(&mut self, entry: &Entry, path: &[String], title: &str) {
        let message = match &entry.value {
            Node::Tables(_) => format!("expected one table {title}, found an array of tables"),
            _ => format!("expected a table {title}, found a value"),
        };
        self.problem(&entry.key_span, dotted(path), message, None);
    }

    fn named(&mut self, table: Table, entry: &Entry) {
        let path = vec![table.word().to_owned(), entry.key.clone()];
        let Node::Table(inner) = &entry.value else {
            let title = format!("[{}]", dotted(&path));
            if let (Node::Leaf(_), Lookup::Key(row)) = (&entry.value, self.keys.lookup(table, &entry.key)) {
                let (message, help) = unknown::nameless(table, row);
                return self.problem(&entry.key_span, dotted(&path[..1]), message, Some(help));
            }
            return self.no_table(entry, &path, &title);
        };
        if let Some((message, help)) = bad_name(table, &entry.key) {
            return self.problem(&entry.key_span, dotted(&path), message, help);
        }
        self.layer.tables.insert(path.clone(), self.spot(&entry.key_span));
        self.keys_of(table, inner, &path);
    }

    fn keys_of(&mut self, table: Table, entries: &[Entry], path: &[String]) {
        for entry in entries {
            let Some(row) = self.row(table, entry, || dotted(path)) else {
                continue;
            };
            let mut path = path.to_vec();
            path.push(row.key.to_owned());
            match (row.kind, &entry.value) {
                (Kind::Tables(table), Node::Tables(elements)) => self.list(table, entry, path, elements),
                (Kind::Tables(table), Node::Leaf(Scalar::Other(EMPTY_ARRAY))) => {
                    self.list(table, entry, path, &[]);
                }
                _ => self.give(entry, path, scalar(&entry.value)),
            }
        }
    }

    /// The row of a name; reports one that is none.
    fn row(&mut self, table: Table, entry: &Entry, path: impl Fn() -> String) -> Option<Row> {
        let (message, help) = match self.keys.lookup(table, &entry.key) {
            Lookup::Key(row) => return Some(*row),
            Lookup::Refused(reason) => (format!("`{}` {reason}", entry.key), None),
            Lookup::Unknown => {
                let sample = if let Node::Leaf(scalar) = &entry.value { Some(scalar) } else { None };
                unknown::key_of(self.keys, table, &entry.key, sample)
            }
        };
        self.problem(&entry.key_span, path(), message, help);
        None
    }

    fn list(&mut self, table: Table, entry: &Entry, path: KeyPath, elements: &[Element]) {
        if let Some(first) = self.layer.lists.get(&path) {
            let first = first.key.source();
            return self.twice(entry, dotted(&path), &first);
        }
        let mut items = Vec::new();
        for (index, element) in elements.iter().enumerate() {
            let path = || names::item(&path, index);
            match &element.value {
                Node::Table(entries) => items.push(self.item(table, element, entries, path)),
                _ => {
                    let message = format!("expected a table {}, found a value", table.title());
                    self.problem(&element.span, path(), message, None);
                }
            }
        }
        self.layer.lists.insert(path, List { table, key: self.spot(&entry.key_span), items });
    }

    fn item(
        &mut self,
        table: Table,
        element: &Element,
        entries: &[Entry],
        path: impl Fn() -> String,
    ) -> Item {
        let mut item = Item { spot: self.spot(&element.span), clear: true, values: BTreeMap::new() };
        for entry in entries {
            let Some(row) = self.row(table, entry, &path) else {
                item.clear = false;
                continue;
            };
            match item.values.get(row.key) {
                Some(first) => {
                    let first = first.key.source();
                    self.twice(entry, format!("{}.{}", path(), row.key), &first);
                }
                None => {
                    let given = self.given(entry, scalar(&entry.value));
                    item.values.insert(row.key.to_owned(), given);
                }
            }
        }
        item
    }

    fn give(&mut self, entry: &Entry, path: KeyPath, scalar: Scalar) {
        if let Some(first) = self.layer.values.get(&path) {
            let first = first.key.source();
            return self.twice(entry, dotted(&path), &first);
        }
        let given = self.given(entry, scalar);
        self.layer.values.insert(path, given);
    }

    fn given(&self, entry: &Entry, scalar: Scalar) -> Given {
        let (key, value) = (self.spot(&entry.key_span), self.spot(&entry.value_span));
        Given { scalar, lenient: false, key, value }
    }

    fn twice(&mut self, entry: &Entry, path: String, first: &Source) {
        let message = format!("`{}` is given twice, in two spellings", entry.key);
        self.problem(&entry.key_span, path, message, Some(format!("first given at {first}")));
    }

    fn values(&mut self, entry: &Entry, path: KeyPath) {
        match &entry.value {
            Node::Table(inner) => {
                self.layer.tables.insert(path.clone(), self.spot(&entry.key_span));
                for entry in inner {
                    let mut path = path.clone();
                    path.push(entry.key.clone());
                    self.values(entry, path);
                }
            }
            Node::Leaf(scalar) if path.len() > 1 && !matches!(scalar, Scalar::Other(_)) => {
                self.give(entry, path, scalar.clone());
            }
            _ if path.len() == 1 => self.no_table(entry, &path, "[values]"),
            _ => {
                let message = "expected a text, a number, true or false, or a table of these".to_owned();
                self.problem(&entry.key_span, dotted(&path), message, None);
            }
        }
    }
}

/// Whether this is a spelling of a list that stands outside of every table.
fn is_top_list(table: Table, written: &str) -> bool {
    table == Table::Map && (written == table.word() || written == names::snake_case(table.word()))
}

fn scalar(value: &Node) -> Scalar {
    match value {
        Node::Leaf(scalar) => scalar.clone(),
        Node::Table(_) => Scalar::Other("a table"),
        Node::Tables(_) => Scalar::Other("an array of tables"),
    }
}

fn bad_name(table: Table, name: &str) -> Option<(String, Option<String>)> {
    match table {
        Table::Listener if !names::is_id(name) => {
            let repaired = names::snake_case(&name.replace('-', "_"));
            let message = "the id of a listener is lower-case letters, digits and `_`".to_owned();
            Some((message, names::is_id(&repaired).then(|| format!("did you mean `{repaired}`?"))))
        }
        Table::Redelivery if name.is_empty() || name.len() > 255 || name.chars().any(char::is_control) => {
            Some(("the name of a policy has 1 to 255 bytes and no control characters".to_owned(), None))
        }
        _ => None,
    }
}

/// The tables a misspelt one may stand for.
pub(crate) fn near_table(name: &str) -> Option<String> {
    did_you_mean(name, Table::single().chain([Table::Map]).map(Table::word).chain([VALUES]))
}
