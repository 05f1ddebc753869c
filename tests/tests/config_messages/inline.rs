//! Policies in the attribute of a listener.

use expect_test::expect;
use hearken_core::listener::AttributeOption;
use hearken_core::listener::AttributeValue::{self, Boolean, Decimal, Integer, Table, Text};

use crate::fixture::{Fixture, file};

const fn key(key: &'static str, value: AttributeValue) -> AttributeOption {
    AttributeOption { key, value }
}

const QUEUE: (&str, AttributeValue) = ("queue", Text("orders"));

#[test]
fn mistakes_of_a_policy_in_the_attribute_name_it() {
    const POLICY: &[AttributeOption] = &[
        key("maximumRedeliveries", Integer(-2)),
        key("initialRedeliveryDelay", Text("${shop.wait}")),
        key("wibble", Integer(1)),
        key("rules", Integer(1)),
    ];
    file("[redelivery.x]\n")
        .listener("on_order", &[QUEUE, ("redelivery", Table(POLICY))])
        .refused(&expect![[r#"
            src/orders.rs:7:1 (attribute of on_order): listeners.on_order.redelivery.maximumRedeliveries: allowed: -1 and more; given -2
            src/orders.rs:7:1 (attribute of on_order): listeners.on_order.redelivery.initialRedeliveryDelay: `shop.wait` is not in the configuration
                give it under [values], or a default: ${shop.wait:default}
            src/orders.rs:7:1 (attribute of on_order): listeners.on_order.redelivery.wibble: unknown property `wibble`
            src/orders.rs:7:1 (attribute of on_order): listeners.on_order.redelivery.rules: unknown property `rules`"#]]);
}

#[test]
fn what_contradicts_itself_or_is_questionable_is_told() {
    const PRESET: &[AttributeOption] =
        &[key("preset", Text("aliyun")), key("maximumRedeliveries", Integer(3))];
    const FLAT: &[AttributeOption] =
        &[key("useExponentialBackOff", Boolean(true)), key("backOffMultiplier", Decimal(0.5))];
    file("").listener("on_order", &[QUEUE, ("redelivery", Table(PRESET))]).refused(&expect![[r#"
        src/orders.rs:7:1 (attribute of on_order): listeners.on_order.redelivery.maximumRedeliveries: `maximumRedeliveries` contradicts the preset given at src/orders.rs:7:1 (attribute of on_order)
            the limit of a preset is maxReconsumeTimes"#]]);
    file("").listener("on_order", &[QUEUE, ("redelivery", Table(FLAT))]).warned(&expect!["src/orders.rs:7:1 (attribute of on_order): warning: listeners.on_order.redelivery.backOffMultiplier: backOffMultiplier = 0.5 has no effect, it must be above 1; the waits do not change"]);
}

const SHORT: &[AttributeOption] =
    &[key("maximumRedeliveries", Integer(3)), key("initialRedeliveryDelay", Text("${wait}"))];

/// Its limit and its first wait.
fn policy(fixture: Fixture) -> (Option<u64>, i64) {
    let configuration = fixture.listener("on_order", &[QUEUE, ("redelivery", Table(SHORT))]).accepted();
    let policy = &configuration.listeners()["on_order"].policy;
    assert_eq!(policy.name, "inline:on_order");
    assert_eq!(configuration.policies()["inline:on_order"], *policy);
    (policy.limit(), policy.initial_redelivery_delay)
}

#[test]
fn a_table_of_its_name_and_a_variable_stand_above_the_attribute() {
    let wait = "[values]\nwait = 200\n";
    assert_eq!(policy(file(wait)), (Some(3), 200));
    let table = "[redelivery.\"inline:on_order\"]\ninitialRedeliveryDelay = 7\n";
    assert_eq!(policy(file(table)), (Some(3), 7));
    let variable = file(wait).variable("HEARKEN_REDELIVERY__INLINE_ON_ORDER__MAXIMUM_REDELIVERIES", "1");
    assert_eq!(policy(variable), (Some(1), 200));
    let rules = "[[redelivery.\"inline:on_order\".rules]]\nkind = \"panic\"\nthen = \"discard\"\n";
    let ruled = file(format!("{wait}{rules}"));
    let configuration = ruled.listener("on_order", &[QUEUE, ("redelivery", Table(SHORT))]).accepted();
    assert_eq!(configuration.listeners()["on_order"].policy.rules.len(), 1);
}

#[test]
fn the_table_of_the_listener_takes_the_place_of_the_policy_in_its_attribute() {
    let configuration = file("[redelivery.x]\n[listeners.on_order]\nredelivery = \"x\"\n")
        .listener("on_order", &[QUEUE, ("redelivery", Table(SHORT))])
        .accepted();
    assert_eq!(configuration.listeners()["on_order"].policy.name, "x");
    assert!(!configuration.policies().contains_key("inline:on_order"), "its placeholder is not read");
}
