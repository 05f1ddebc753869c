//! Policies by the names of queues.

use expect_test::expect;
use hearken_core::listener::AttributeValue::{Boolean, Text};

use crate::fixture::{Fixture, file};

#[test]
fn a_table_of_the_map_has_a_pattern_and_a_policy() {
    file(
        "[redelivery.patient]\n\n[[redeliveryMap]]\nqueue = \"orders.>\"\n\n[[redeliveryMap]]\nredelivery = \"pateint\"\n\n\
         [[redeliveryMap]]\ndestination = \"a\"\npolicy = \"b\"\ntopic = \"c\"\n",
    )
    .refused(&expect![[r#"
        shop.toml:3:1: redeliveryMap[0]: the table does not say which policy
            [[redeliveryMap]]
            ^^^^^^^^^^^^^^^^^ write redelivery = "NAME"
        shop.toml:6:1: redeliveryMap[1]: the table does not say for which queues
            [[redeliveryMap]]
            ^^^^^^^^^^^^^^^^^ write queue = "orders.>"
        shop.toml:7:14: redeliveryMap[1].redelivery: there is no policy `pateint`
            redelivery = "pateint"
                         ^^^^^^^^^ did you mean `patient`?
        shop.toml:10:1: redeliveryMap[2]: unknown key `destination`
            destination = "a"
            ^^^^^^^^^^^ did you mean `queue`?
        shop.toml:11:1: redeliveryMap[2]: unknown key `policy`
            policy = "b"
            ^^^^^^ did you mean `redelivery`?
        shop.toml:12:1: redeliveryMap[2]: `topic` has no meaning here: AMQP has queues only; write `queue`
            topic = "c"
            ^^^^^"#]]);
}

#[test]
fn a_pattern_is_one_of_activemq() {
    file(
        "[[redeliveryMap]]\nqueue = \"a.>.b\"\nredelivery = \"default\"\n\
         [[redeliveryMap]]\nqueue = \"orders*\"\nredelivery = \"default\"\n\
         [[redeliveryMap]]\nqueue = \"orders.#\"\nredelivery = \"default\"\n\
         [[redeliveryMap]]\nqueue = \"\"\nredelivery = \"default\"\n\
         [[redeliveryMap]]\nqueue = 7\nredelivery = \"default\"\n",
    )
    .refused(&expect![[r#"
        shop.toml:2:9: redeliveryMap[0].queue: `>` stands for all that follows, so only at the end
            queue = "a.>.b"
                    ^^^^^^^ did you mean "a.*.b"?
        shop.toml:5:9: redeliveryMap[1].queue: `*` and `>` stand for whole words between dots, and `orders*` has more
            queue = "orders*"
                    ^^^^^^^^^ did you mean "orders.>"?
        shop.toml:8:9: redeliveryMap[2].queue: `#` is a word of AMQP's topic exchanges; here `>` stands for all that follows
            queue = "orders.#"
                    ^^^^^^^^^^ did you mean "orders.>"?
        shop.toml:11:9: redeliveryMap[3].queue: must not be empty
            queue = ""
                    ^^
        shop.toml:14:9: redeliveryMap[4].queue: expected a pattern of the names of queues ("orders.*", "orders.>"), found 7
            queue = 7
                    ^ write "7""#]]);
}

#[test]
fn a_pattern_stands_in_the_map_once() {
    file(
        "[[redeliveryMap]]\nqueue = \"a.>\"\nredelivery = \"default\"\n\
         [[redelivery_map]]\nqueue = \"a.>\"\nredelivery = \"default\"\n",
    )
    .refused(&expect![[r#"
        shop.toml:4:3: redeliveryMap: `redelivery_map` is given twice, in two spellings
            [[redelivery_map]]
              ^^^^^^^^^^^^^^ first given at shop.toml:1:3"#]]);
    file(
        "[[redelivery_map]]\nqueue = \"a.>\"\nredelivery = \"default\"\n\
         [[redelivery_map]]\nqueue = \"a.>\"\nredelivery = \"default\"\n",
    )
    .refused(&expect![[r#"
        shop.toml:5:9: redeliveryMap[1].queue: the pattern "a.>" is given twice
            queue = "a.>"
                    ^^^^^ first given at shop.toml:2:9"#]]);
}

#[test]
fn the_map_is_a_list_in_a_file() {
    file("[redeliveryMap]\nqueue = \"a.>\"\n[redelivery.x]\nqueue = \"a.>\"\n").refused(&expect![[r#"
        shop.toml:1:2: redeliveryMap: expected a list of tables [[redeliveryMap]]
            [redeliveryMap]
             ^^^^^^^^^^^^^ write [[redeliveryMap]], in double brackets, once for each table
        shop.toml:4:1: redelivery.x: `queue` is no key: `queue` and `redelivery` under [[redeliveryMap]] give queues a policy
            queue = "a.>"
            ^^^^^"#]]);
    Fixture::new()
        .variable("HEARKEN_REDELIVERY_MAP__QUEUE", "a")
        .set("redeliveryMap.queue", "a")
        .refused(&expect![[r#"
            environment variable HEARKEN_REDELIVERY_MAP__QUEUE: `redelivery_map` is a list of tables, which only files can give
                write [[redeliveryMap]] in a file
            builder: redeliveryMap.queue: `redeliveryMap` is a list of tables, which only files can give
                write [[redeliveryMap]] in a file"#]]);
}

#[test]
fn patterns_that_fit_equally_well_are_a_warning() {
    let text = "[redelivery.x]\n[redelivery.y]\n[[redeliveryMap]]\nqueue = \"orders.*\"\nredelivery = \"x\"\n\
                [[redeliveryMap]]\nqueue = \"*.eu\"\nredelivery = \"y\"\n";
    file(text).listener("on_order", &[("queue", Text("orders.eu"))]).warned(&expect![[r#"
        shop.toml:6:1: warning: redeliveryMap: "*.eu" and "orders.*", given at shop.toml:4:9, fit `orders.eu` equally well; the first by its spelling counts
            [[redeliveryMap]]
            ^^^^^^^^^^^^^^^^^ add queue = "orders.eu" with the policy that is meant"#]]);
    file(text).listener("on_order", &[("queue", Text("orders.us"))]).accepted();
    file(text.replace("\"y\"", "\"x\"")).listener("on_order", &[("queue", Text("orders.eu"))]).accepted();
    let named = &[("queue", Text("orders.eu")), ("redelivery", Text("x"))];
    file(text).listener("on_order", named).accepted();
}

/// The broker names it, and not before the listener runs.
#[test]
fn no_pattern_matches_a_temporary_queue() {
    let temporary = &[("temporary", Boolean(true)), ("exchange", Text("e"))];
    let configuration = file("[redelivery.x]\n[[redeliveryMap]]\nqueue = \">\"\nredelivery = \"x\"\n")
        .listener("on_order", temporary)
        .accepted();
    assert_eq!(configuration.listeners()["on_order"].policy.name, "default");
}
