use super::*;
use hearken_core::message::{DeliveryMode, Properties};

fn original() -> Message {
    let mut properties = Properties::default();
    properties.priority = Some(7);
    properties.time_to_live = Some(Duration::from_secs(90));
    properties.user_id = Some("guest".into());
    properties.message_id = Some("id".into());
    let mut headers = Headers::from_iter([("mine", "1")]);
    headers.insert("CC", vec![HeaderValue::from("other")]);
    headers.insert("x-death", vec![HeaderValue::from("a death before us")]);
    headers.insert("x-first-death-queue", "somewhere");
    headers.insert("x-delivery-count", 3);
    Message::from_parts("body".into(), properties, headers)
}

#[test]
fn nothing_that_the_broker_acts_on_travels() {
    let mut copy = original();
    pack(&mut copy, "orders", Duration::from_millis(200), Duration::ZERO);
    assert_eq!((copy.properties().priority, copy.properties().time_to_live), (None, None));
    assert_eq!(copy.properties().user_id, None);
    assert!(
        copy.headers().iter().all(|(name, _)| name == "mine" || name.starts_with("hearken-")),
        "{copy:?}"
    );
    assert_eq!(copy.id(), Some("id"));
}

#[test]
fn what_arrives_is_what_was_sent_but_for_the_brokers_marks() {
    let mut copy = original();
    pack(&mut copy, "orders", Duration::from_millis(200), Duration::from_secs(7));
    copy.headers_mut().insert("x-death", vec![HeaderValue::from("a level")]);
    copy.headers_mut().insert("x-last-death-queue", "a level");
    let arrival = unpack(&mut copy);
    let hold = Duration::from_millis(200);
    assert_eq!(arrival, Arrival { target: Some("orders".into()), hold, rest: Duration::from_secs(7) });
    let mut want = original();
    want.properties_mut().user_id = None;
    want.headers_mut().remove("x-first-death-queue");
    want.headers_mut().remove("x-delivery-count");
    assert_eq!(copy.properties(), want.properties());
    for name in ["mine", "CC", "x-death"] {
        assert_eq!(copy.headers().get(name), want.headers().get(name), "{name}");
    }
    assert_eq!(copy.headers().len(), 3);
}

#[test]
fn a_second_round_keeps_what_the_first_saved_and_adds_no_mark_of_a_level() {
    let mut copy = original();
    copy.headers_mut().remove("x-death");
    for round in 0..3 {
        pack(&mut copy, "orders", Duration::ZERO, Duration::from_secs(round));
        copy.headers_mut().insert("x-death", vec![HeaderValue::from("a level")]);
        unpack(&mut copy);
    }
    assert_eq!(copy.properties().priority, Some(7));
    assert!(copy.headers().get("CC").is_some() && copy.headers().get("x-death").is_none());
}

#[test]
fn a_copy_is_persistent_whatever_the_original_was() {
    let mut copy = Message::new("x");
    copy.properties_mut().delivery_mode = DeliveryMode::NonPersistent;
    pack(&mut copy, "q", Duration::ZERO, Duration::ZERO);
    assert_eq!(copy.properties().delivery_mode, DeliveryMode::Persistent);
}

#[test]
fn a_copy_without_history_still_names_no_exchange_of_ours() {
    let (history, origin) = story(&Headers::new(), "orders");
    assert_eq!(history, None);
    assert_eq!((&*origin.queue, &*origin.exchange, &*origin.routing_key), ("orders", "", "orders"));
}

#[test]
fn absurd_numbers_are_ignored() {
    let mut copy =
        Message::new("x").with_header(HOLD, -5i64).with_header(REST, "soon").with_header(PRIORITY, 1_000);
    let arrival = unpack(&mut copy);
    assert_eq!(
        (arrival.hold, arrival.rest, copy.properties().priority),
        (Duration::ZERO, Duration::ZERO, None)
    );
}
