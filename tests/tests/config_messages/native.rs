//! Where `redeliveryMode = "native"` cannot be, and why.

use expect_test::expect;
use hearken_core::listener::AttributeValue::Text;

use crate::fixture::file;

const RABBITMQ: &str = "[transport]\nurl = \"amqp://host\"\n";
const NATIVE: &str = "[container]\nredeliveryMode = \"native\"\n";
const QUEUE: (&str, hearken_core::listener::AttributeValue) = ("queue", Text("orders"));

#[test]
fn native_redelivery_is_refused_with_the_reason_where_the_queue_cannot_wait_as_the_policy_says() {
    file(format!("{RABBITMQ}{NATIVE}[redelivery.default]\nuseCollisionAvoidance = true\n"))
        .listener("a", &[QUEUE])
        .refused(&expect![[r#"
            shop.toml:4:1: container.redeliveryMode: "native" cannot wait as policy `default` says: collision avoidance spreads its waits at random
                redeliveryMode = "native"
                ^^^^^^^^^^^^^^ write redeliveryMode = "broker""#]]);
    file(format!("{RABBITMQ}{NATIVE}[redelivery.default]\nuseExponentialBackOff = true\n"))
        .listener("a", &[QUEUE])
        .refused(&expect![[r#"
            shop.toml:4:1: container.redeliveryMode: "native" cannot wait as policy `default` says: redelivery 2 waits 5000 ms; waits that grow evenly from 1000 ms would be 2000 ms
                redeliveryMode = "native"
                ^^^^^^^^^^^^^^ write redeliveryMode = "broker""#]]);
    file(format!(
        "{RABBITMQ}{NATIVE}[listeners.b]\nqueueType = \"classic\"\nnonBlockingRedelivery = false\n"
    ))
    .listener("b", &[QUEUE])
    .refused(&expect![[r#"
        shop.toml:6:1: listeners.b.queueType: contradicts redeliveryMode = "native", given at shop.toml:4:1: only a quorum queue delays what is retried
            queueType = "classic"
            ^^^^^^^^^ write redeliveryMode = "broker"
        shop.toml:7:1: listeners.b.nonBlockingRedelivery: contradicts redeliveryMode = "native", given at shop.toml:4:1: a message that waits at the broker is overtaken
            nonBlockingRedelivery = false
            ^^^^^^^^^^^^^^^^^^^^^ write redeliveryMode = "client""#]]);
    file(NATIVE).listener("a", &[QUEUE]).refused(&expect![[r#"
        shop.toml:2:1: container.redeliveryMode: "native" is of RabbitMQ's quorum queues: the embedded broker has none
            redeliveryMode = "native"
            ^^^^^^^^^^^^^^ write redeliveryMode = "broker""#]]);
    file(format!("{RABBITMQ}{NATIVE}[redelivery.default]\ninitialRedeliveryDelay = \"1h\"\n"))
        .listener("a", &[QUEUE])
        .accepted();
}
