//! The attribute and configuration speak of the same keys.

use std::collections::BTreeMap;

use hearken_container::Concurrency;
use hearken_container::config::{KeyTable, Kind, Table};
use proptest::prelude::*;

#[allow(dead_code, unreachable_pub)]
#[path = "../../../macros/src/options/table.rs"]
mod options;

#[allow(dead_code, unreachable_pub)]
#[path = "../../../macros/src/options/concurrency.rs"]
mod concurrency;

use options::{Availability, OPTIONS, PROPERTIES};

#[test]
fn every_key_of_a_listener_is_an_option_of_the_attribute_and_the_other_way_round() {
    let keys = KeyTable::standard();
    let configured: BTreeMap<_, _> =
        keys.rows(Table::Listener).into_iter().map(|row| (row.key, row.attribute.unwrap())).collect();
    let available = OPTIONS.iter().filter(|row| matches!(row.availability, Availability::Now(..)));
    let attribute: BTreeMap<_, _> = available.filter_map(|row| Some((row.key?, row.name))).collect();
    assert_eq!(configured, attribute);
}

#[test]
fn every_key_of_a_policy_but_rules_and_addresses_is_a_property_in_the_attribute() {
    let keys = KeyTable::standard();
    let rows = keys.rows(Table::Redelivery).into_iter();
    let configured: BTreeMap<_, _> = rows.filter_map(|row| Some((row.key, row.attribute?))).collect();
    let attribute: BTreeMap<_, _> = PROPERTIES.iter().map(|row| (row.key.unwrap(), row.name)).collect();
    assert_eq!(configured, attribute);
}

#[test]
fn both_draw_the_same_limits() {
    let keys = KeyTable::standard();
    let options = OPTIONS.iter().map(|option| (Table::Listener, option));
    for (table, option) in options.chain(PROPERTIES.iter().map(|option| (Table::Redelivery, option))) {
        let (Some(key), Availability::Now(kind, _)) = (option.key, &option.availability) else { continue };
        let Some(row) = keys.row(table, key) else { continue };
        let same = match (*kind, row.kind) {
            (options::Kind::Integer { min, max }, Kind::Integer { min: least, max: most }) => {
                (min, max) == (least, most)
            }
            (options::Kind::Concurrency { min, max }, Kind::Concurrency) => {
                (min, max) == (1, Concurrency::MOST.into())
            }
            (options::Kind::Factor, Kind::Factor)
            | (options::Kind::Positive, Kind::Decimal)
            | (options::Kind::Percent, Kind::Percent) => true,
            (options::Kind::DurationOrUnlimited, kind) => kind == Kind::DELAY_OR_UNLIMITED,
            (options::Kind::Limit { max }, Kind::Limit) => max == i64::from(u32::MAX),
            (options::Kind::Duration { min_ms }, Kind::Duration { min_ms: least, zero, .. }) => {
                min_ms == if zero { 0 } else { least }
            }
            (options::Kind::Words(words), Kind::Choice(choices)) => words == choices,
            (options::Kind::Text { may_be_empty }, Kind::Text { empty, .. }) => may_be_empty == empty,
            (options::Kind::Boolean, Kind::Boolean) | (options::Kind::Queue, Kind::Queue) => true,
            _ => false,
        };
        assert!(same, "{}: {kind:?} and {:?}", option.name, row.kind);
    }
}

proptest! {
    #[test]
    fn both_read_the_same_ranges(text in "[-0-9 x]{0,5}|[0-9]{1,4}-[0-9]{1,4}") {
        let attribute = concurrency::check(&text, 1, Concurrency::MOST.into()).is_ok();
        prop_assert_eq!(attribute, text.parse::<Concurrency>().is_ok());
    }
}

/// What the attribute refuses as not built yet, configuration refuses too, instead of not knowing it.
#[test]
fn both_refuse_what_is_not_built_yet() {
    for option in OPTIONS {
        if let (Some(key), Availability::Later(_)) = (option.key, &option.availability) {
            let problems = crate::fixture::file(format!("[listeners.a]\n{key} = 1\n")).load().unwrap_err();
            let message = problems.iter().next().unwrap().message();
            assert!(message.contains("not available yet"), "{message}");
        }
    }
}
