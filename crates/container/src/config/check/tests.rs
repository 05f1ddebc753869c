use super::*;
use crate::config::key::Table;

fn checked(kind: Kind, scalar: impl std::borrow::Borrow<Scalar>) -> Result<Checked, Fault> {
    check(
        &Row::new(Table::Container, "key", kind, ""),
        scalar.borrow(),
        false,
        &["embedded:", "amqp://", "amqps://"],
    )
}

fn fault(kind: Kind, scalar: Scalar) -> String {
    let fault = checked(kind, scalar).unwrap_err();
    [Some(fault.message), fault.help].into_iter().flatten().collect::<Vec<_>>().join(" | ")
}

fn text(text: &str) -> Scalar {
    Scalar::Text(text.to_owned())
}

fn float(value: f64) -> Scalar {
    Scalar::Float { value, written: value.to_string() }
}

const URL: Kind = Kind::Url { schemes: &[] };

#[test]
fn durations_are_milliseconds_or_carry_units() {
    let kind = Kind::duration(100);
    assert_eq!(checked(kind, Scalar::integer(250)), Ok(Checked::Integer(250)));
    assert_eq!(checked(kind, text("2m30s")), Ok(Checked::Integer(150_000)));
    assert_eq!(
        fault(kind, text("5 sec")),
        "is no duration; given \"5 sec\" | write \"5s\"; units are d, h, m, s, ms"
    );
    assert_eq!(
        fault(kind, text("5")),
        "the unit is missing; given \"5\" | write \"5s\" or \"5ms\"; units are d, h, m, s, ms"
    );
    assert_eq!(fault(kind, text("9999d")), "must be at most 3650d; given \"9999d\"");
    assert_eq!(
        fault(kind, Scalar::integer(5)),
        "must be at least 100ms; given 5 (milliseconds) | did you mean \"5s\"?"
    );
}

#[test]
fn minus_one_is_no_limit_only_where_there_is_such_a_thing() {
    assert_eq!(checked(Kind::DELAY_OR_UNLIMITED, Scalar::integer(-1)), Ok(Checked::Integer(-1)));
    assert!(checked(Kind::DELAY_OR_UNLIMITED, text("-1ms")).is_err());
    assert!(checked(Kind::DELAY, Scalar::integer(-1)).is_err());
}

#[test]
fn other_types_are_told_apart() {
    let integer = Kind::Integer { min: -1, max: i64::MAX };
    assert_eq!(fault(integer, text("6")), "expected an integer from -1, found the text \"6\" | write 6");
    assert_eq!(fault(integer, float(6.5)), "expected an integer from -1, found 6.5 | write 6");
    assert_eq!(
        fault(Kind::Boolean, text("yes")),
        "expected true or false, found the text \"yes\" | write true"
    );
    assert_eq!(fault(Kind::Decimal, float(f64::NAN)), "must be a number above 0; given NaN");
    assert_eq!(fault(Kind::Queue, Scalar::Other("an array")), "expected the name of a queue, found an array");
    assert_eq!(fault(Kind::Size { min: 1 }, text("16 mb")).split(" | ").last(), Some("write \"16MiB\""));
}

#[test]
fn addresses_are_checked_without_being_shown() {
    for good in [
        "embedded:",
        "amqp://localhost",
        "amqp://u:p%40w@host:5672/%2F",
        "amqps://[::1]:5671/shop",
        "amqp://host/",
    ] {
        assert!(checked(URL, text(good)).is_ok(), "{good}");
    }
    for bad in [
        "",
        "amqp://",
        "amqp:hunter2",
        "hunter2",
        "amqp://u:hunter2",
        "amqp://u:hun@ter2@host",
        "amqp://u:hun/ter2@host",
        "amqp://u:hunter2@host//",
        "amqp://u:hunter2@host:99999",
        "amqp://u:hunter2@host?heartbeat=5",
        "amqp://u:hunter2%4@host",
        "embedded:hunter2",
        "amqp://u:hunter2 @host",
    ] {
        let fault = fault(URL, text(bad));
        assert!(!fault.contains("ter2") || bad == "hunter2", "{fault}");
    }
    assert_eq!(
        fault(URL, text("ampq://h")),
        "allowed schemes: embedded:, amqp://, amqps://; given ampq | did you mean amqp://?"
    );
    assert_eq!(
        fault(URL, text("amqp://u:p@w@h")).split(" | ").next(),
        Some("more than one `@`; the first is character 11 of the value")
    );
}
