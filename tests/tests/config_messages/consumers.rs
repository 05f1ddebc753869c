//! How long queues live and who may consume from them: what contradicts these.

use expect_test::expect;
use hearken_core::listener::AttributeValue::{Boolean, Integer, Text};

use crate::fixture::{Fixture, file};

#[test]
fn they_are_settings_of_one_listener() {
    file("[container]\nexclusive = true\ntemporary = true\n[listeners.a]\nautoDelete = 1\nconsumerPriority = \"high\"\n")
        .refused(&expect![[r#"
            shop.toml:2:1: container: `exclusive` is no key of [container]
                exclusive = true
                ^^^^^^^^^ it belongs to [listeners.ID]
            shop.toml:3:1: container: `temporary` is no key of [container]
                temporary = true
                ^^^^^^^^^ it belongs to [listeners.ID]
            shop.toml:5:14: listeners.a.autoDelete: expected true or false, found 1
                autoDelete = 1
                             ^ write true
            shop.toml:6:20: listeners.a.consumerPriority: expected an integer from -2147483648 to 2147483647, found the text "high"
                consumerPriority = "high"
                                   ^^^^^^"#]]);
}

#[test]
fn an_exclusive_consumer_is_alone() {
    file("[container]\nconcurrency = \"1-4\"\n[listeners.a]\nexclusive = true\n[listeners.c]\nconcurrency = 1\nexclusive = true\n")
        .listener("a", &[("queue", Text("a")), ("singleActiveConsumer", Boolean(true))])
        .listener("b", &[("queue", Text("b")), ("exclusive", Boolean(true)), ("concurrency", Integer(2))])
        .listener("c", &[("queue", Text("c")), ("concurrency", Integer(2))])
        .refused(&expect![[r#"
            shop.toml:4:1: listeners.a.exclusive: contradicts concurrency = "1-4", given at shop.toml:2:1: an exclusive consumer is the only one of its queue
                exclusive = true
                ^^^^^^^^^ write concurrency = 1 for this listener, or singleActiveConsumer in place of exclusive
            shop.toml:4:1: listeners.a.exclusive: contradicts singleActiveConsumer = true, given at src/orders.rs:7:1 (attribute of a): one suffices
                exclusive = true
                ^^^^^^^^^ exclusive refuses other consumers, singleActiveConsumer has them wait: remove one
            src/orders.rs:7:1 (attribute of b): listeners.b.exclusive: contradicts concurrency = 2, given at src/orders.rs:7:1 (attribute of b): an exclusive consumer is the only one of its queue
                write concurrency = 1 for this listener, or singleActiveConsumer in place of exclusive"#]]);
}

#[test]
fn of_several_invokers_a_single_active_consumer_leaves_all_but_one_without_work() {
    file("[container]\nconcurrency = 4\n[listeners.a]\nsingleActiveConsumer = true\n[listeners.b]\nsingleActiveConsumer = true\nconcurrency = 1\n")
        .listener("a", &[("queue", Text("a"))])
        .listener("b", &[("queue", Text("b"))])
        .warned(&expect![[r#"
            shop.toml:4:1: warning: listeners.a.singleActiveConsumer: only one invoker has messages at a time; with concurrency = 4, given at shop.toml:2:1, the other 3 stand by
                singleActiveConsumer = true
                ^^^^^^^^^^^^^^^^^^^^ write concurrency = 1 for this listener"#]]);
}

#[test]
fn a_temporary_queue_has_no_name_needs_an_exchange_and_keeps_nothing_on_the_broker() {
    file(
        "[container]\nconcurrency = 2\nredeliveryMode = \"broker\"\n\
         [listeners.a]\ntemporary = true\nautoDelete = true\nqueueType = \"quorum\"\n",
    )
    .listener("a", &[("queue", Text("a"))])
    .listener("b", &[("temporary", Boolean(true)), ("exchange", Text("news"))])
    .refused(&expect![[r#"
        shop.toml:5:1: listeners.a.temporary: contradicts queue = "a", given at src/orders.rs:7:1 (attribute of a): the broker names a temporary queue
            temporary = true
            ^^^^^^^^^ remove one of the two
        shop.toml:5:1: listeners.a.temporary: a temporary queue needs an `exchange`
            temporary = true
            ^^^^^^^^^ nobody knows its name: name the exchange that fills it
        shop.toml:5:1: listeners.a.temporary: contradicts redeliveryMode = "broker", given at shop.toml:3:1: what waits on the broker does not find back to a queue that is gone
            temporary = true
            ^^^^^^^^^ write redeliveryMode = "client" for this listener
        shop.toml:5:1: listeners.a.temporary: contradicts concurrency = 2, given at shop.toml:2:1: each invoker would have a queue, and every message, of its own
            temporary = true
            ^^^^^^^^^ write concurrency = 1 for this listener
        shop.toml:6:1: listeners.a.autoDelete: contradicts temporary = true, given at shop.toml:5:1: one suffices
            autoDelete = true
            ^^^^^^^^^^ a temporary queue is deleted in any case: remove autoDelete
        shop.toml:7:1: listeners.a.queueType: contradicts temporary = true, given at shop.toml:5:1: a quorum queue lives until it is deleted
            queueType = "quorum"
            ^^^^^^^^^ remove queueType
        shop.toml:7:1: listeners.a.queueType: contradicts autoDelete = true, given at shop.toml:6:1: a quorum queue lives until it is deleted
            queueType = "quorum"
            ^^^^^^^^^ remove queueType
        src/orders.rs:7:1 (attribute of b): listeners.b.temporary: contradicts redeliveryMode = "broker", given at shop.toml:3:1: what waits on the broker does not find back to a queue that is gone
            write redeliveryMode = "client" for this listener
        src/orders.rs:7:1 (attribute of b): listeners.b.temporary: contradicts concurrency = 2, given at shop.toml:2:1: each invoker would have a queue, and every message, of its own
            write concurrency = 1 for this listener"#]]);
}

#[test]
fn dead_letters_of_a_temporary_queue_are_not_named_after_it() {
    let text = "[container]\ndeadLetterStrategy = \"individual\"\n";
    let options = &[("temporary", Boolean(true)), ("exchange", Text("news"))];
    file(text).listener("a", options).refused(&expect![[r#"
        src/orders.rs:7:1 (attribute of a): listeners.a.temporary: contradicts deadLetterStrategy = "individual", given at shop.toml:2:1: the dead letter queue would be named after a queue without a name of its own
            name deadLetter for this listener"#]]);
    let named = format!("{text}[listeners.a]\ndeadLetter = \"news.dead\"\n");
    assert_eq!(
        file(named).listener("a", options).accepted().listeners()["a"].dead_letter.queue(),
        Some("news.dead")
    );
}

#[test]
fn a_quorum_queue_is_not_deleted_with_its_consumers() {
    file("[transport]\nqueueType = \"quorum\"\n[listeners.a]\nautoDelete = true\nqueueType = \"quorum\"\n[listeners.b]\nautoDelete = true\n")
        .listener("a", &[("queue", Text("a"))])
        .listener("b", &[("queue", Text("b"))])
        .refused(&expect![[r#"
            shop.toml:5:1: listeners.a.queueType: contradicts autoDelete = true, given at shop.toml:4:1: a quorum queue lives until it is deleted
                queueType = "quorum"
                ^^^^^^^^^ remove queueType"#]]);
}

/// The `hearken` command alone does not see attributes, which may say otherwise.
#[test]
fn what_is_inherited_contradicts_nothing_while_an_attribute_may_replace_it() {
    file(
        "[container]\nconcurrency = 4\nredeliveryMode = \"broker\"\ndeadLetterStrategy = \"individual\"\n\
         [listeners.a]\ntemporary = true\n\
         [listeners.b]\nexclusive = true\nqueue = \"b\"\n[listeners.c]\nsingleActiveConsumer = true\nqueue = \"c\"\n",
    )
    .accepted();
}

#[test]
fn a_wrong_value_contradicts_nothing() {
    Fixture::new()
        .listener("a", &[("queue", Text("a")), ("exclusive", Boolean(true)), ("concurrency", Text("4-2"))])
        .refused(&expect![[r#"
            src/orders.rs:7:1 (attribute of a): listeners.a.concurrency: the lower bound is above the upper one; given "4-2"
                write "2-4""#]]);
}
