use std::collections::BTreeMap;

use super::key::{Kind, Row, Table};
use super::keys;
use super::names;

/// All keys that an application knows: the rows of this crate and of the adapters that are linked.
#[derive(Clone, Debug)]
pub struct KeyTable {
    tables: BTreeMap<Table, Vec<Row>>,
    schemes: Vec<&'static str>,
}

/// What a name in a table of the configuration is.
pub(crate) enum Lookup<'a> {
    Key(&'a Row),
    Refused(&'static str),
    Unknown,
}

impl KeyTable {
    /// The table of these rows, in their order. A key that several crates contribute is one key; the schemes of `url`
    /// add up.
    pub fn assemble(slices: &[&[Row]]) -> Self {
        let all: Vec<Row> = slices.iter().copied().flatten().copied().collect();
        let schemes = all
            .iter()
            .filter_map(|row| if let Kind::Url { schemes } = row.kind { Some(schemes) } else { None });
        let schemes = schemes.flatten().copied().collect();
        let tables = Table::ALL.into_iter().map(|table| (table, rows_of(table, &all))).collect();
        Self { tables, schemes }
    }

    /// The table of an application with these adapters: [`keys::BASE`] and their rows.
    pub fn with_adapters(slices: &[&[Row]]) -> Self {
        Self::assemble(&[keys::BASE, slices].concat())
    }

    /// The table with every adapter of this workspace.
    pub fn standard() -> Self {
        Self::with_adapters(&[keys::EMBEDDED, keys::RABBITMQ])
    }

    /// The keys that stand in `table`, without those that are refused. For `[listeners.ID]` its own come first.
    pub fn rows(&self, table: Table) -> Vec<&Row> {
        self.all(table).iter().filter(|row| !row.kind.is_refused()).collect()
    }

    /// The row of a key in its own spelling.
    pub fn row(&self, table: Table, key: &str) -> Option<&Row> {
        self.all(table).iter().find(|row| row.key == key && !row.kind.is_refused())
    }

    /// The schemes that `url` may begin with.
    pub fn schemes(&self) -> &[&'static str] {
        &self.schemes
    }

    fn all(&self, table: Table) -> &[Row] {
        self.tables.get(&table).map(Vec::as_slice).unwrap_or_default()
    }

    /// A key as a file spells it: in its own spelling or in `snake_case`.
    pub(crate) fn lookup(&self, table: Table, written: &str) -> Lookup<'_> {
        let mut found =
            self.all(table).iter().filter(|row| row.key == written || names::snake_case(row.key) == written);
        match found.next() {
            Some(row) => match row.kind {
                Kind::Refused(reason) => Lookup::Refused(reason),
                _ => Lookup::Key(row),
            },
            None => Lookup::Unknown,
        }
    }

    /// A key as an environment variable spells it: without case, with or without separators.
    pub(crate) fn lookup_loosely(&self, table: Table, written: &str) -> Lookup<'_> {
        let written = names::squashed(written);
        match self.all(table).iter().find(|row| names::squashed(row.key) == written) {
            Some(row) => self.lookup(table, row.key),
            None => Lookup::Unknown,
        }
    }

    /// Where else a key of this name belongs.
    pub(crate) fn homes(&self, written: &str) -> Vec<Table> {
        let has = |table: &Table| matches!(self.lookup(*table, written), Lookup::Key(_));
        let homes: Vec<_> = Table::single().filter(has).collect();
        if homes.is_empty() { Table::ALL.into_iter().filter(has).collect() } else { homes }
    }
}

/// The rows that stand in a table: its own, then those of `[container]` that a listener may have.
fn rows_of(table: Table, all: &[Row]) -> Vec<Row> {
    let own = all.iter().filter(|row| row.table == table);
    let shared = all.iter().filter(|row| {
        table == Table::Listener
            && row.table == Table::Container
            && (row.attribute.is_some() || row.kind.is_refused())
    });
    let mut rows: Vec<Row> = Vec::new();
    for row in own.chain(shared) {
        match rows.iter_mut().find(|known| known.key == row.key) {
            None => rows.push(*row),
            // Of several contributions the one with the default.
            Some(known) if known.default.is_none() && row.table == known.table => *known = *row,
            Some(_) => {}
        }
    }
    // Whatever else an adapter has, its address is what a reader looks for.
    rows.sort_by_key(|row| !matches!(row.kind, Kind::Url { .. }));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::check;

    #[test]
    fn every_default_is_a_value_of_its_key() {
        let keys = KeyTable::standard();
        for row in Table::ALL.into_iter().flat_map(|table| keys.rows(table)) {
            if let Some(default) = row.default {
                assert!(check::default(row).is_some(), "{} = {default}", row.key);
            }
        }
    }

    #[test]
    fn attribute_options_are_keys_in_snake_case() {
        for row in KeyTable::standard().rows(Table::Listener) {
            assert_eq!(row.attribute, Some(names::snake_case(row.key).as_str()));
        }
    }

    #[test]
    fn schemes_of_all_adapters_add_up() {
        assert_eq!(KeyTable::standard().schemes(), ["embedded:", "amqp://", "amqps://"]);
    }

    #[test]
    fn no_name_is_both_a_key_and_refused() {
        let keys = KeyTable::standard();
        for table in Table::ALL {
            for row in keys.rows(table) {
                assert!(
                    matches!(keys.lookup(table, row.key), Lookup::Key(_)),
                    "{} {}",
                    table.title(),
                    row.key
                );
            }
        }
    }
}
