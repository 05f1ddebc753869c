//! From the tables of a file to known keys. Types and ranges are a later matter; here every name must be one.

use std::ops::Range;
use std::sync::Arc;

use super::document::Document;
use super::key::{Row, Table};
use super::layer::{Given, KeyPath, Layer};
use super::names::{self, did_you_mean, dotted};
use super::node::{Entry, Node, Scalar};
use super::problem::{Problem, Report};
use super::spot::Spot;
use super::table::{KeyTable, Lookup};
use super::unknown;

/// The table of values that placeholders read; its keys are the user's own.
pub(crate) const VALUES: &str = "values";

const NOT_YET: [(&str, &str); 3] = [
    (
        "redeliveryMap",
        "policies by destination come with a later version; write `redelivery` for each listener",
    ),
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

    fn problem(&mut self, span: &Range<usize>, path: &[String], message: String, help: Option<String>) {
        let problem = Problem::error(&self.spot(span), dotted(path), message);
        self.report.add(problem.help(help));
    }

    fn top(&mut self, entry: &Entry) {
        let path = vec![entry.key.clone()];
        if entry.key == VALUES {
            return self.values(entry, path);
        }
        let Some(table) = Table::of_word(&entry.key) else {
            return self.unknown_table(entry);
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
        self.problem(&entry.key_span, &[], message, help);
    }

    fn no_table(&mut self, entry: &Entry, path: &[String], title: &str) {
        let message = match &entry.value {
            Node::Tables => format!("expected one table {title}, found an array of tables"),
            _ => format!("expected a table {title}, found a value"),
        };
        self.problem(&entry.key_span, path, message, None);
    }

    fn named(&mut self, table: Table, entry: &Entry) {
        let path = vec![table.word().to_owned(), entry.key.clone()];
        let Node::Table(inner) = &entry.value else {
            let title = format!("[{}]", dotted(&path));
            if let (Node::Leaf(_), Lookup::Key(row)) = (&entry.value, self.keys.lookup(table, &entry.key)) {
                let (message, help) = unknown::nameless(table, row);
                return self.problem(&entry.key_span, &path[..1], message, Some(help));
            }
            return self.no_table(entry, &path, &title);
        };
        if let Some((message, help)) = bad_name(table, &entry.key) {
            return self.problem(&entry.key_span, &path, message, help);
        }
        self.layer.tables.insert(path.clone(), self.spot(&entry.key_span));
        self.keys_of(table, inner, &path);
    }

    fn keys_of(&mut self, table: Table, entries: &[Entry], path: &[String]) {
        for entry in entries {
            let row: Row = match self.keys.lookup(table, &entry.key) {
                Lookup::Key(row) => *row,
                Lookup::Refused(reason) => {
                    self.problem(&entry.key_span, path, format!("`{}` {reason}", entry.key), None);
                    continue;
                }
                Lookup::Unknown => {
                    let sample = if let Node::Leaf(scalar) = &entry.value { Some(scalar) } else { None };
                    let (message, help) = unknown::key_of(self.keys, table, &entry.key, sample);
                    self.problem(&entry.key_span, path, message, help);
                    continue;
                }
            };
            let mut path = path.to_vec();
            path.push(row.key.to_owned());
            let scalar = match &entry.value {
                Node::Leaf(scalar) => scalar.clone(),
                Node::Table(_) => Scalar::Other("a table"),
                Node::Tables => Scalar::Other("an array of tables"),
            };
            self.give(entry, path, scalar);
        }
    }

    fn give(&mut self, entry: &Entry, path: KeyPath, scalar: Scalar) {
        let key = self.spot(&entry.key_span);
        if let Some(first) = self.layer.values.get(&path) {
            let first = first.key.source();
            let message = format!("`{}` is given twice, in two spellings", entry.key);
            let help = Some(format!("first given at {first}"));
            return self.problem(&entry.key_span, &path, message, help);
        }
        let value = self.spot(&entry.value_span);
        self.layer.values.insert(path, Given { scalar, lenient: false, key, value });
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
                self.problem(&entry.key_span, &path, message, None);
            }
        }
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
    did_you_mean(name, Table::ALL.into_iter().map(Table::word).chain([VALUES]))
}
