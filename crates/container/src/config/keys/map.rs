use crate::config::key::{Kind, Row, Table};

const fn row(key: &'static str, kind: Kind, doc: &'static str) -> Row {
    Row::new(Table::Map, key, kind, doc)
}

/// `[[redeliveryMap]]`.
pub(super) const ROWS: &[Row] = &[
    row(
        "queue",
        Kind::Pattern,
        "The queues whose listeners have the policy, as far as they name none. Of several patterns that fit the narrowest \
         counts, the name itself before all. Needed.",
    ),
    row("redelivery", Kind::NAME, "The name of the redelivery policy. Needed."),
];

pub(super) const REFUSED: &[Row] =
    &[Row::refused(Table::Map, "topic", "has no meaning here: AMQP has queues only; write `queue`")];
