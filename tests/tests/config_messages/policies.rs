//! Policies that are legal but questionable, and those that contradict themselves.

use expect_test::expect;
use hearken_core::listener::AttributeValue::Text;

use crate::fixture::file;

#[test]
fn e07_a_multiplier_that_does_not_grow_is_a_warning() {
    file("[redelivery.x]\nuseExponentialBackOff = true\nbackOffMultiplier = 0.5\n").warned(&expect![[r#"
        shop.toml:3:1: warning: redelivery.x.backOffMultiplier: backOffMultiplier = 0.5 has no effect, it must be above 1; the waits do not change
            backOffMultiplier = 0.5
            ^^^^^^^^^^^^^^^^^"#]]);
}

#[test]
fn e08_growth_without_bound_is_a_warning() {
    file("[redelivery.x]\nuseExponentialBackOff = true\nmaximumRedeliveries = -1\n").warned(&expect![[r#"
        shop.toml:2:1: warning: redelivery.x.maximumRedeliveryDelay: the waits grow without bound: redelivery 20 would wait about 600,000 years; set maximumRedeliveryDelay
            useExponentialBackOff = true
            ^^^^^^^^^^^^^^^^^^^^^"#]]);
}

#[test]
fn e09_a_cap_below_the_delays_names_both() {
    file("[redelivery.x]\nuseExponentialBackOff = true\ninitialRedeliveryDelay = \"1s\"\nredeliveryDelay = 2000\nmaximumRedeliveryDelay = \"500ms\"\n")
        .warned(&expect![[r#"
            shop.toml:5:1: warning: redelivery.x.maximumRedeliveryDelay: maximumRedeliveryDelay = 500 ms is below redeliveryDelay = 2000 ms; the waits end at 2000 ms
                maximumRedeliveryDelay = "500ms"
                ^^^^^^^^^^^^^^^^^^^^^^ the delay is given at shop.toml:4:1
            shop.toml:5:1: warning: redelivery.x.maximumRedeliveryDelay: maximumRedeliveryDelay = 500 ms is below initialRedeliveryDelay = 1000 ms; the first wait is never capped
                maximumRedeliveryDelay = "500ms"
                ^^^^^^^^^^^^^^^^^^^^^^ the delay is given at shop.toml:3:1"#]]);
}

#[test]
fn e17_no_redelivery_and_no_dead_letter_is_a_warning() {
    file("[redelivery.never]\nmaximumRedeliveries = 0\n[container]\ndeadLetterStrategy = \"discarding\"\n")
        .listener("on_order", &[("queue", Text("orders")), ("redelivery", Text("never"))])
        .warned(&expect![[r#"
            shop.toml:4:1: warning: container.deadLetterStrategy: every failure discards its message: policy `never` has no redelivery, and there is no dead letter
                deadLetterStrategy = "discarding"
                ^^^^^^^^^^^^^^^^^^ write deadLetterStrategy = "shared" to keep them"#]]);
}

#[test]
fn no_redelivery_is_fine_where_there_is_a_dead_letter() {
    file("[redelivery.never]\nmaximumRedeliveries = 0\n")
        .listener("on_order", &[("queue", Text("orders")), ("redelivery", Text("never"))])
        .accepted();
}

#[test]
fn a_preset_and_delays_contradict_each_other() {
    file("[redelivery.x]\npreset = \"aliyun\"\nmaximumRedeliveries = 3\nredeliveryDelay = 5\n[redelivery.y]\nmaxReconsumeTimes = 3\n")
        .refused(&expect![[r#"
            shop.toml:3:1: redelivery.x.maximumRedeliveries: `maximumRedeliveries` contradicts the preset given at shop.toml:2:1
                maximumRedeliveries = 3
                ^^^^^^^^^^^^^^^^^^^ the limit of a preset is maxReconsumeTimes
            shop.toml:4:1: redelivery.x.redeliveryDelay: `redeliveryDelay` contradicts the preset given at shop.toml:2:1
                redeliveryDelay = 5
                ^^^^^^^^^^^^^^^ a preset has its own waits: remove one of the two
            shop.toml:6:1: redelivery.y.maxReconsumeTimes: `maxReconsumeTimes` counts the retries of a preset, and there is none
                maxReconsumeTimes = 3
                ^^^^^^^^^^^^^^^^^ write maximumRedeliveries, or add preset = "aliyun""#]]);
}

#[test]
fn an_unknown_policy_is_answered_with_the_nearest_one() {
    file("[redelivery.patient]\n[container]\nredelivery = \"pateint\"\n[listeners.on_order]\nredelivery = \"wibble\"\n")
        .listener("on_order", &[("queue", Text("orders"))])
        .listener("on_return", &[("queue", Text("returns")), ("redelivery", Text("patent"))])
        .refused(&expect![[r#"
            shop.toml:3:14: container.redelivery: there is no policy `pateint`
                redelivery = "pateint"
                             ^^^^^^^^^ did you mean `patient`?
            shop.toml:5:14: listeners.on_order.redelivery: there is no policy `wibble`
                redelivery = "wibble"
                             ^^^^^^^^ add [redelivery.wibble]; there are: "default", "patient"
            src/orders.rs:7:1 (attribute of on_return): listeners.on_return.redelivery: there is no policy `patent`
                did you mean `patient`?"#]]);
}

#[test]
fn an_unknown_transaction_manager_is_answered_with_the_known_ones() {
    file("[container]\ntransactionManager = \"sesion\"\n")
        .managers(&["session", "none"])
        .listener("on_order", &[("queue", Text("orders"))])
        .listener("on_return", &[("queue", Text("returns")), ("transactionManager", Text("oracle"))])
        .refused(&expect![[r#"
            shop.toml:2:22: container.transactionManager: there is no transaction manager `sesion`
                transactionManager = "sesion"
                                     ^^^^^^^^ did you mean `session`?
            src/orders.rs:7:1 (attribute of on_return): listeners.on_return.transactionManager: there is no transaction manager `oracle`
                there are: "session", "none""#]]);
}
