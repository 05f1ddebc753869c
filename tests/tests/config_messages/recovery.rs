//! The back-off of recovery: what belongs to which kind, and in which order the waits are.

use expect_test::expect;
use hearken_core::listener::AttributeValue::{Decimal, Text};

use crate::fixture::{Fixture, file};

#[test]
fn factors_and_limits_of_recovery_have_a_range() {
    file(
        "[container]\nbackOff = \"expo\"\nrecoveryMultiplier = 0.5\nmaxRecoveryInterval = 5\nmaxRecoveryAttempts = 0\n\
         [listeners.a]\nbackOff = true\nrecoveryMultiplier = \"2\"\nmaxRecoveryAttempts = -2\n\
         [listeners.b]\nmaxRecoveryAttempts = \"3\"\n[listeners.c]\nmaxRecoveryAttempts = 2.5\n",
    )
    .refused(&expect![[r#"
        shop.toml:2:11: container.backOff: allowed: "fixed", "exponential"; given "expo"
            backOff = "expo"
                      ^^^^^^
        shop.toml:3:22: container.recoveryMultiplier: must be a number of at least 1; given 0.5
            recoveryMultiplier = 0.5
                                 ^^^
        shop.toml:4:23: container.maxRecoveryInterval: must be at least 100ms; given 5 (milliseconds)
            maxRecoveryInterval = 5
                                  ^ did you mean "5s"?
        shop.toml:5:23: container.maxRecoveryAttempts: allowed: 1 to 4294967295, or -1 for no limit; given 0
            maxRecoveryAttempts = 0
                                  ^
        shop.toml:7:11: listeners.a.backOff: expected one of "fixed", "exponential", found true
            backOff = true
                      ^^^^
        shop.toml:8:22: listeners.a.recoveryMultiplier: expected a number of at least 1, found the text "2"
            recoveryMultiplier = "2"
                                 ^^^ write 2
        shop.toml:9:23: listeners.a.maxRecoveryAttempts: allowed: 1 to 4294967295, or -1 for no limit; given -2
            maxRecoveryAttempts = -2
                                  ^^
        shop.toml:11:23: listeners.b.maxRecoveryAttempts: expected an integer from 1, or -1 for no limit, found the text "3"
            maxRecoveryAttempts = "3"
                                  ^^^ write 3
        shop.toml:13:23: listeners.c.maxRecoveryAttempts: expected an integer from 1, or -1 for no limit, found 2.5
            maxRecoveryAttempts = 2.5
                                  ^^^ write 2"#]]);
}

#[test]
fn what_only_growing_waits_read_is_not_ignored_beside_fixed_ones() {
    file("[container]\nrecoveryMultiplier = 2\n[listeners.a]\nbackOff = \"fixed\"\nmaxRecoveryInterval = \"1m\"\n")
        .listener("a", &[("queue", Text("a"))])
        .listener("b", &[("queue", Text("b")), ("recoveryMultiplier", Decimal(1.5))])
        .refused(&expect![[r#"
            shop.toml:2:1: container.recoveryMultiplier: has no effect with backOff = "fixed", built in
                recoveryMultiplier = 2
                ^^^^^^^^^^^^^^^^^^ write backOff = "exponential" beside it, or remove it
            shop.toml:5:1: listeners.a.maxRecoveryInterval: has no effect with backOff = "fixed", given at shop.toml:4:1
                maxRecoveryInterval = "1m"
                ^^^^^^^^^^^^^^^^^^^ write backOff = "exponential" beside it, or remove it
            src/orders.rs:7:1 (attribute of b): listeners.b.recoveryMultiplier: has no effect with backOff = "fixed", built in
                write backOff = "exponential" beside it, or remove it"#]]);
}

#[test]
fn a_misspelt_back_off_is_one_mistake() {
    file("[container]\nbackOff = \"expo\"\nrecoveryMultiplier = 2\n")
        .listener("a", &[("queue", Text("a"))])
        .refused(&expect![[r#"
            shop.toml:2:11: container.backOff: allowed: "fixed", "exponential"; given "expo"
                backOff = "expo"
                          ^^^^^^"#]]);
}

#[test]
fn a_listener_with_fixed_waits_leaves_inherited_growth_behind() {
    file("[container]\nbackOff = \"exponential\"\nrecoveryMultiplier = 2\nmaxRecoveryInterval = \"1m\"\n")
        .listener("a", &[("queue", Text("a")), ("backOff", Text("fixed"))])
        .accepted();
}

#[test]
fn the_longest_wait_of_recovery_is_not_below_the_first() {
    file(
        "[container]\nbackOff = \"exponential\"\nrecoveryInterval = \"1m\"\n\
         [listeners.a]\nmaxRecoveryInterval = \"2s\"\n[listeners.b]\nmaxRecoveryInterval = \"1m\"\n",
    )
    .listener("a", &[("queue", Text("a"))])
    .listener("b", &[("queue", Text("b"))])
    .listener(
        "c",
        &[("queue", Text("c")), ("maxRecoveryInterval", Text("5m")), ("recoveryInterval", Text("6m"))],
    )
    .refused(&expect![[r#"
        shop.toml:3:1: container.recoveryInterval: "1m" is above maxRecoveryInterval = "30s", built in
            recoveryInterval = "1m"
            ^^^^^^^^^^^^^^^^ waits grow from recoveryInterval up to maxRecoveryInterval
        shop.toml:5:1: listeners.a.maxRecoveryInterval: "2s" is below recoveryInterval = "1m", given at shop.toml:3:1
            maxRecoveryInterval = "2s"
            ^^^^^^^^^^^^^^^^^^^ waits grow from recoveryInterval up to maxRecoveryInterval
        src/orders.rs:7:1 (attribute of c): listeners.c.maxRecoveryInterval: "5m" is below recoveryInterval = "6m", given at src/orders.rs:7:1 (attribute of c)
            waits grow from recoveryInterval up to maxRecoveryInterval"#]]);
}

#[test]
fn an_attribute_that_is_not_known_may_choose_growing_waits() {
    let fixture = file("[listeners.a]\nqueue = \"a\"\nrecoveryMultiplier = 2\n");
    fixture.accepted();
    let attribute = Fixture::new().listener("a", &[("queue", Text("a")), ("backOff", Text("exponential"))]);
    attribute.set("listeners.a.recoveryMultiplier", "2").accepted();
}
