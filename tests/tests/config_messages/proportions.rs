//! Values that are legal one by one and do not fit one another.

use expect_test::expect;
use hearken_core::listener::AttributeValue::{Integer, Text};

use crate::fixture::{Fixture, file};

const QUEUE: (&str, hearken_core::listener::AttributeValue) = ("queue", Text("orders"));

#[test]
fn e12_of_a_receive_timeout_beyond_the_shutdown_timeout_the_latter_wins() {
    file("[container]\nreceiveTimeout = \"1m\"\n[listeners.b]\nshutdownTimeout = 500\n")
        .listener("a", &[QUEUE])
        .listener("b", &[QUEUE])
        .warned(&expect![[r#"
            shop.toml:2:1: warning: container.receiveTimeout: "1m" is longer than shutdownTimeout = "30s", built in: shutdownTimeout wins
                receiveTimeout = "1m"
                ^^^^^^^^^^^^^^ a stop never waits for receiveTimeout
            shop.toml:4:1: warning: listeners.b.shutdownTimeout: "500ms" is shorter than receiveTimeout = "1m", given at shop.toml:2:1: shutdownTimeout wins
                shutdownTimeout = 500
                ^^^^^^^^^^^^^^^ a stop never waits for receiveTimeout"#]]);
    file("[container]\nshutdownTimeout = 0\n").listener("a", &[QUEUE]).accepted();
}

#[test]
fn a_call_may_be_longer_than_a_stop_waits() {
    file("[container]\nhandlerTimeout = \"1m\"\n[listeners.b]\nshutdownTimeout = \"5s\"\n")
        .listener("a", &[QUEUE])
        .listener("b", &[QUEUE, ("handlerTimeout", Text("10s"))])
        .listener("c", &[QUEUE, ("handlerTimeout", Integer(0))])
        .warned(&expect![[r#"
            shop.toml:2:1: warning: container.handlerTimeout: "1m" is longer than shutdownTimeout = "30s", built in: a stop may cut a call short, and its message comes again
                handlerTimeout = "1m"
                ^^^^^^^^^^^^^^ write shutdownTimeout = "1m" or more
            shop.toml:4:1: warning: listeners.b.shutdownTimeout: "5s" is shorter than handlerTimeout = "10s", given at src/orders.rs:7:1 (attribute of b): a stop may cut a call short, and its message comes again
                shutdownTimeout = "5s"
                ^^^^^^^^^^^^^^^ write shutdownTimeout = "10s" or more"#]]);
    file("[container]\nhandlerTimeout = \"30s\"\n").listener("a", &[QUEUE]).accepted();
}

#[test]
fn a_chosen_prefetch_or_size_that_fills_the_memory_is_told_with_its_figures() {
    file("[transport]\nmaxMessageBytes = \"64MiB\"\n[container]\nconcurrency = \"2-8\"\n[listeners.a]\nprefetch = 100\n")
        .listener("a", &[QUEUE])
        .listener("b", &[QUEUE, ("concurrency", Integer(1))])
        .listener("c", &[QUEUE, ("concurrency", Integer(1)), ("prefetch", Integer(16))])
        .warned(&expect![[r#"
            shop.toml:2:1: warning: transport.maxMessageBytes: one listener may hold 3.1GiB in memory: prefetch 50 × concurrency 1 × maxMessageBytes 64MiB
                maxMessageBytes = "64MiB"
                ^^^^^^^^^^^^^^^ lower one of the three, to 1GiB together
            shop.toml:6:1: warning: listeners.a.prefetch: one listener may hold 50GiB in memory: prefetch 100 × concurrency 8 × maxMessageBytes 64MiB
                prefetch = 100
                ^^^^^^^^ lower one of the three, to 1GiB together"#]]);
}

#[test]
fn default_sizes_are_nobodys_mistake_written_out_or_not() {
    Fixture::new().listener("a", &[QUEUE, ("concurrency", Integer(1000))]).accepted();
    file("[transport]\nmaxMessageBytes = \"16MiB\"\n[container]\nprefetch = 50\nconcurrency = 8\n")
        .listener("a", &[QUEUE])
        .accepted();
    file("[container]\nprefetch = 65535\nconcurrency = 1000\n[transport]\nmaxMessageBytes = 16\n")
        .listener("a", &[QUEUE])
        .accepted();
}

/// The `hearken` command alone does not see attributes, which may say otherwise.
#[test]
fn what_an_attribute_may_replace_is_not_compared() {
    file("[container]\nhandlerTimeout = \"1m\"\nprefetch = 1000\n[listeners.a]\nqueue = \"a\"\n").accepted();
}
