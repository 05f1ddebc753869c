//! The page of all keys, generated from the key table.

use std::fmt::Write as _;

use super::check::{self, expected, literal};
use super::duration;
use super::key::{Kind, LONGEST_MS, Row, Table};
use super::table::KeyTable;

/// The tables of all keys in Markdown: key, values, default, option of the attribute, meaning.
pub fn markdown(keys: &KeyTable) -> String {
    let mut page = String::new();
    for table in Table::ALL {
        let rows: Vec<_> = keys.rows(table).into_iter().filter(|row| row.table == table).collect();
        section(&mut page, keys, table, &rows);
    }
    page
}

fn section(page: &mut String, keys: &KeyTable, table: Table, rows: &[&Row]) {
    // Writing to a String cannot fail.
    let _ = writeln!(page, "## `{}`\n", table.title());
    if table == Table::Listener {
        page.push_str("Its own keys, and every key of `[container]` that has an attribute option.\n\n");
    }
    page.push_str("| key | attribute | values | default | meaning |\n|---|---|---|---|---|\n");
    for row in rows {
        let attribute = row.attribute.map_or_else(String::new, |attribute| format!("`{attribute}`"));
        let default = check::default(row).map(|value| format!("`{}`", literal(row.kind, &value)));
        let values = match row.kind {
            Kind::Url { .. } => format!("an address: `{}`", keys.schemes().join("`, `")),
            kind => allowed(kind),
        };
        let doc = row.doc.replace('|', "\\|");
        let default = default.unwrap_or_default();
        let _ = writeln!(page, "| `{}` | {attribute} | {values} | {default} | {doc} |", row.key);
    }
    page.push('\n');
}

/// The same as in a message, with the range of a duration.
fn allowed(kind: Kind) -> String {
    let values = expected(kind);
    let Kind::Duration { min_ms, max_ms, zero, .. } = kind else {
        return values;
    };
    let least = (min_ms > 0).then(|| format!("at least {}", duration::show(min_ms)));
    let or_zero = (zero && min_ms > 0).then(|| "or 0".to_owned());
    let most = (max_ms < LONGEST_MS).then(|| format!("at most {}", duration::show(max_ms)));
    [Some(values), least, or_zero, most].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
