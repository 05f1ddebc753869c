use super::*;
use proptest::prelude::*;

/// A short string of AMQP.
fn short(text: &[u8]) -> Vec<u8> {
    [&[text.len() as u8], text].concat()
}

fn table_of(content: &[u8]) -> Vec<u8> {
    [&(content.len() as u32).to_be_bytes(), content].concat()
}

fn deliver(tag: &[u8], exchange: &[u8], routing_key: &[u8]) -> Vec<u8> {
    [&DELIVER[..], &short(tag), &7u64.to_be_bytes(), &[0], &short(exchange), &short(routing_key)].concat()
}

/// A content header with these headers and a content type.
fn content_header(content_type: &[u8], table: &[u8]) -> Vec<u8> {
    let flags = (1u16 << 15) | (1 << 13);
    [&[0, 60, 0, 0][..], &9u64.to_be_bytes(), &flags.to_be_bytes(), &short(content_type), &table_of(table)]
        .concat()
}

fn nested(kind: u8, depth: usize) -> Vec<u8> {
    let key = if kind == b'F' { short(b"k") } else { Vec::new() };
    let inner = (1..depth).fold(Vec::new(), |inner, _| [&key[..], &[kind], &table_of(&inner)].concat());
    [&short(b"k")[..], &[kind], &table_of(&inner)].concat()
}

#[test]
fn names_that_are_not_utf_8_are_repaired() {
    let mut frame = deliver(b"t", b"e\xff", "kü".as_bytes());
    assert!(repair(METHOD, &mut frame));
    assert_eq!(frame, deliver(b"t", b"e?", "kü".as_bytes()));

    let mut frame = content_header(b"te\xc3xt", &[&short(b"\xfe")[..], b"t\x01"].concat());
    assert!(repair(HEADER, &mut frame));
    assert_eq!(frame, content_header(b"te?xt", &[&short(b"?")[..], b"t\x01"].concat()));
}

#[test]
fn values_that_are_not_utf_8_stay() {
    let value = [&short(b"k")[..], b"S", &table_of(b"\xff\xfe")].concat();
    let mut frame = content_header(b"text", &value);
    assert!(!repair(HEADER, &mut frame));
    assert_eq!(frame, content_header(b"text", &value));
}

#[test]
fn tables_and_lists_are_flattened_below_the_limit_only() {
    for kind in [b'F', b'A'] {
        for (depth, flattened) in [(1, false), (MAX_DEPTH - 1, false), (MAX_DEPTH, true), (4_000, true)] {
            let before = content_header(b"", &nested(kind, depth));
            let mut after = before.clone();
            assert_eq!(repair(HEADER, &mut after), flattened, "{} {depth}", kind as char);
            let changed = before.iter().zip(&after).filter(|(a, b)| a != b).count();
            assert_eq!(changed, usize::from(flattened));
        }
    }
}

#[test]
fn the_delivery_tag_is_found() {
    assert_eq!(delivery_tag(&deliver(b"ctag", b"", b"k")), Some(7));
    assert_eq!(delivery_tag(&deliver(b"ctag", b"", b"k")[..8]), None);
    assert_eq!(delivery_tag(&RETURN), None);
}

fn value(depth: u32) -> BoxedStrategy<Vec<u8>> {
    let leaf = prop_oneof![
        Just(b"V".to_vec()),
        any::<bool>().prop_map(|b| vec![b't', u8::from(b)]),
        any::<i64>().prop_map(|n| [b"l", &n.to_be_bytes()[..]].concat()),
        proptest::collection::vec(any::<u8>(), 0..20).prop_map(|b| [b"S", &table_of(&b)[..]].concat()),
    ];
    leaf.prop_recursive(depth, 64, 4, |inner| {
        let list = proptest::collection::vec(inner.clone(), 0..4);
        let table = proptest::collection::vec(("\\PC{0,8}", inner), 0..4);
        prop_oneof![
            list.prop_map(|values| [b"A", &table_of(&values.concat())[..]].concat()),
            table.prop_map(|values| [b"F", &table_of(&pairs(values))[..]].concat()),
        ]
    })
    .boxed()
}

fn pairs(values: Vec<(String, Vec<u8>)>) -> Vec<u8> {
    values.into_iter().flat_map(|(name, value)| [short(name.as_bytes()), value].concat()).collect()
}

proptest! {
    #[test]
    fn arbitrary_bytes_neither_panic_nor_change_their_length(
        kind in 0u8..10,
        start in prop_oneof![Just(vec![]), Just(DELIVER.to_vec()), Just(RETURN.to_vec()), Just(GET_OK.to_vec()),
            Just(CHANNEL_CLOSE.to_vec()), Just(vec![0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xfc])],
        rest in proptest::collection::vec(any::<u8>(), 0..400),
    ) {
        let before = [start, rest].concat();
        let mut after = before.clone();
        let repaired = repair(kind, &mut after);
        prop_assert_eq!(before.len(), after.len());
        prop_assert_eq!(repaired, before != after);
        let _ = delivery_tag(&before);
    }

    #[test]
    fn a_second_look_finds_nothing_more(rest in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut frame = [&[0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xfc][..], &rest].concat();
        repair(HEADER, &mut frame);
        prop_assert!(!repair(HEADER, &mut frame));
    }

    #[test]
    fn well_formed_frames_stay_as_they_are(
        names in ("\\PC{0,60}", "\\PC{0,60}", "\\PC{0,60}"),
        headers in proptest::collection::vec(("\\PC{0,20}", value(8)), 0..6),
    ) {
        let before = deliver(names.0.as_bytes(), names.1.as_bytes(), names.2.as_bytes());
        let mut after = before.clone();
        prop_assert!(!repair(METHOD, &mut after) && before == after);
        let before = content_header(names.0.as_bytes(), &pairs(headers));
        let mut after = before.clone();
        prop_assert!(!repair(HEADER, &mut after) && before == after);
    }
}
