//! What does not fit how long the broker leaves a delivery unacknowledged.

use expect_test::expect;
use hearken_core::listener::AttributeValue::{Boolean, Text};

use crate::fixture::file;

const QUEUE: (&str, hearken_core::listener::AttributeValue) = ("queue", Text("orders"));
const RABBITMQ: &str = "[transport]\nurl = \"amqps://host\"\n";
const LONG: &str = "[redelivery.default]\ninitialRedeliveryDelay = \"40m\"\n";

#[test]
fn the_broker_takes_back_what_is_kept_too_long() {
    let text = "[container]\nholdLimit = \"10m\"\nhandlerTimeout = \"31m\"\nshutdownTimeout = \"1h\"\n[listeners.a]\nholdLimit = \"2h\"\n";
    file(format!("{RABBITMQ}{text}")).listener("a", &[QUEUE]).warned(&expect![[r#"
        shop.toml:5:1: warning: container.handlerTimeout: "31m" is longer than consumerTimeout = "30m", built in: the broker takes a delivery back that is unacknowledged for longer
            handlerTimeout = "31m"
            ^^^^^^^^^^^^^^ raise consumer_timeout on the broker, and say so in consumerTimeout
        shop.toml:8:1: warning: listeners.a.holdLimit: "2h" is longer than a third of consumerTimeout = "30m", built in: no delivery is held for longer than 10m
            holdLimit = "2h"
            ^^^^^^^^^ raise consumer_timeout on the broker, and say so in consumerTimeout"#]]);
    file(format!("{RABBITMQ}consumerTimeout = \"6h\"\n{text}")).listener("a", &[QUEUE]).accepted();
    file(format!("{RABBITMQ}consumerTimeout = 0\n{text}")).listener("a", &[QUEUE]).accepted();
    file(text).listener("a", &[QUEUE]).accepted();
    // Nobody has chosen the built-in limit.
    file(format!("{RABBITMQ}consumerTimeout = \"3s\"\n")).listener("a", &[QUEUE]).accepted();
}

#[test]
fn v21_a_wait_that_cannot_be_held_is_told_with_both_values_before_anything_starts() {
    let long = || file(format!("{RABBITMQ}{LONG}"));
    long().listener("a", &[QUEUE, ("redeliveryMode", Text("client"))]).warned(&expect![[r#"
        src/orders.rs:7:1 (attribute of a): warning: listeners.a.redeliveryMode: policy `default` waits up to 40m, and a delivery is held for 10m at most (holdLimit = "10m", built in): longer waits are spent at the broker
            shorten the waits, or raise what bounds them"#]]);
    long().listener("a", &[QUEUE, ("nonBlockingRedelivery", Boolean(false))]).warned(&expect![[r#"
        src/orders.rs:7:1 (attribute of a): warning: listeners.a.nonBlockingRedelivery: policy `default` waits up to 40m, and a delivery is held for 10m at most (holdLimit = "10m", built in): longer waits are spent at the broker, where later messages overtake
            shorten the waits, or raise what bounds them"#]]);
    long()
        .listener("a", &[("exchange", Text("news")), ("temporary", Boolean(true))])
        .refused(&expect![[r#"
            src/orders.rs:7:1 (attribute of a): listeners.a.temporary: policy `default` waits up to 40m, and a delivery is held for 10m at most (a third of consumerTimeout = "30m", built in): a copy does not find back to a temporary queue
                shorten the waits, raise what bounds them, or give the queue a name"#]]);
    let short = "consumerTimeout = \"3s\"\n[redelivery.default]\ninitialRedeliveryDelay = \"10s\"\n";
    file(format!("{RABBITMQ}{short}[container]\nredeliveryMode = \"client\"\n"))
        .listener("a", &[QUEUE])
        .warned(&expect![[r#"
            shop.toml:7:1: warning: container.redeliveryMode: policy `default` waits up to 10s, and a delivery is held for 1s at most (a third of consumerTimeout = "3s", given at shop.toml:3:1): longer waits are spent at the broker
                redeliveryMode = "client"
                ^^^^^^^^^^^^^^ shorten the waits, or raise what bounds them"#]]);
    let limit = "[container]\nholdLimit = \"1m\"\nnonBlockingRedelivery = false\n";
    file(format!("{RABBITMQ}{LONG}{limit}")).listener("a", &[QUEUE]).warned(&expect![[r#"
        shop.toml:7:1: warning: container.nonBlockingRedelivery: policy `default` waits up to 40m, and a delivery is held for 1m at most (holdLimit = "1m", given at shop.toml:6:1): longer waits are spent at the broker, where later messages overtake
            nonBlockingRedelivery = false
            ^^^^^^^^^^^^^^^^^^^^^ shorten the waits, or raise what bounds them"#]]);
    // What is always held is bounded by the broker's patience only.
    file(format!("{RABBITMQ}consumerTimeout = \"3h\"\n{LONG}"))
        .listener("a", &[("exchange", Text("news")), ("temporary", Boolean(true))])
        .accepted();
    // By themselves such waits are the broker's.
    long().listener("a", &[QUEUE]).accepted();
    file(LONG).listener("a", &[QUEUE, ("redeliveryMode", Text("client"))]).accepted();
}
