//! Files that cannot be read, and where a problem is.

use expect_test::expect;
use hearken_core::listener::AttributeValue::Text;

use crate::fixture::{Fixture, file};

#[test]
fn e22_broken_toml_is_told_with_a_caret() {
    file("[container]\nprefetch = \n[redelivery.x\nname = \"open\n").refused(&expect![[r#"
        shop.toml:2:12: no valid TOML: string values must be quoted, expected literal string
            prefetch =
                      ^
        shop.toml:3:14: no valid TOML: unclosed table, expected `]`
            [redelivery.x
                         ^"#]]);
}

#[test]
fn e22_another_encoding_is_named() {
    let utf16: Vec<u8> = "[container]".encode_utf16().flat_map(u16::to_le_bytes).collect();
    file([&[0xFF, 0xFE], utf16.as_slice()].concat()).refused(&expect![[r#"
        shop.toml: is UTF-16; a configuration is UTF-8
            save it as UTF-8"#]]);
    file(&utf16).refused(&expect![[r#"
        shop.toml: is UTF-16; a configuration is UTF-8
            save it as UTF-8"#]]);
    file(b"[application]\nname = \"gr\xFCn\"\n").refused(&expect![[r#"
        shop.toml:2:11: this is not UTF-8
            name = "gr�n"
                      ^ save the file as UTF-8"#]]);
}

#[test]
fn e22_a_nul_character_has_a_place() {
    file("[container]\nprefetch = 5\0\n").refused(&expect![[r#"
        shop.toml:2:13: a NUL character; no TOML holds one
            prefetch = 5�
                        ^"#]]);
}

#[test]
fn e22_the_byte_order_mark_of_utf8_is_no_mistake() {
    file("\u{FEFF}[container]\nprefetch = 0\n").refused(&expect![[r#"
        shop.toml:2:12: container.prefetch: allowed: 1 to 65535; given 0
            prefetch = 0
                       ^ 0 means unlimited in AMQP, which no listener is given"#]]);
}

#[test]
fn places_count_characters_whatever_the_line_ends_and_tabs() {
    file("# Größe\r\n[application]\r\nname = \"Ä\"\r\n\r\n[listeners.on_order]\r\n\tqueue =\t\"grün\"  # ä\r\n\tmaximum_redelivieries = 3\r\n\tprefetch =\t0 # ü\r\n")
        .refused(&expect![[r#"
            shop.toml:7:2: listeners.on_order: unknown key `maximum_redelivieries`
                maximum_redelivieries = 3
                ^^^^^^^^^^^^^^^^^^^^^ did you mean `maximumRedeliveries` of [redelivery.NAME]?
            shop.toml:8:13: listeners.on_order.prefetch: allowed: 1 to 65535; given 0
                prefetch =	0 # ü
                          	^ 0 means unlimited in AMQP, which no listener is given"#]]);
}

#[test]
fn problems_of_all_sources_come_in_one_run_and_in_order() {
    file("[container]\nprefetch = 0\nwibble = 1\n")
        .with("shop.test.toml", "[container]\nprefetch = -5\n")
        .variable("HEARKEN_PROFILE", "test")
        .variable("HEARKEN_CONTAINER__CONCURRENCY", "0")
        .listener("on_order", &[("queue", Text("amq.x"))])
        .set("container.holdLimit", "soon")
        .refused(&expect![[r#"
            shop.toml:2:12: container.prefetch: allowed: 1 to 65535; given 0
                prefetch = 0
                           ^ 0 means unlimited in AMQP, which no listener is given
            shop.toml:3:1: container: unknown key `wibble`
                wibble = 1
                ^^^^^^ docs/configuration.md lists the keys
            shop.test.toml:2:12: container.prefetch: allowed: 1 to 65535; given -5
                prefetch = -5
                           ^^
            environment variable HEARKEN_CONTAINER__CONCURRENCY: container.concurrency: allowed: 1 to 1000, or a range within; given "0"
                write a number such as 4, or a range such as "3-10"
            src/orders.rs:7:1 (attribute of on_order): listeners.on_order.queue: must not start with `amq.`: the broker keeps these names for itself
            builder: container.holdLimit: expected milliseconds, or a text with a unit ("1s", "2m30s"), found the text "soon"
                units are d, h, m, s, ms"#]]);
}

#[test]
fn e23_a_variable_is_named_and_typed() {
    file("[redelivery.patient]\n")
        .listener("on_order", &[("queue", Text("orders"))])
        .variable("HEARKEN_LISTENERS__ON_ORDER__PREFETCH", "ten")
        .variable("HEARKEN_LISTENERS__ON_ORDER__PREFECTH", "10")
        .variable("HEARKEN_LISTENERS__ON_ODER__PREFETCH", "10")
        .variable("HEARKEN_REDELIVERY__PATEINT__REDELIVERY_DELAY", "5s")
        .variable("HEARKEN_REDELIVERY__PATIENT__USE_EXPONENTIAL_BACK_OFF", "yes")
        .variable("HEARKEN_CONTAINER__RECOVERY_INTERVAL", "5")
        .variable("HEARKEN_CONTAINR__PREFETCH", "5")
        .variable("HEARKEN_PREFETCH", "5")
        .variable("HEARKEN_CONFG", "x.toml")
        .variable("HEARKEN_LISTENERS__PREFETCH", "5")
        .variable("HEARKEN_CONTAINER__ACK", "5")
        .refused(&expect![[r#"
            environment variable HEARKEN_CONFG: is no key of the configuration
                did you mean `HEARKEN_CONFIG`?
            environment variable HEARKEN_CONTAINER__ACK: `ack` is not available yet: the other acknowledge modes come with a later version
            environment variable HEARKEN_CONTAINER__RECOVERY_INTERVAL: container.recoveryInterval: must be at least 100ms; given 5 (milliseconds)
                did you mean "5s"?
            environment variable HEARKEN_CONTAINR__PREFETCH: unknown table `containr`
                did you mean `container`?
            environment variable HEARKEN_LISTENERS__ON_ODER__PREFETCH: there is no listener `on_oder`
                did you mean `on_order`?
            environment variable HEARKEN_LISTENERS__ON_ORDER__PREFECTH: no key of [listeners.ID] is called PREFECTH
                did you mean `prefetch`?
            environment variable HEARKEN_LISTENERS__ON_ORDER__PREFETCH: listeners.on_order.prefetch: expected an integer from 1 to 65535, found the text "ten"
            environment variable HEARKEN_LISTENERS__PREFETCH: names no key
                a key of [listeners.ID] is named by HEARKEN_LISTENERS__NAME__KEY
            environment variable HEARKEN_PREFETCH: is no key of the configuration
                did you mean HEARKEN_CONTAINER__PREFETCH?
            environment variable HEARKEN_REDELIVERY__PATEINT__REDELIVERY_DELAY: there is no policy `pateint`
                did you mean `patient`?
            environment variable HEARKEN_REDELIVERY__PATIENT__USE_EXPONENTIAL_BACK_OFF: redelivery.patient.useExponentialBackOff: expected true or false, found "yes"
                write true"#]]);
}

#[test]
fn reserved_and_foreign_variables_are_left_alone() {
    Fixture::new()
        .variable("HEARKEN_LOG", "debug")
        .variable("HEARKEN_TEST_RABBITMQ", "amqp://localhost")
        .variable("HEARKEN_SERVICE_HOST", "10.0.0.1")
        .variable("HEARKEN_PORT_5672_TCP", "tcp://10.0.0.1:5672")
        .variable("HOME", "/root")
        .accepted();
}

#[test]
fn a_file_that_is_named_must_exist() {
    Fixture::new().variable("HEARKEN_CONFIG", "nowhere.toml").refused(&expect![[r#"
        nowhere.toml: not found
            named by HEARKEN_CONFIG"#]]);
    Fixture::new().with("hearken.toml", "").variable("HEARKEN_CONFIG", "").accepted();
}

#[test]
fn a_profile_that_is_named_must_exist() {
    file("").with("shop.test.toml", "").variable("HEARKEN_PROFILE", "tset").refused(&expect![[r#"
        shop.tset.toml: not found
            did you mean `test`?"#]]);
    file("").variable("HEARKEN_PROFILE", "../etc").refused(&expect![[
        r#"shop.toml: the profile "../etc" has other characters than letters, digits, `_` and `-`"#
    ]]);
}
