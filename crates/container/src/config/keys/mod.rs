//! The rows of the key table, by the crate that reads them.
//!
//! An adapter contributes a slice of rows, among them one for `url` with its own schemes; the facade assembles what is
//! linked. The rows of this crate's own tables are [`BASE`].

mod container;
mod foreign;
mod listener;
mod map;
mod redelivery;
mod refused;
mod rule;
mod spring;
mod transport;

use super::key::{Kind, Row, Table};

pub use transport::{EMBEDDED, RABBITMQ};

pub(crate) use foreign::foreign;

/// `[application]`.
const APPLICATION: &[Row] = &[Row::new(
    Table::Application,
    "name",
    Kind::Text { empty: false, longest: 100 },
    "The application's name, and the prefix of hearken's own objects on a broker. Default: the executable's file name.",
)];

/// The rows that every application has.
pub const BASE: &[&[Row]] = &[
    APPLICATION,
    transport::COMMON,
    container::ROWS,
    redelivery::ROWS,
    rule::ROWS,
    map::ROWS,
    listener::ROWS,
    refused::REDELIVERY,
    rule::REFUSED,
    map::REFUSED,
    refused::CONTAINER,
    refused::LISTENER,
    spring::JMS,
    spring::AMQP,
];

/// The default of a key that this workspace knows, linked or not: settings are complete also where an adapter, and
/// with it its keys, is left out.
pub(crate) fn known(table: Table, key: &str) -> Option<&'static Row> {
    BASE.iter()
        .copied()
        .chain([EMBEDDED, RABBITMQ])
        .flatten()
        .find(|row| row.table == table && row.key == key)
}
