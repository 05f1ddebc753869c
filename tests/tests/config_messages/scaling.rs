//! Limits of scaling, and where in the order of start and stop a listener stands.

use expect_test::expect;
use hearken_core::listener::AttributeValue::{Integer, Text};

use crate::fixture::file;

#[test]
fn limits_phases_and_choices_have_a_range() {
    file(
        "[container]\nidleConsumerLimit = 0\nidleReceivesPerTaskLimit = -1\nphase = 2147483648\nmissingQueue = \"fial\"\n\
         acceptMessagesWhileStopping = \"yes\"\n[listeners.a]\nphase = 1.5\nidleConsumerLimit = \"2\"\n",
    )
    .refused(&expect![[r#"
        shop.toml:2:21: container.idleConsumerLimit: allowed: 1 to 4294967295; given 0
            idleConsumerLimit = 0
                                ^
        shop.toml:3:28: container.idleReceivesPerTaskLimit: allowed: 1 to 4294967295; given -1
            idleReceivesPerTaskLimit = -1
                                       ^^
        shop.toml:4:9: container.phase: allowed: -2147483648 to 2147483647; given 2147483648
            phase = 2147483648
                    ^^^^^^^^^^
        shop.toml:5:16: container.missingQueue: allowed: "retry", "fail"; given "fial"
            missingQueue = "fial"
                           ^^^^^^ did you mean `fail`?
        shop.toml:6:31: container.acceptMessagesWhileStopping: expected true or false, found the text "yes"
            acceptMessagesWhileStopping = "yes"
                                          ^^^^^ write true
        shop.toml:8:9: listeners.a.phase: expected an integer from -2147483648 to 2147483647, found 1.5
            phase = 1.5
                    ^^^ write 1
        shop.toml:9:21: listeners.a.idleConsumerLimit: expected an integer from 1 to 4294967295, found the text "2"
            idleConsumerLimit = "2"
                                ^^^ write 2"#]]);
}

#[test]
fn limits_of_a_range_are_not_ignored_beside_a_fixed_concurrency() {
    file("[container]\nconcurrency = 4\n[listeners.a]\nidleConsumerLimit = 2\n[listeners.c]\nidleConsumerLimit = 2\nconcurrency = \"1-2\"\n")
        .listener("a", &[("queue", Text("a"))])
        .listener("b", &[("queue", Text("b")), ("idleReceivesPerTaskLimit", Integer(5)), ("concurrency", Text("7-7"))])
        .listener("c", &[("queue", Text("c"))])
        .warned(&expect![[r#"
            shop.toml:4:1: warning: listeners.a.idleConsumerLimit: has no effect with concurrency = 4, given at shop.toml:2:1
                idleConsumerLimit = 2
                ^^^^^^^^^^^^^^^^^ write a range such as concurrency = "1-4", or remove it
            src/orders.rs:7:1 (attribute of b): warning: listeners.b.idleReceivesPerTaskLimit: has no effect with concurrency = 7, given at src/orders.rs:7:1 (attribute of b)
                write a range such as concurrency = "1-4", or remove it"#]]);
}

#[test]
fn defaults_of_scaling_need_one_listener_with_a_range() {
    let text = "[container]\nidleConsumerLimit = 2\nidleReceivesPerTaskLimit = 3\n";
    file(text)
        .listener("a", &[("queue", Text("a"))])
        .listener("b", &[("queue", Text("b")), ("concurrency", Text("1-2"))])
        .accepted();
    file(text).listener("a", &[("queue", Text("a"))]).warned(&expect![[r#"
        shop.toml:2:1: warning: container.idleConsumerLimit: has no effect: no listener has a range of concurrency
            idleConsumerLimit = 2
            ^^^^^^^^^^^^^^^^^ write a range such as concurrency = "1-4", or remove it
        shop.toml:3:1: warning: container.idleReceivesPerTaskLimit: has no effect: no listener has a range of concurrency
            idleReceivesPerTaskLimit = 3
            ^^^^^^^^^^^^^^^^^^^^^^^^ write a range such as concurrency = "1-4", or remove it"#]]);
}

/// The `hearken` command alone does not see attributes, where the range may be.
#[test]
fn a_range_may_be_in_an_attribute_that_is_not_known() {
    file("[container]\nidleConsumerLimit = 2\n[listeners.a]\nqueue = \"a\"\nidleConsumerLimit = 3\n")
        .accepted();
}
