//! Rules of policies: conditions, responses, and the predicates that code registers.

use expect_test::expect;
use hearken_core::redelivery::{Condition, RedeliveryPolicy, Response, Rule};

use crate::fixture::{Fixture, file};

#[test]
fn a_rule_has_one_condition() {
    file(
        "[[redelivery.x.rules]]\nthen = \"discard\"\n\n[[redelivery.x.rules]]\nkind = \"panic\"\ncode = \"busy\"\n\
         predicate = \"odd\"\nthen = \"discard\"\n",
    )
    .refused(&expect![[r#"
        shop.toml:1:1: redelivery.x.rules[0]: the rule does not say which failures it is for
            [[redelivery.x.rules]]
            ^^^^^^^^^^^^^^^^^^^^^^ write one of kind, code, errorContains, predicate
        shop.toml:6:1: redelivery.x.rules[1].code: `code` stands beside `kind`, given at shop.toml:5:1
            code = "busy"
            ^^^^ a rule has one condition: write a rule for each, or a `predicate` for both at once
        shop.toml:7:1: redelivery.x.rules[1].predicate: `predicate` stands beside `kind`, given at shop.toml:5:1
            predicate = "odd"
            ^^^^^^^^^ a rule has one condition: write a rule for each, or a `predicate` for both at once"#]]);
}

#[test]
fn a_rule_says_what_to_do() {
    file("[redelivery.x]\nrules = [{ kind = \"panic\" }]\n").refused(&expect![[r#"
        shop.toml:2:10: redelivery.x.rules[0]: the rule does not say what to do
            rules = [{ kind = "panic" }]
                     ^^^^^^^^^^^^^^^^^^ write then = "redeliver", "dead-letter", "discard", "defer" or "pause""#]]);
}

#[test]
fn values_of_a_rule_are_checked_like_all_others() {
    file(
        "[[redelivery.x.rules]]\nkind = \"panic\"\nthen = \"dead_letter\"\n\
         [[redelivery.x.rules]]\nerror_contains = \"\"\nthen = \"drop\"\n\
         [[redelivery.x.rules]]\ncode = 503\nthen = \"redeliver\"\nmaximumRedeliveries = -2\ncollisionAvoidancePercent = 0.15\n\
         [[redelivery.x.rules]]\nkind = \"crash\"\nthen = \"pause\"\nfor = 0\n",
    )
    .refused(&expect![[r#"
        shop.toml:3:8: redelivery.x.rules[0].then: allowed: "redeliver", "dead-letter", "discard", "defer", "pause"; given "dead_letter"
            then = "dead_letter"
                   ^^^^^^^^^^^^^ did you mean `dead-letter`?
        shop.toml:5:18: redelivery.x.rules[1].errorContains: must not be empty
            error_contains = ""
                             ^^
        shop.toml:6:8: redelivery.x.rules[1].then: allowed: "redeliver", "dead-letter", "discard", "defer", "pause"; given "drop"
            then = "drop"
                   ^^^^^^
        shop.toml:8:8: redelivery.x.rules[2].code: expected a text, found 503
            code = 503
                   ^^^ write "503"
        shop.toml:10:23: redelivery.x.rules[2].maximumRedeliveries: allowed: -1 and more; given -2
            maximumRedeliveries = -2
                                  ^^
        shop.toml:11:29: redelivery.x.rules[2].collisionAvoidancePercent: 0.15 looks like a fraction, and this key is a percent
            collisionAvoidancePercent = 0.15
                                        ^^^^ for 15 % write 15
        shop.toml:13:8: redelivery.x.rules[3].kind: allowed: "error", "permanent", "undecodable", "panic", "timeout", "transaction"; given "crash"
            kind = "crash"
                   ^^^^^^^
        shop.toml:15:7: redelivery.x.rules[3].for: must be at least 1ms; given 0 (milliseconds)
            for = 0
                  ^"#]]);
}

#[test]
fn keys_of_a_rule_are_answered_with_the_nearest_ones() {
    file(
        "[[redelivery.x.rules]]\nerrorContain = \"a\"\naction = \"discard\"\nformula = \"5.5\"\nwibble = 1\n\
         maxReconsumeTimes = 3\nprefetch = 5\n\
         [redelivery.y]\nkind = \"panic\"\nfor = \"1s\"\n",
    )
    .refused(&expect![[r#"
        shop.toml:2:1: redelivery.x.rules[0]: unknown key `errorContain`
            errorContain = "a"
            ^^^^^^^^^^^^ did you mean `errorContains`?
        shop.toml:3:1: redelivery.x.rules[0]: unknown key `action`
            action = "discard"
            ^^^^^^ did you mean `then`?
        shop.toml:4:1: redelivery.x.rules[0]: `formula` belongs to the policy: a rule changes limits and delays
            formula = "5.5"
            ^^^^^^^
        shop.toml:5:1: redelivery.x.rules[0]: unknown key `wibble`
            wibble = 1
            ^^^^^^ keys here: kind, code, errorContains, predicate, then, for, maximumRedeliveries, initialRedeliveryDelay, redeliveryDelay, maximumRedeliveryDelay, useExponentialBackOff, backOffMultiplier, useCollisionAvoidance, collisionAvoidancePercent
        shop.toml:6:1: redelivery.x.rules[0]: `maxReconsumeTimes` is no key of a rule: write maximumRedeliveries, which cuts or extends a preset too
            maxReconsumeTimes = 3
            ^^^^^^^^^^^^^^^^^
        shop.toml:7:1: redelivery.x.rules[0]: `prefetch` is no key of [[redelivery.NAME.rules]]
            prefetch = 5
            ^^^^^^^^ it belongs to [container] or [listeners.ID]
        shop.toml:9:1: redelivery.y: `kind` is no key of [redelivery.NAME]
            kind = "panic"
            ^^^^ it belongs to [[redelivery.NAME.rules]]
        shop.toml:10:1: redelivery.y: `for` is no key of [redelivery.NAME]
            for = "1s"
            ^^^ it belongs to [[redelivery.NAME.rules]]"#]]);
}

#[test]
fn a_key_of_a_rule_in_two_spellings_is_given_twice() {
    file("[[redelivery.x.rules]]\nerrorContains = \"a\"\nerror_contains = \"b\"\nthen = \"discard\"\n")
        .refused(&expect![[r#"
            shop.toml:3:1: redelivery.x.rules[0].errorContains: `error_contains` is given twice, in two spellings
                error_contains = "b"
                ^^^^^^^^^^^^^^ first given at shop.toml:2:1"#]]);
}

#[test]
fn what_belongs_to_another_response_is_refused() {
    file(
        "[[redelivery.x.rules]]\nkind = \"panic\"\nthen = \"dead-letter\"\nfor = \"1s\"\nmaximumRedeliveries = 3\n\
         [[redelivery.x.rules]]\nkind = \"error\"\nthen = \"pause\"\n",
    )
    .refused(&expect![[r#"
        shop.toml:4:1: redelivery.x.rules[0].for: `for` has no meaning with then = "dead-letter", given at shop.toml:3:8
            for = "1s"
            ^^^ it belongs to then = "defer", "pause"
        shop.toml:5:1: redelivery.x.rules[0].maximumRedeliveries: `maximumRedeliveries` has no meaning with then = "dead-letter", given at shop.toml:3:8
            maximumRedeliveries = 3
            ^^^^^^^^^^^^^^^^^^^ it belongs to then = "redeliver"
        shop.toml:8:1: redelivery.x.rules[1]: then = "pause" needs `for`, its time
            then = "pause"
            ^^^^ write for = "30s", or another time"#]]);
}

#[test]
fn rules_are_a_list_of_tables() {
    file("[redelivery.x.rules]\nkind = \"panic\"\n[redelivery.y]\nrules = \"panic\"\n[redelivery.z]\nrules = [{}, 3]\n")
        .refused(&expect![[r#"
            shop.toml:1:1: redelivery.x.rules: expected tables [[redelivery.NAME.rules]], found a table
                [redelivery.x.rules]
                ^^^^^^^^^^^^^^^^^^^^ write the name in double brackets, [[…]], once for each table
            shop.toml:4:9: redelivery.y.rules: expected tables [[redelivery.NAME.rules]], found the text "panic"
                rules = "panic"
                        ^^^^^^^
            shop.toml:6:10: redelivery.z.rules[0]: the rule does not say which failures it is for
                rules = [{}, 3]
                         ^^ write one of kind, code, errorContains, predicate
            shop.toml:6:10: redelivery.z.rules[0]: the rule does not say what to do
                rules = [{}, 3]
                         ^^ write then = "redeliver", "dead-letter", "discard", "defer" or "pause"
            shop.toml:6:14: redelivery.z.rules[1]: expected a table [[redelivery.NAME.rules]], found a value
                rules = [{}, 3]
                             ^"#]]);
    Fixture::new()
        .variable("HEARKEN_REDELIVERY__DEFAULT__RULES", "panic")
        .set("redelivery.default.rules", "panic")
        .refused(&expect![[r#"
            environment variable HEARKEN_REDELIVERY__DEFAULT__RULES: redelivery.default.rules: expected tables [[redelivery.NAME.rules]], found the text "panic"
            builder: redelivery.default.rules: expected tables [[redelivery.NAME.rules]], found the text "panic""#]]);
}

#[test]
fn a_rule_that_another_hides_is_a_warning() {
    file(
        "[[redelivery.x.rules]]\ncode = \"busy\"\nthen = \"discard\"\n\
         [[redelivery.x.rules]]\ncode = \"busy\"\nthen = \"dead-letter\"\n",
    )
    .warned(&expect![[r#"
        shop.toml:5:1: warning: redelivery.x.rules[1]: the rule never holds: one before it has the same condition
            code = "busy"
            ^^^^ the other is at shop.toml:2:1"#]]);
}

#[test]
fn a_questionable_redelivery_of_a_rule_is_a_warning() {
    file(
        "[[redelivery.x.rules]]\ncode = \"busy\"\nthen = \"redeliver\"\nuseExponentialBackOff = true\n\
         maximumRedeliveries = -1\n\
         [[redelivery.x.rules]]\ncode = \"slow\"\nthen = \"redeliver\"\nmaximumRedeliveryDelay = \"1m\"\n",
    )
    .warned(&expect![[r#"
        shop.toml:5:1: warning: redelivery.x.rules[0]: the waits grow without bound: redelivery 20 would wait about 600,000 years; set maximumRedeliveryDelay
            maximumRedeliveries = -1
            ^^^^^^^^^^^^^^^^^^^
        shop.toml:9:1: warning: redelivery.x.rules[1]: maximumRedeliveryDelay = 60000 ms has no effect without useExponentialBackOff = true
            maximumRedeliveryDelay = "1m"
            ^^^^^^^^^^^^^^^^^^^^^^"#]]);
}

#[test]
fn a_policy_that_keeps_nothing_is_a_warning() {
    file("[redelivery.x]\nmaximumRedeliveries = 0\nonExhausted = \"discard\"\n").warned(&expect![[r#"
        shop.toml:3:1: warning: redelivery.x.onExhausted: every failure that no rule is for discards its message: the policy has no redelivery
            onExhausted = "discard"
            ^^^^^^^^^^^ write onExhausted = "dead-letter" to keep them"#]]);
}

const BY_PREDICATE: &[Rule] = &[
    Rule::new(Condition::code("busy"), Response::Discard),
    Rule::new(Condition::predicate("is_throtled"), Response::DeadLetter),
];

#[test]
fn an_unknown_predicate_is_answered_with_the_known_ones() {
    file("[[redelivery.x.rules]]\npredicate = \"is_throtled\"\nthen = \"discard\"\n")
        .predicates(&["is_throttled"])
        .policy(RedeliveryPolicy::new("y").rules(BY_PREDICATE))
        .refused(&expect![[r#"
            shop.toml:2:13: redelivery.x.rules[0].predicate: there is no failure predicate `is_throtled`
                predicate = "is_throtled"
                            ^^^^^^^^^^^^^ did you mean `is_throttled`?
            builder: redelivery.y.rules[1].predicate: there is no failure predicate `is_throtled`
                did you mean `is_throttled`?"#]]);
    file("[[redelivery.x.rules]]\npredicate = \"wibble\"\nthen = \"discard\"\n")
        .predicates(&["is_throttled", "is_down"])
        .refused(&expect![[r#"
            shop.toml:2:13: redelivery.x.rules[0].predicate: there is no failure predicate `wibble`
                predicate = "wibble"
                            ^^^^^^^^ there are: "is_throttled", "is_down""#]]);
    file("[[redelivery.x.rules]]\npredicate = \"wibble\"\nthen = \"discard\"\n")
        .predicates(&[])
        .refused(&expect![[r#"
            shop.toml:2:13: redelivery.x.rules[0].predicate: there is no failure predicate `wibble`
                predicate = "wibble"
                            ^^^^^^^^ there is none: register it by Hearken::builder().failure_predicate("wibble", …)"#]]);
}

#[test]
fn predicates_that_are_not_known_are_not_checked() {
    file("[[redelivery.x.rules]]\npredicate = \"odd\"\nthen = \"discard\"\n").accepted();
}
