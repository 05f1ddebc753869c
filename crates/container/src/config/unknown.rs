//! What to say of a name that is no key.

use hearken_core::redelivery::RedeliveryPolicy;

use super::key::{Row, Table};
use super::keys::foreign;
use super::names::{self, did_you_mean, nearest};
use super::node::Scalar;
use super::structure::near_table;
use super::table::KeyTable;

type Told = (String, Option<String>);

/// A table that there is none of.
pub(crate) fn table(name: &str) -> Told {
    if names::squashed(name) == names::squashed(Table::Map.word()) {
        let message = format!("`{name}` is a list of tables, which only files can give");
        return (message, Some(format!("write {} in a file", Table::Map.title())));
    }
    let help = near_table(name).or_else(|| {
        Some(
            "tables are application, transport, container, redelivery.NAME, redeliveryMap, listeners.ID and values"
                .to_owned(),
        )
    });
    (format!("unknown table `{name}`"), help)
}

/// A key outside of every table, or in one where it is unknown.
pub(crate) fn key(keys: &KeyTable, inside: Option<Table>, name: &str) -> Told {
    let homes: Vec<_> = keys.homes(name).into_iter().map(Table::title).collect();
    if !homes.is_empty() {
        let place = inside.map_or("outside of every table", Table::title);
        let message = match inside {
            Some(_) => format!("`{name}` is no key of {place}"),
            None => format!("`{name}` stands {place}"),
        };
        return (message, Some(format!("it belongs to {}", homes.join(" or "))));
    }
    let message = format!("unknown key `{name}`");
    let Some(inside) = inside else {
        return (message, near_table(name));
    };
    let own = || keys.rows(inside).into_iter().map(|row| row.key);
    let help = did_you_mean(name, own())
        .or_else(|| {
            let key = foreign(inside, name)?;
            let here = own().any(|own| own == key);
            let place =
                if here { String::new() } else { format!(" of {}", keys.homes(key).first()?.title()) };
            Some(format!("did you mean `{key}`{place}?"))
        })
        .or_else(|| elsewhere(keys, name))
        .unwrap_or_else(|| allowed(&own().collect::<Vec<_>>()));
    (message, Some(help))
}

/// The same for a key with a value.
pub(crate) fn key_of(keys: &KeyTable, inside: Table, name: &str, value: Option<&Scalar>) -> Told {
    if inside == Table::Redelivery && names::squashed(name) == "collisionavoidancefactor" {
        return (format!("`{name}` is no key"), Some(percent_for(value)));
    }
    key(keys, Some(inside), name)
}

/// ActiveMQ's own property is a factor; its URI option, and the key here, is a percent.
pub(crate) fn percent_for(value: Option<&Scalar>) -> String {
    let factor = match value {
        Some(Scalar::Float { value, .. }) => Some(*value),
        Some(Scalar::Integer { value: Some(value), .. }) => i32::try_from(*value).ok().map(f64::from),
        _ => None,
    };
    let percent =
        factor.map(RedeliveryPolicy::percent_of_factor).filter(|percent| (0..=100).contains(percent));
    format!("write collisionAvoidancePercent = {}", percent.unwrap_or(15))
}

fn elsewhere(keys: &KeyTable, name: &str) -> Option<String> {
    let tables = Table::single().chain(Table::ALL.into_iter().filter(|table| table.is_list()));
    tables.into_iter().find_map(|table| {
        let near = nearest(name, keys.rows(table).into_iter().map(|row| row.key))?;
        Some(format!("did you mean `{near}` of {}?", table.title()))
    })
}

fn allowed(keys: &[&str]) -> String {
    if keys.len() <= 16 {
        format!("keys here: {}", keys.join(", "))
    } else {
        "docs/configuration.md lists the keys".to_owned()
    }
}

/// A key of a named table, given without the name.
pub(crate) fn nameless(table: Table, row: &Row) -> (String, String) {
    let (of, help) = match table {
        Table::Listener if row.table == Table::Container => {
            ("listener", "write [listeners.ID] for one listener, [container] for all")
        }
        Table::Listener => ("listener", "write [listeners.ID]"),
        _ => ("policy", "write [redelivery.default] for the policy of every listener that names none"),
    };
    (format!("`{}` stands outside of the table of a {of}", row.key), help.to_owned())
}
