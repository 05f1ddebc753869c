use super::{Bench, Q, message, through, to};
use hearken_core::transport::BindingKind::{Direct, Fanout, Topic};
use hearken_core::transport::{PublishError, TransportErrorKind};

#[test]
fn the_default_exchange_routes_to_the_queue_named_by_the_key() {
    let mut bench = Bench::new();
    bench.send("a");
    assert_eq!(bench.ready(Q), ["a"]);
    let consumer = bench.consumer(1);
    let origin = bench.take(consumer).origin;
    assert_eq!((&*origin.queue, &*origin.exchange, &*origin.routing_key), (Q, "", Q));
}

#[test]
fn exchanges_route_by_their_type() {
    let mut bench = Bench::new();
    bench.state.declare_queue("r", None).unwrap();
    for (exchange, kind, key) in [("d", Direct, "a.b"), ("t", Topic, "a.*"), ("f", Fanout, "")] {
        bench.state.declare_exchange(exchange, kind).unwrap();
        bench.state.bind(Q, exchange, key).unwrap();
        bench.state.bind("r", exchange, "other").unwrap();
    }
    for (exchange, q, r) in [("d", true, false), ("t", true, false), ("f", true, true)] {
        bench.publish(through(exchange, "a.b")).unwrap();
        assert_eq!((bench.ready(Q).len(), bench.ready("r").len()), (usize::from(q), usize::from(r)));
        for queue in [Q, "r"] {
            let now = bench.now;
            let bound = [("d", "a.b"), ("t", "a.*"), ("f", "")];
            bench.state.delete_queue(queue, now);
            bench.state.declare_queue(queue, None).unwrap();
            for (exchange, key) in bound {
                bench.state.bind(queue, exchange, if queue == Q { key } else { "other" }).unwrap();
            }
        }
    }
}

#[test]
fn the_origin_of_a_routed_message_is_how_its_sender_addressed_it() {
    let mut bench = Bench::new();
    bench.state.declare_exchange("shop", Topic).unwrap();
    bench.state.bind(Q, "shop", "#").unwrap();
    bench.publish(through("shop", "order.new")).unwrap();
    let consumer = bench.consumer(1);
    let origin = bench.take(consumer).origin;
    assert_eq!((&*origin.queue, &*origin.exchange, &*origin.routing_key), (Q, "shop", "order.new"));
}

#[test]
fn two_bindings_to_one_queue_deliver_once() {
    let mut bench = Bench::new();
    for (exchange, kind) in [("d", Direct), ("t", Topic), ("f", Fanout)] {
        bench.state.declare_exchange(exchange, kind).unwrap();
        for key in ["a", "a", "*", "#", "a.#"] {
            bench.state.bind(Q, exchange, key).unwrap();
        }
        bench.publish(through(exchange, "a")).unwrap();
    }
    assert_eq!(bench.ready(Q).len(), 3);
}

#[test]
fn what_no_queue_takes_is_returned_and_a_missing_exchange_refuses() {
    let mut bench = Bench::new();
    bench.state.declare_exchange("d", Direct).unwrap();
    for outgoing in [to("nowhere", message("a")), through("d", "nowhere")] {
        let error = bench.publish(outgoing).unwrap_err();
        assert!(matches!(error, PublishError::Returned { routing_key, .. } if routing_key == "nowhere"));
    }
    let error = bench.publish(through("x", "a")).unwrap_err().to_string();
    assert!(error.contains("no exchange `x`"), "{error}");
    let error = bench.publish(to(&"n".repeat(256), message("a"))).unwrap_err();
    assert!(matches!(error, PublishError::Invalid { .. }));
}

#[test]
fn names_the_protocol_cannot_carry_are_refused() {
    let mut bench = Bench::new();
    let long = "n".repeat(256);
    for name in ["", "amq.gen-1", &long] {
        let queue = bench.state.declare_queue(name, None).unwrap_err();
        let exchange = bench.state.declare_exchange(name, Direct).unwrap_err();
        let letters = bench.state.declare_queue("fine", Some(name)).unwrap_err();
        for error in [queue, exchange, letters] {
            assert_eq!(error.kind(), &TransportErrorKind::InvalidName);
            assert!(error.to_string().len() < 200);
        }
    }
    assert!(bench.state.stats("fine").is_none());
    bench.state.declare_queue(&"n".repeat(255), None).unwrap();
}

#[test]
fn an_exchange_or_dead_letter_queue_of_another_kind_is_a_mismatch() {
    let mut bench = Bench::new();
    bench.state.declare_exchange("x", Direct).unwrap();
    bench.state.declare_exchange("x", Direct).unwrap();
    let error = bench.state.declare_exchange("x", Topic).unwrap_err();
    let kind = |argument: &str, ours: &str, theirs: &str| TransportErrorKind::ArgumentMismatch {
        argument: argument.to_owned(),
        ours: ours.to_owned(),
        theirs: theirs.to_owned(),
    };
    assert_eq!(error.kind(), &kind("type", "topic", "direct"));
    bench.state.declare_queue(Q, Some("dead")).unwrap();
    bench.state.declare_queue(Q, None).unwrap();
    let error = bench.state.declare_queue(Q, Some("other")).unwrap_err();
    assert_eq!(error.kind(), &kind("x-dead-letter-routing-key", "other", "dead"));
    assert!(bench.state.stats("other").is_none());
}
