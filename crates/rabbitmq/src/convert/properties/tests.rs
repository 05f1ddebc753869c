use super::*;
use crate::convert::header_size;
use hearken_core::message::{HeaderValue, Headers};
use hearken_core::time::Timestamp;
use lapin::protocol::basic::gen_properties;
use lapin::types::{AMQPValue, FieldTable};
use proptest::option::of;
use proptest::prelude::*;
use std::io::Cursor;

fn time() -> impl Strategy<Value = Timestamp> {
    (0i64..4_000_000_000).prop_map(|seconds| Timestamp::from_millis(seconds * 1000))
}

fn value() -> BoxedStrategy<HeaderValue> {
    let leaf = prop_oneof![
        Just(HeaderValue::Void),
        any::<bool>().prop_map(HeaderValue::Boolean),
        any::<i64>().prop_map(HeaderValue::Integer),
        (-1e9..1e9).prop_map(HeaderValue::Float),
        any::<(u8, u32)>().prop_map(|(scale, value)| HeaderValue::Decimal { scale, value }),
        "\\PC{0,300}".prop_map(HeaderValue::Text),
        proptest::collection::vec(any::<u8>(), 0..40).prop_map(|bytes| HeaderValue::Bytes(bytes.into())),
        time().prop_map(HeaderValue::Timestamp),
    ];
    leaf.prop_recursive(6, 40, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(HeaderValue::List),
            table(inner).prop_map(HeaderValue::Table),
        ]
    })
    .boxed()
}

/// Sorted by name, as AMQP's client keeps them.
fn table(value: impl Strategy<Value = HeaderValue>) -> impl Strategy<Value = Headers> {
    proptest::collection::btree_map("\\PC{0,20}", value, 0..5).prop_map(|map| map.into_iter().collect())
}

prop_compose! {
    fn props()(
        texts in proptest::collection::vec(of("\\PC{0,60}"), 8),
        persistent in any::<bool>(),
        priority in of(any::<u8>()),
        time_to_live in of(0u64..u64::from(u32::MAX)),
        timestamp in of(time()),
    ) -> Properties {
        let mut texts = texts.into_iter();
        let mut next = || texts.next().flatten();
        let mut properties = Properties::default();
        properties.content_type = next();
        properties.content_encoding = next();
        properties.correlation_id = next();
        properties.reply_to = next();
        properties.message_id = next();
        properties.kind = next();
        properties.user_id = next();
        properties.app_id = next();
        properties.delivery_mode = if persistent { DeliveryMode::Persistent } else { DeliveryMode::NonPersistent };
        properties.priority = priority;
        properties.time_to_live = time_to_live.map(Duration::from_millis);
        properties.timestamp = timestamp;
        properties
    }
}

proptest! {
    #[test]
    fn a_message_survives_amqp(props in props(), headers in table(value()), body in ".{0,20}") {
        let sent = Message::from_parts(body.clone().into(), props, headers);
        let wire = properties(&sent).unwrap();
        prop_assert_eq!(message(body.into_bytes(), &wire), sent);
    }

    #[test]
    fn the_size_of_a_header_is_computed_exactly(props in props(), headers in table(value())) {
        let wire = properties(&Message::from_parts(Bytes::new(), props, headers)).unwrap();
        let mut bytes = vec![0; 64 * 1024];
        let written = gen_properties(&wire)(Cursor::new(&mut bytes[..]).into()).unwrap().position;
        prop_assert_eq!(header_size(&wire) as u64, written);
    }
}

#[test]
fn integers_of_every_width_are_widened() {
    let mut table = FieldTable::default();
    for (name, value) in [
        ("b", AMQPValue::ShortShortInt(-1)),
        ("B", AMQPValue::ShortShortUInt(255)),
        ("s", AMQPValue::ShortInt(-2)),
        ("u", AMQPValue::ShortUInt(65535)),
        ("I", AMQPValue::LongInt(-3)),
        ("i", AMQPValue::LongUInt(u32::MAX)),
    ] {
        table.insert(name.into(), value);
    }
    let message = message(Vec::new(), &BasicProperties::default().with_headers(table));
    let values: Vec<_> = message.headers().iter().map(|(_, value)| value.as_integer().unwrap()).collect();
    assert_eq!(values, [255, -3, -1, 4_294_967_295, -2, 65535]);
}

#[test]
fn text_that_is_not_utf_8_is_handed_out_as_bytes() {
    let mut table = FieldTable::default();
    table.insert("k".into(), AMQPValue::LongString(vec![0xff].into()));
    let message = message(Vec::new(), &BasicProperties::default().with_headers(table));
    assert_eq!(message.headers().get("k"), Some(&HeaderValue::Bytes(Bytes::from_static(b"\xff"))));
}

#[test]
fn a_time_to_live_is_neither_lost_nor_refused() {
    let sent =
        |ttl| properties(&Message::new("").with_time_to_live(ttl)).unwrap().expiration().clone().unwrap();
    assert_eq!(sent(Duration::from_micros(1)).as_str(), "1");
    assert_eq!(sent(Duration::from_secs(1)).as_str(), "1000");
    assert_eq!(sent(Duration::MAX).as_str(), "4294967295");
    let odd = BasicProperties::default().with_expiration("soon".into());
    assert_eq!(message(Vec::new(), &odd).properties().time_to_live, None);
}

#[test]
fn what_amqp_cannot_carry_is_named() {
    let invalid = |message: &Message| properties(message).unwrap_err().to_string();
    let long = "x".repeat(256);
    assert!(invalid(&Message::new("").with_id(&*long)).contains("the message id has 256 bytes"));
    assert!(invalid(&Message::new("").with_header(&*long, 1)).contains("the name of a header has 256 bytes"));
    let deep = (0..40).fold(HeaderValue::Void, |inner, _| HeaderValue::List(vec![inner]));
    assert!(invalid(&Message::new("").with_header("k", deep)).contains("nested"));
}
