//! What listeners and their tables say of each other.

use expect_test::expect;
use hearken_core::listener::AttributeValue::{Integer, Text};

use crate::fixture::{Fixture, descriptor, file};

#[test]
fn e16_dead_letters_do_not_go_back_to_their_own_queue() {
    file("[listeners.on_order]\ndeadLetter = \"orders\"\n[listeners.on_dead]\nqueue = \"ActiveMQ.DLQ\"\n")
        .listener("on_order", &[("queue", Text("orders"))])
        .listener("on_dead", &[("queue", Text("dead"))])
        .refused(&expect![[r#"
            shop.toml:2:14: listeners.on_order.deadLetter: the dead letters of `orders` would go round: orders → orders
                deadLetter = "orders"
                             ^^^^^^^^ name another queue, or write deadLetterStrategy = "discarding"
            shop.toml:4:9: listeners.on_dead.deadLetter: the dead letters of `ActiveMQ.DLQ` would go round: ActiveMQ.DLQ → ActiveMQ.DLQ
                queue = "ActiveMQ.DLQ"
                        ^^^^^^^^^^^^^^ name another queue, or write deadLetterStrategy = "discarding""#]]);
}

#[test]
fn e16_dead_letters_do_not_go_round_over_two_listeners() {
    file("[listeners.a]\ndeadLetter = \"queue.b\"\n[listeners.b]\ndeadLetter = \"queue.a\"\n")
        .listener("a", &[("queue", Text("queue.a"))])
        .listener("b", &[("queue", Text("queue.b"))])
        .refused(&expect![[r#"
            shop.toml:2:14: listeners.a.deadLetter: dead letters would go round: queue.a → queue.b → queue.a
                deadLetter = "queue.b"
                             ^^^^^^^^^ end at a queue without listener"#]]);
}

#[test]
fn e16_the_way_round_is_told_where_someone_wrote_it() {
    file("[listeners.on_dead]\nqueue = \"ActiveMQ.DLQ\"\ndeadLetter = \"orders\"\n")
        .listener("on_order", &[("queue", Text("orders"))])
        .listener("on_dead", &[("queue", Text("dead"))])
        .refused(&expect![[r#"
            shop.toml:3:14: listeners.on_dead.deadLetter: dead letters would go round: ActiveMQ.DLQ → orders → ActiveMQ.DLQ
                deadLetter = "orders"
                             ^^^^^^^^ end at a queue without listener"#]]);
}

#[test]
fn e25_a_table_without_a_listener_names_the_nearest_one() {
    file("[listeners.on_oder]\nqueue = \"orders\"\n[listeners.wibble]\nprefetch = 5\n")
        .listener("on_order", &[("queue", Text("orders"))])
        .refused(&expect![[r#"
            shop.toml:1:12: listeners.on_oder: `on_oder` is configured here, and no listener of this binary has that id
                [listeners.on_oder]
                           ^^^^^^^ did you mean `on_order`? Otherwise: if it is in a crate that nothing refers to, add hearken::link!(that_crate)
            shop.toml:3:12: listeners.wibble: `wibble` is configured here, and no listener of this binary has that id
                [listeners.wibble]
                           ^^^^^^ if it is in a crate that nothing refers to, add hearken::link!(that_crate)"#]]);
}

#[test]
fn e25_two_listeners_of_one_id_name_both_places() {
    Fixture::new()
        .listener("on_order", &[("queue", Text("orders"))])
        .listener("on_order", &[("queue", Text("orders.v2"))])
        .refused(&expect![[r#"
            src/orders.rs:7:1 (attribute of on_order): two listeners have the id `on_order`
                the other is at src/orders.rs:7:1 (attribute of on_order)"#]]);
}

#[test]
fn a_listener_needs_a_queue() {
    Fixture::new().listener("on_order", &[("prefetch", Integer(5))]).refused(&expect![[r#"
        src/orders.rs:7:1 (attribute of on_order): listeners.on_order.queue: the listener has no queue
            write queue = "…" in the attribute or under [listeners.on_order]"#]]);
}

#[test]
fn a_key_and_a_pattern_need_an_exchange_and_exclude_each_other() {
    file("[listeners.a]\nroutingKey = \"k\"\n[listeners.b]\nexchange = \"shop\"\nroutingKey = \"k\"\n")
        .listener("a", &[("queue", Text("a"))])
        .listener("b", &[("queue", Text("b")), ("binding", Text("order.*"))])
        .refused(&expect![[r#"
            shop.toml:2:1: listeners.a.routingKey: `routingKey` needs an `exchange`
                routingKey = "k"
                ^^^^^^^^^^ name the exchange that fills the queue
            src/orders.rs:7:1 (attribute of b): listeners.b.binding: `binding` contradicts `routingKey`, given at shop.toml:5:1
                routingKey is for a direct exchange, binding for a topic exchange: remove one"#]]);
}

#[test]
fn a_queue_for_dead_letters_contradicts_a_strategy_at_the_same_place() {
    file("[listeners.a]\ndeadLetter = \"dead\"\ndeadLetterStrategy = \"individual\"\n")
        .listener("a", &[("queue", Text("a"))])
        .refused(&expect![[r#"
            shop.toml:2:1: listeners.a.deadLetter: contradicts deadLetterStrategy = "individual", given at shop.toml:3:1
                deadLetter = "dead"
                ^^^^^^^^^^ a queue is named for the strategy "shared" only: remove one"#]]);
}

#[test]
fn e24_attributes_are_checked_again_because_they_may_hold_placeholders() {
    file("[values]\nqueue = \"amq.reserved\"\nmany = 0\n")
        .listener("a", &[("queue", Text("${queue}")), ("prefetch", Text("${many}")), ("handlerTimeout", Text("${none}"))])
        .refused(&expect![[r#"
            src/orders.rs:7:1 (attribute of a): listeners.a.queue: must not start with `amq.`: the broker keeps these names for itself (from ${queue})
            src/orders.rs:7:1 (attribute of a): listeners.a.prefetch: allowed: 1 to 65535; given 0 (from ${many})
                0 means unlimited in AMQP, which no listener is given
            src/orders.rs:7:1 (attribute of a): listeners.a.handlerTimeout: `none` is not in the configuration
                give it under [values], or a default: ${none:default}"#]]);
}

#[test]
fn a_listener_registered_later_is_checked_like_the_others() {
    let configuration = file("[values]\nqueue = \"orders\"\n[container]\nprefetch = 7\n").accepted();
    let late = descriptor("late", &[("queue", Text("${queue}"))]);
    let settings = configuration.listener(late, &[("concurrency", 3.into())]).unwrap();
    assert_eq!((&*settings.queue, settings.prefetch, settings.concurrency.max()), ("orders", 7, 3));
    let problems =
        configuration.listener(late, &[("concurrency", 0.into()), ("wibble", true.into())]).unwrap_err();
    expect![[r#"
        builder: listeners.late: unknown key `wibble`
            docs/configuration.md lists the keys
        builder: listeners.late.concurrency: allowed: 1 to 1000, or a range within; given 0
            write a number such as 4, or a range such as "3-10""#]]
    .assert_eq(&problems.to_string());
}

#[test]
fn a_hook_is_one_that_code_registers() {
    let fixture = || {
        file("[container]\nerrorHandler = \"alret\"\n[listeners.a]\nerrorHandler = \"alert\"\n")
            .listener("a", &[("queue", Text("a")), ("exceptionListener", Text("pager"))])
            .listener("b", &[("queue", Text("b")), ("errorHandler", Text("log"))])
    };
    fixture().hooks(&["alert", "log"]).refused(&expect![[r#"
        shop.toml:2:16: container.errorHandler: there is no error handler `alret`
            errorHandler = "alret"
                           ^^^^^^^ did you mean `alert`?
        src/orders.rs:7:1 (attribute of a): listeners.a.exceptionListener: there is no exception listener `pager`
            there are: "alert", "log""#]]);
    fixture().hooks(&[]).refused(&expect![[r#"
        shop.toml:2:16: container.errorHandler: there is no error handler `alret`
            errorHandler = "alret"
                           ^^^^^^^ there is none: register it by Hearken::builder().error_handler("alret", …)
        shop.toml:4:16: listeners.a.errorHandler: there is no error handler `alert`
            errorHandler = "alert"
                           ^^^^^^^ there is none: register it by Hearken::builder().error_handler("alert", …)
        src/orders.rs:7:1 (attribute of a): listeners.a.exceptionListener: there is no exception listener `pager`
            there is none: register it by Hearken::builder().exception_listener("pager", …)
        src/orders.rs:7:1 (attribute of b): listeners.b.errorHandler: there is no error handler `log`
            there is none: register it by Hearken::builder().error_handler("log", …)"#]]);
    let configuration = fixture().accepted();
    let hooks = |id: &str| {
        let listener = &configuration.listeners()[id];
        (listener.error_handler.clone(), listener.exception_listener.clone())
    };
    assert_eq!(hooks("a"), (Some("alert".to_owned()), Some("pager".to_owned())));
    assert_eq!(hooks("b"), (Some("log".to_owned()), None));
}

#[test]
fn the_name_of_a_hook_is_a_text() {
    file("[container]\nerrorHandler = \"\"\nexceptionListener = true\n").refused(&expect![[r#"
        shop.toml:2:16: container.errorHandler: must not be empty
            errorHandler = ""
                           ^^
        shop.toml:3:21: container.exceptionListener: expected a text, found true
            exceptionListener = true
                                ^^^^"#]]);
}
