use proc_macro2::TokenStream;

use super::table::{Availability, Hint, LISTENER, OPTIONS, POLICY};
use super::{Options, Value};
use crate::mistakes::Mistakes;

fn parse(attribute: &str) -> (Options, Vec<String>) {
    let mut mistakes = Mistakes::default();
    let options = Options::parse(attribute.parse::<TokenStream>().unwrap(), &mut mistakes);
    (options, mistakes.texts())
}

/// The mistakes of `attribute` beside a good queue.
fn mistakes(attribute: &str) -> Vec<String> {
    parse(&format!(r#"queue = "q", {attribute}"#)).1
}

fn accepted(option: &str) -> Value {
    let (options, mistakes) = parse(&format!(r#"queue = "q", {option}"#));
    assert_eq!(mistakes, Vec::<String>::new(), "{option}");
    options.values[1].1.clone()
}

/// One mistake with every part of `expected` in its message.
fn refused(option: &str, expected: &[&str]) {
    let messages = mistakes(option);
    assert_eq!(messages.len(), 1, "{option}: {messages:#?}");
    for part in expected {
        assert!(messages[0].contains(part), "{option}: {:?} lacks {part:?}", messages[0]);
    }
}

#[test]
fn every_example_of_the_table_is_accepted() {
    for row in OPTIONS {
        let Availability::Now(_, example) = row.availability else { continue };
        let (_, mistakes) = match row.name {
            "queue" => parse(&format!("queue = {example}")),
            name => parse(&format!(r#"queue = "q", {name} = {example},"#)),
        };
        assert_eq!(mistakes, Vec::<String>::new(), "{}", row.name);
    }
}

#[test]
fn every_option_of_a_later_version_is_refused_by_name_in_both_spellings() {
    for row in OPTIONS {
        let Availability::Later(_) = row.availability else { continue };
        for spelling in [row.name, row.key.unwrap()] {
            refused(&format!("{spelling} = 1"), &[&format!("`{}` is not available yet: ", row.name)]);
        }
    }
}

#[test]
fn the_table_holds_each_name_and_each_key_once_and_hints_lead_into_it() {
    for (index, row) in OPTIONS.iter().enumerate() {
        for other in &OPTIONS[..index] {
            assert_ne!(row.name, other.name);
            assert!(row.key.is_none() || row.key != other.key);
        }
    }
    for sheet in [&LISTENER, &POLICY] {
        for (names, hint) in sheet.hints {
            for name in *names {
                assert!(sheet.find(name).is_none(), "{name} is an option");
            }
            if let Hint::Option(option) = hint {
                assert!(sheet.rows.iter().any(|row| row.name == *option), "{option}");
            }
        }
    }
}

#[test]
fn the_documentation_lists_every_available_option() {
    let page = include_str!("../lib.rs");
    for row in OPTIONS.iter().chain(POLICY.rows) {
        let listed = page.contains(&format!("/// | `{}` |", row.name));
        assert_eq!(listed, matches!(row.availability, Availability::Now(..)), "{}", row.name);
    }
}

#[test]
fn keys_are_those_of_toml_and_id_and_crate_are_kept_apart() {
    let (options, mistakes) = parse(
        r#"id = "on_order", queue = "q", handler_timeout = "2m30s", crate = "shop::hk", auto_startup = true"#,
    );
    assert_eq!(mistakes, Vec::<String>::new());
    assert_eq!(options.id.as_deref(), Some("on_order"));
    assert!(options.root.is_some());
    let keys: Vec<&str> = options.values.iter().map(|(key, _)| *key).collect();
    assert_eq!(keys, ["queue", "handlerTimeout", "autoStartup"]);
}

#[test]
fn values_keep_their_form() {
    assert_eq!(accepted("prefetch = 1_000"), Value::Integer(1000));
    assert_eq!(accepted("concurrency = 4"), Value::Integer(4));
    assert_eq!(accepted(r#"concurrency = "4""#), Value::Text("4".to_owned()));
    assert_eq!(accepted(r#"concurrency = "3-10""#), Value::Text("3-10".to_owned()));
    assert_eq!(accepted(r#"handler_timeout = "2m30s""#), Value::Text("2m30s".to_owned()));
    assert_eq!(accepted("handler_timeout = 1500"), Value::Integer(1500));
    assert_eq!(accepted("recovery_multiplier = 2.5"), Value::Decimal(2.5));
    assert_eq!(accepted("recovery_multiplier = 2"), Value::Integer(2));
    assert_eq!(accepted("max_recovery_attempts = -1"), Value::Integer(-1));
    assert_eq!(accepted("non_blocking_redelivery = false"), Value::Boolean(false));
    assert_eq!(accepted(r##"binding = r#"order.#"#"##), Value::Text("order.#".to_owned()));
    assert_eq!(accepted(r#"routing_key = """#), Value::Text(String::new()));
}

#[test]
fn placeholders_stand_for_any_configured_value() {
    for option in [
        r#"prefetch = "${shop.prefetch:50}""#,
        r#"auto_startup = "${shop.on}""#,
        r#"zero_delay = "${shop.zero}""#,
        r#"concurrency = "${shop.many:2-8}""#,
        r#"handler_timeout = "${shop.limit:5 sec}""#,
    ] {
        assert!(matches!(accepted(option), Value::Text(_)), "{option}");
    }
    refused(r#"prefetch = "${""#, &["closing `}` is missing", "`prefetch = \"${orders.value}\"`"]);
    refused(r#"exchange = "x-${shop.name}""#, &["the whole value"]);
    refused(r#"id = "${shop.id}""#, &["cannot be a placeholder"]);
    refused(r#"crate = "${shop.crate}""#, &["cannot be a placeholder"]);
}

#[test]
fn a_wrong_type_gets_its_replacement() {
    refused(r#"prefetch = "50""#, &["an integer from 1 to 65535", "write `prefetch = 50`"]);
    refused("prefetch = 50u16", &["write `prefetch = 50`"]);
    refused("prefetch = true", &["write `prefetch = 50`"]);
    refused("exchange = 7", &["is a string", r#"write `exchange = "7"`"#]);
    refused("auto_startup = 1", &["`true` or `false`", "write `auto_startup = true`"]);
    refused(r#"auto_startup = "off""#, &["write `auto_startup = false`"]);
    refused("handler_timeout = 1.5", &["milliseconds", "`ms`, `s`, `m`, `h`, `d`"]);
    refused("zero_delay = 0", &[r#""container" or "immediate""#]);
    refused("exchange = EXCHANGE", &["takes a literal", "placeholder"]);
    refused("exchange = concat!(\"a\", \"b\")", &["takes a literal"]);
    refused("id = b\"x\"", &["is a string"]);
    refused("crate = shop::hk", &["as a string", r#"write `crate = "shop::hk"`"#]);
}

#[test]
fn a_wrong_value_gets_the_accepted_ones() {
    refused("prefetch = 0", &["from 1 to 65535, not 0"]);
    refused("prefetch = -1", &["not -1"]);
    refused("prefetch = 99999999999999999999", &["not 99999999999999999999"]);
    refused("concurrency = 1001", &["from 1 to 1000"]);
    refused("concurrency = 1.5", &["from 1 to 1000", "\"3-10\""]);
    refused("concurrency = 2..=8", &["a range of `concurrency` is a string: write `concurrency = \"3-10\"`"]);
    refused(r#"concurrency = "10-3""#, &["lower bound", "write `concurrency = \"3-10\"`"]);
    refused(r#"concurrency = " 3 - 10""#, &["write `concurrency = \"3-10\"`"]);
    for wrong in ["", "0", "0-5", "3-", "-5", "3-5-7", "1-1001", "many"] {
        let named = format!("not {wrong:?}");
        refused(&format!("concurrency = {wrong:?}"), &["from 1 to 1000", "\"3-10\"", &named]);
    }
    refused("recovery_multiplier = 0.5", &["a number of at least 1, not 0.5"]);
    refused("recovery_multiplier = -1.5", &["not -1.5"]);
    refused("recovery_multiplier = 0", &["not 0"]);
    refused("recovery_multiplier = 1.5f32", &["write `recovery_multiplier = 1.5`"]);
    refused(r#"recovery_multiplier = "2.5""#, &["write `recovery_multiplier = 2.5`"]);
    refused("max_recovery_attempts = 0", &["an integer from 1, or -1 for no limit, not 0"]);
    refused("max_recovery_attempts = -2", &["not -2"]);
    refused(r#"max_recovery_attempts = "3""#, &["write `max_recovery_attempts = 3`"]);
    refused("receive_timeout = 0", &["at least 1 ms"]);
    refused("recovery_interval = 5", &["at least 100 ms", "did you mean \"5s\"?"]);
    refused(r#"recovery_interval = "99ms""#, &["at least 100 ms"]);
    refused("handler_timeout = -1", &["must not be negative"]);
    refused(
        r#"handler_timeout = "5 sec""#,
        &["`ms`, `s`, `m`, `h`, `d`", r#"write `handler_timeout = "5s"`"#],
    );
    refused(r#"handler_timeout = "soon""#, &["`ms`, `s`, `m`, `h`, `d`"]);
    refused(r#"redelivery_mode = "brokr""#, &[r#"write `redelivery_mode = "broker"`"#]);
    refused(r#"redelivery_mode = "never""#, &[r#""auto", "client", "broker" or "native", not "never""#]);
    refused(r#"redelivery = """#, &["must not be empty"]);
    refused(r#"dead_letter = "amq.dead""#, &["must not start with `amq.`"]);
    refused(r#"id = "onOrder""#, &[r#"write `id = "on_order"`"#]);
    refused(r#"crate = "not a path""#, &["path of the crate"]);
}

#[test]
fn a_wrong_name_gets_the_right_one() {
    refused(r#"handlerTimeout = "1s""#, &["write `handler_timeout` for `handlerTimeout`"]);
    refused(r#"handler-timeout = "1s""#, &["write `handler_timeout` for `handler-timeout`"]);
    refused("prefech = 5", &["did you mean `prefetch`?", "the options are `id`, `crate`, `queue`"]);
    refused("wibble = 5", &["`wibble` is not an option of #[listener]", "the options are"]);
    refused("retries = 5", &["`maximumRedeliveries`", "`[redelivery.NAME]`"]);
    refused("maxRetries = 5", &["`maximumRedeliveries`"]);
    refused(r#"timeout = "1s""#, &["write `handler_timeout`"]);
    refused(r#"name = "x""#, &["write `id`"]);
    refused(r#"exchange("x")"#, &[r#"write `exchange = "shop"`"#]);
    refused(r#"shop::exchange = "x""#, &["one word"]);
    refused(r#""exchange" = "x""#, &["not quoted", "write `exchange = "]);
}

#[test]
fn a_misnamed_queue_is_not_missing_as_well() {
    for attribute in [r#"topic = "q""#, r#"queues = "q""#, r#"queeu = "q""#, r#""q""#, r#"destination = "q""#]
    {
        let (_, messages) = parse(attribute);
        assert_eq!(messages.len(), 1, "{attribute}: {messages:#?}");
    }
    for attribute in ["", r#"exchange = "x""#] {
        assert_eq!(parse(attribute).1, [crate::messages::QUEUE_MISSING], "{attribute}");
    }
    assert_eq!(parse(r#"exchange = "x", temporary = true"#).1, [""; 0]);
    assert_eq!(parse(r#"exchange = "x", temporary = "${shop.temporary}""#).1, [""; 0]);
    assert_eq!(parse(r#"exchange = "x", temporary = false"#).1, [crate::messages::QUEUE_MISSING]);
    assert_eq!(parse(r#"exchange = "x", temporary = 1"#).1.len(), 1);
    assert!(parse(r#""orders""#).1[0].contains(r#"write `queue = "orders"`"#));
}

#[test]
fn wrong_punctuation_is_one_mistake_each() {
    refused(r#"exchange == "x""#, &["expected `=` after `exchange`"]);
    refused(r#"exchange: "x""#, &["expected `=` after `exchange`"]);
    refused(r#"exchange => "x""#, &["expected `=` after `exchange`"]);
    refused("exchange =", &["needs a value"]);
    refused("exchange", &["needs a value", r#"write `exchange = "shop"`"#]);
    refused("auto_startup", &["write `auto_startup = true`"]);
    refused(r#"exchange = "x" prefetch = 5"#, &["a comma is missing before `prefetch`"]);
    refused(", prefetch = 5", &["before this comma"]);
    refused("5", &["expected an option"]);
    refused("{}", &["expected an option"]);
}

#[test]
fn the_second_of_two_is_named() {
    refused(r#"queue = "r""#, &["`queue` is given twice"]);
    refused(r#"prefetch = 1, prefetch = "x""#, &["`prefetch` is given twice"]);
}

#[test]
fn all_mistakes_are_reported_in_order_and_the_good_options_kept() {
    let (options, messages) = parse(
        r#"prefetch = "50", retries = 3, batch = 10, exchange = "shop" zero_delay = "now", handlerTimeout = 5.0,, x"#,
    );
    let starts = [
        "`prefetch` is an integer",
        "`retries` is not an option",
        "`batch` is not available yet",
        "a comma is missing before `zero_delay`",
        "`zero_delay` is ",
        "options are in snake_case",
        "`handler_timeout` is a duration",
        "expected an option before this comma",
        "`x` is not an option",
        "the option `queue` is missing",
    ];
    assert_eq!(messages.len(), starts.len(), "{messages:#?}");
    for (message, start) in messages.iter().zip(starts) {
        assert!(message.starts_with(start), "{message:?} does not start with {start:?}");
    }
    assert_eq!(options.values, [("exchange", Value::Text("shop".to_owned()))]);
}

/// The values of a policy in the attribute.
fn policy(inside: &str) -> Vec<(&'static str, Value)> {
    match accepted(&format!("redelivery({inside})")) {
        Value::Table(values) => values,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_policy_stands_in_the_attribute_by_short_names_or_by_those_of_toml() {
    let text = |text: &str| Value::Text(text.to_owned());
    assert_eq!(
        policy(r#"maximum = 3, initial = "200ms","#),
        [("maximumRedeliveries", Value::Integer(3)), ("initialRedeliveryDelay", text("200ms"))]
    );
    assert_eq!(policy("maximum_redeliveries = -1"), [("maximumRedeliveries", Value::Integer(-1))]);
    assert_eq!(policy("multiplier = 1.5"), [("backOffMultiplier", Value::Decimal(1.5))]);
    assert_eq!(policy("multiplier = 0.5"), [("backOffMultiplier", Value::Decimal(0.5))]);
    assert_eq!(policy("maximum_delay = -1"), [("maximumRedeliveryDelay", Value::Integer(-1))]);
    assert_eq!(policy(r#"initial = "${shop.wait}""#), [("initialRedeliveryDelay", text("${shop.wait}"))]);
    for row in POLICY.rows {
        let Availability::Now(_, example) = row.availability else { continue };
        for name in [row.name, &crate::names::snake_case(row.key.unwrap())] {
            assert_eq!(policy(&format!("{name} = {example}"))[0].0, row.key.unwrap());
        }
    }
    let (options, mistakes) = parse(r#"redelivery(maximum = 3), queue = "q""#);
    assert_eq!((options.values.len(), mistakes.len()), (2, 0));
}

#[test]
fn mistakes_of_a_policy_are_told_like_those_of_options() {
    let inside = |inside: &str, expected: &[&str]| refused(&format!("redelivery({inside})"), expected);
    inside("", &["write `redelivery(maximum = 3)`"]);
    inside(r#""patient""#, &[r#"write `redelivery = "patient"`"#]);
    inside("retries = 3", &["is not a property of a redelivery policy", "write `maximum`"]);
    inside("maximun = 3", &["did you mean `maximum`?", "the properties are `maximum`, `initial`"]);
    inside("prefetch = 3", &["is not a property of a redelivery policy", "the properties are"]);
    inside("rules = []", &["`[[redelivery.NAME.rules]]`"]);
    inside("maximumRedeliveries = 3", &["write `maximum` for `maximumRedeliveries`"]);
    inside("maximum = 3, maximum_redeliveries = 4", &["`maximum` is given twice"]);
    inside("maximum = -2", &["an integer from -1, not -2"]);
    inside("initial = -1", &["must not be negative"]);
    inside("maximum_delay = -2", &["or -1 for no limit, not -2"]);
    inside(r#"maximum_delay = "1 min""#, &[r#"write `maximum_delay = "1m"`"#]);
    inside("multiplier = 0", &["a number above 0, not 0"]);
    inside("multiplier = -0.5", &["not -0.5"]);
    inside("collision_avoidance_percent = 0.15", &["write `collision_avoidance_percent = 15`"]);
    inside("collision_avoidance_percent = 101", &["an integer from 0 to 100, not 101"]);
    inside("formula = 5.10", &[r#"write `formula = "5.10"`"#]);
    inside(r#"preset = "alyun""#, &[r#"write `preset = "aliyun"`"#]);
    inside("exponential", &["write `exponential = true`"]);
    inside("maximum = 3 initial = 5", &["a comma is missing before `initial`"]);
    refused(r#"redelivery(maximum = 3), redelivery = "x""#, &["`redelivery` is given twice"]);
    refused("redelivery(maximum = 3) prefetch = 5", &["a comma is missing before `prefetch`"]);
    refused("redelivery(maximum = 3).x", &["a comma after `redelivery(…)`"]);
    refused("redelivery { maximum = 3 }", &["expected `=` after `redelivery`"]);
    assert_eq!(mistakes("redelivery(maximum = -2, wibble = 1), prefetch = 0").len(), 3);
}
