//! Built-in < `[container]` < attribute < `[listeners.ID]` < builder; in a table file < profile < environment.

use hearken_container::config::{Configuration, Source};
use hearken_core::listener::AttributeValue::{Integer, Text};
use hearken_core::redelivery::RedeliveryPolicy;
use proptest::prelude::*;

use crate::fixture::{Fixture, file};

const QUEUE: (&str, hearken_core::listener::AttributeValue) = ("queue", Text("orders"));

/// The listener's prefetch, and where it is from.
fn prefetch(configuration: &Configuration) -> (u16, String) {
    let entries = configuration.entries();
    let entry =
        entries.iter().find(|entry| entry.table == "listeners.on_order" && entry.key == "prefetch").unwrap();
    let source = match &entry.source {
        Source::File { .. } => "file",
        Source::Profile { .. } => "profile",
        Source::Environment { .. } => "environment",
        Source::Attribute { .. } => "attribute",
        Source::Builder => "builder",
        _ => "built in",
    };
    (configuration.listeners()["on_order"].prefetch, source.to_owned())
}

/// From weak to strong, with the value each gives.
const LEVELS: [(&str, u16); 9] = [
    ("built in", 50),
    ("file", 1),
    ("profile", 2),
    ("environment", 3),
    ("attribute", 4),
    ("file", 5),
    ("profile", 6),
    ("environment", 7),
    ("builder", 8),
];

proptest! {
    #[test]
    fn the_strongest_source_wins_whatever_else_is_given(given in prop::array::uniform8(any::<bool>())) {
        let [file_container, profile_container, variable_container, attribute, file_listener, profile_listener,
             variable_listener, builder] = given;
        let text = |container: (bool, u16), listener: (bool, u16)| {
            let mut text = String::new();
            if container.0 {
                text.push_str(&format!("[container]\nprefetch = {}\n", container.1));
            }
            if listener.0 {
                text.push_str(&format!("[listeners.on_order]\nprefetch = {}\n", listener.1));
            }
            text
        };
        let mut fixture = file(text((file_container, 1), (file_listener, 5)))
            .with("shop.test.toml", text((profile_container, 2), (profile_listener, 6)))
            .variable("HEARKEN_PROFILE", "test");
        if variable_container {
            fixture = fixture.variable("HEARKEN_CONTAINER__PREFETCH", "3");
        }
        fixture = if attribute {
            fixture.listener("on_order", &[QUEUE, ("prefetch", Integer(4))])
        } else {
            fixture.listener("on_order", &[QUEUE])
        };
        if variable_listener {
            fixture = fixture.variable("HEARKEN_LISTENERS__ON_ORDER__PREFETCH", "7");
        }
        if builder {
            fixture = fixture.set("listeners.on_order.prefetch", "8");
        }
        let strongest = given.iter().rposition(|given| *given).map_or(0, |index| index + 1);
        let (source, value) = LEVELS[strongest];
        prop_assert_eq!(prefetch(&fixture.accepted()), (value, source.to_owned()));
    }
}

#[test]
fn both_spellings_are_one_key_over_all_layers() {
    let configuration = file("[container]\nreceive_timeout = \"2s\"\nrecoveryInterval = \"1s\"\n")
        .with("shop.test.toml", "[container]\nreceiveTimeout = 3000\nrecovery_interval = \"2s\"\n")
        .variable("HEARKEN_PROFILE", "test")
        .variable("HEARKEN_CONTAINER__RECOVERYINTERVAL", "4s")
        .accepted();
    assert_eq!(configuration.container().receive_timeout.as_millis(), 3000);
    assert_eq!(configuration.container().recovery_interval.as_secs(), 4);
}

#[test]
fn variables_find_names_without_case() {
    let configuration = file("[redelivery.\"Very-Patient\"]\n[values.orders]\nqueueName = \"a\"\n")
        .listener("on_order_2", &[("queue", Text("${orders.queueName}"))])
        .variable("HEARKEN_REDELIVERY__VERY_PATIENT__MAXIMUM_REDELIVERIES", "9")
        .variable("HEARKEN_LISTENERS__ON_ORDER_2__CONCURRENCY", "3")
        .variable("HEARKEN_VALUES__ORDERS__QUEUENAME", "b")
        .accepted();
    assert_eq!(configuration.policies()["Very-Patient"].maximum_redeliveries, 9);
    let listener = &configuration.listeners()["on_order_2"];
    assert_eq!((listener.concurrency.max(), &*listener.queue), (3, "b"));
}

#[test]
fn placeholders_read_values_then_keys_then_their_default() {
    let configuration = file(
        "[values]\nn = 3\nname = \"${orders.queue}\"\norders.queue = \"orders.v2\"\n[container]\nprefetch = 9\n\
         [listeners.a]\nqueue = \"${name}\"\nconcurrency = \"${n}\"\nprefetch = \"${container.prefetch}\"\n\
         deadLetter = \"${dead.letters:dead}\"\nhandlerTimeout = \"${timeout:20s}\"\nredelivery = \"${container.redelivery}\"\n",
    )
    .listener("a", &[])
    .accepted();
    let listener = &configuration.listeners()["a"];
    assert_eq!((&*listener.queue, listener.concurrency.max(), listener.prefetch), ("orders.v2", 3, 9));
    assert_eq!(listener.dead_letter.queue(), Some("dead"));
    assert_eq!(listener.handler_timeout.map(|timeout| timeout.as_secs()), Some(20));
    assert_eq!(listener.policy.name, "default");
}

#[test]
fn a_placeholder_that_something_stronger_replaces_is_not_read() {
    let configuration = file("[transport]\nurl = \"${broker}\"\n[listeners.on_order]\nqueue = \"orders\"\n")
        .variable("HEARKEN_TRANSPORT__URL", "embedded:")
        .listener("on_order", &[("queue", Text("${orders.queue}"))])
        .accepted();
    assert_eq!(configuration.listeners()["on_order"].queue, "orders");
}

#[test]
fn a_policy_given_in_code_replaces_one_of_the_file() {
    let mut fixture = file("[redelivery.patient]\nmaximumRedeliveries = 1\n")
        .listener("on_order", &[QUEUE, ("redelivery", Text("patient"))]);
    fixture.overrides.policy(RedeliveryPolicy::new("patient").maximum_redeliveries(2));
    assert_eq!(fixture.accepted().listeners()["on_order"].policy.limit(), Some(2));
}

#[test]
fn without_a_file_everything_is_built_in() {
    let (read, built_in) = (Fixture::new().accepted(), Configuration::built_in());
    assert_eq!(read.transport(), built_in.transport());
    assert_eq!(read.container(), built_in.container());
    assert_eq!(read.policies(), built_in.policies());
    assert_eq!(read.transport().url.expose(), "embedded:");
    assert_eq!(read.application().name, "test");
}

/// Rules are an order: those of two sources together would be one that nobody wrote.
#[test]
fn the_rules_of_the_profile_replace_those_of_the_file_as_a_whole() {
    let rules = |words: &[&str]| -> String {
        let rule = |word| format!("[[redelivery.x.rules]]\ncode = \"{word}\"\nthen = \"discard\"\n");
        words.iter().map(rule).collect()
    };
    let file = || file(rules(&["a", "b"])).variable("HEARKEN_PROFILE", "test");
    let count = |fixture: Fixture| fixture.accepted().policies()["x"].rules.len();
    assert_eq!(count(file().with("shop.test.toml", "")), 2);
    assert_eq!(count(file().with("shop.test.toml", rules(&["c"]))), 1);
    assert_eq!(count(file().with("shop.test.toml", "[redelivery.x]\nrules = []\n")), 0);
}

/// The table of the listener, its attribute, the map, `[container]`, `[redelivery.default]`.
#[test]
fn the_policy_of_a_listener_comes_from_the_most_specific_place() {
    let policies = "[redelivery.a]\n[redelivery.b]\n[redelivery.c]\n[redelivery.d]\n";
    let container = "[container]\nredelivery = \"a\"\n";
    let map = "[[redeliveryMap]]\nqueue = \"orders\"\nredelivery = \"b\"\n";
    let own = "[listeners.on_order]\nredelivery = \"d\"\n";
    let attribute = &[QUEUE, ("redelivery", Text("c"))];
    let policy = |parts: &[&str], options: &'static [_]| {
        let configuration =
            file(policies.to_owned() + &parts.concat()).listener("on_order", options).accepted();
        configuration.listeners()["on_order"].policy.name.to_string()
    };
    assert_eq!(policy(&[], &[QUEUE]), "default");
    assert_eq!(policy(&[container], &[QUEUE]), "a");
    assert_eq!(policy(&[container, map], &[QUEUE]), "b");
    assert_eq!(policy(&[container, map], attribute), "c");
    assert_eq!(policy(&[container, map, own], attribute), "d");
    assert_eq!(policy(&[map.replace("orders", "other").as_str(), container], &[QUEUE]), "a");
}

#[test]
fn the_map_goes_by_the_queue_that_counts() {
    let map = "[redelivery.b]\n[[redeliveryMap]]\nqueue = \"eu.>\"\nredelivery = \"b\"\n";
    let policy = |fixture: Fixture| {
        fixture.listener("on_order", &[QUEUE]).accepted().listeners()["on_order"].policy.clone()
    };
    let configuration = file(map).variable("HEARKEN_LISTENERS__ON_ORDER__QUEUE", "eu.orders");
    assert_eq!(policy(configuration).name, "b");
    let read = "[listeners.on_order]\nqueue = \"${queue}\"\n[values]\nqueue = \"eu.orders\"\n";
    assert_eq!(policy(file(map.to_owned() + read)).name, "b");
    assert_eq!(policy(file(map)).name, "default");
}
