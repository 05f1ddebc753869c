//! Streams that no broker should send, through the screen and into the parser that lapin uses. `HEARKEN_FUZZ_CASES` says
//! how many (1,000 if not set): `HEARKEN_FUZZ_CASES=1000000 cargo test --release -p hearken-rabbitmq fuzz` takes minutes.
//!
//! A stack overflow of the parser ends the test's process, which no test framework can miss.

use super::frames::Frames;
use super::scan::{BODY, HEADER, HEARTBEAT, METHOD};
use amq_protocol::frame::{AMQPFrame, parse_frame};
use proptest::prelude::*;
use proptest::sample::Index;
use std::sync::Arc;

/// Deep enough to end a process whose parser follows: that takes fewer than 1,000 levels.
const BOMB: usize = 3_000;
const HEADERS: u16 = 1 << 13;

fn cases() -> ProptestConfig {
    let cases = std::env::var("HEARKEN_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { cases: cases.unwrap_or(1_000), max_shrink_iters: 2_000, ..ProptestConfig::default() }
}

fn short(text: &[u8]) -> Vec<u8> {
    [&[text.len() as u8], text].concat()
}

fn long(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_be_bytes(), bytes].concat()
}

fn frame(kind: u8, channel: u16, payload: &[u8]) -> Vec<u8> {
    [&[kind][..], &channel.to_be_bytes(), &long(payload), &[0xce]].concat()
}

fn nested(kind: u8, depth: usize) -> Vec<u8> {
    let key = if kind == b'F' { short(b"k") } else { Vec::new() };
    (1..depth).fold([&[kind][..], &long(b"")].concat(), |inner, _| {
        [&[kind][..], &long(&[&key[..], &inner].concat())].concat()
    })
}

/// A value of a header: well formed, but nested as deep as it likes and with any bytes for names.
fn value() -> BoxedStrategy<Vec<u8>> {
    let fixed = prop_oneof![
        Just(b"V".to_vec()),
        (prop::sample::select(b"tbB".to_vec()), any::<[u8; 1]>()).prop_map(|(t, v)| [&[t][..], &v].concat()),
        (prop::sample::select(b"sUu".to_vec()), any::<[u8; 2]>()).prop_map(|(t, v)| [&[t][..], &v].concat()),
        (prop::sample::select(b"Iif".to_vec()), any::<[u8; 4]>()).prop_map(|(t, v)| [&[t][..], &v].concat()),
        any::<[u8; 5]>().prop_map(|v| [&b"D"[..], &v].concat()),
        (prop::sample::select(b"lLdT".to_vec()), any::<[u8; 8]>()).prop_map(|(t, v)| [&[t][..], &v].concat()),
        (prop::sample::select(b"Sx".to_vec()), bytes(40)).prop_map(|(t, v)| [&[t][..], &long(&v)].concat()),
    ];
    let leaf = prop_oneof![
        8 => fixed,
        1 => (prop::sample::select(b"FA".to_vec()), 1..BOMB).prop_map(|(kind, depth)| nested(kind, depth)),
    ];
    leaf.prop_recursive(6, 24, 4, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            list.prop_map(|values| [&b"A"[..], &long(&values.concat())].concat()),
            table(inner).prop_map(|entries| [&b"F"[..], &long(&entries)].concat()),
        ]
    })
    .boxed()
}

fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..most)
}

fn table(value: impl Strategy<Value = Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec((bytes(12), value), 0..4).prop_map(|entries| {
        entries.into_iter().flat_map(|(key, value)| [short(&key), value].concat()).collect()
    })
}

fn header(flags: u16, headers: &[u8], texts: &[Vec<u8>; 11]) -> Vec<u8> {
    let mut payload = [&[0, 60, 0, 0][..], &0u64.to_be_bytes(), &(flags & !3).to_be_bytes()].concat();
    let mut texts = texts.iter();
    for bit in (2..16).rev().filter(|bit| flags & (1 << bit) != 0) {
        match bit {
            13 => payload.extend(long(headers)),
            12 | 11 => payload.push(1),
            6 => payload.extend([0; 8]),
            _ => payload.extend(texts.next().map(|text| short(text)).unwrap_or_default()),
        }
    }
    payload
}

/// Whole frames of the kinds that carry what a sender chose, with channels that are few.
fn frames() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let texts = || (bytes(20), bytes(20), bytes(20));
    let method = prop_oneof![
        (texts(), any::<u64>()).prop_map(|((tag, exchange, key), n)| {
            let around = [&short(&tag)[..], &n.to_be_bytes(), &[0]].concat();
            [&[0, 60, 0, 60][..], &around, &short(&exchange), &short(&key)].concat()
        }),
        texts().prop_map(|(text, exchange, key)| {
            [&[0, 60, 0, 50, 1, 56][..], &short(&text), &short(&exchange), &short(&key)].concat()
        }),
        bytes(20).prop_map(|tag| [&[0, 60, 0, 30][..], &short(&tag), &[1]].concat()),
        (prop::sample::select(vec![[0, 20, 0, 40], [0, 10, 0, 50]]), bytes(200))
            .prop_map(|(method, text)| [&method[..], &[1, 64], &short(&text), &[0; 4]].concat()),
        table(value()).prop_map(|properties| {
            [&[0, 10, 0, 10, 0, 9][..], &long(&properties), &long(b"PLAIN"), &long(b"en_US")].concat()
        }),
    ];
    let texts = || prop::array::uniform11(bytes(20));
    let content = (any::<u16>(), table(value()), texts())
        .prop_map(|(flags, entries, texts)| header(flags, &entries, &texts));
    let any_frame = prop_oneof![
        method.prop_map(|payload| (METHOD, payload)),
        content.prop_map(|payload| (HEADER, payload)),
        bytes(300).prop_map(|payload| (BODY, payload)),
        Just((HEARTBEAT, Vec::new())),
    ];
    prop::collection::vec((any_frame, 0u16..4), 1..6).prop_map(|frames| {
        frames.into_iter().map(|((kind, payload), channel)| frame(kind, channel, &payload)).collect()
    })
}

/// What comes out, and what is kept back for want of its end; whether the stream ended with an error.
struct Screened {
    out: Vec<u8>,
    back: usize,
    failed: bool,
}

/// As the stream does it: what arrives is looked at together with what was kept back.
fn screened(wire: &[u8], cuts: &[Index]) -> Screened {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(wire.len() + 1)).collect();
    cuts.extend([0, wire.len()]);
    cuts.sort_unstable();
    let mut frames = Frames::new(Arc::default(), Arc::default());
    let (mut back, mut out) = (Vec::new(), Vec::new());
    for piece in cuts.windows(2).map(|pair| &wire[pair[0]..pair[1]]) {
        back.extend_from_slice(piece);
        match frames.screen(&mut back) {
            Ok(safe) => out.extend(back.drain(..safe)),
            Err(_) => return Screened { out, back: back.len(), failed: true },
        }
    }
    Screened { out, back: back.len(), failed: false }
}

/// Reads frames until they end or cannot be understood, as lapin does; returns them and whether all was understood.
fn parsed(mut wire: &[u8]) -> (Vec<AMQPFrame>, bool) {
    let mut frames = Vec::new();
    while !wire.is_empty() {
        match parse_frame(wire) {
            Ok((rest, frame)) => {
                frames.push(frame);
                wire = rest;
            }
            Err(_) => return (frames, false),
        }
    }
    (frames, true)
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn whole_frames_with_any_content_can_be_parsed_wherever_the_stream_is_cut(
        frames in frames(),
        cuts in prop::collection::vec(any::<Index>(), 0..12),
    ) {
        let wire = frames.concat();
        let screened = screened(&wire, &cuts);
        prop_assert!(!screened.failed && screened.back == 0);
        prop_assert_eq!(screened.out.len(), wire.len());
        let (parsed, all) = parsed(&screened.out);
        prop_assert!(all, "after {} of {} frames", parsed.len(), frames.len());
        prop_assert_eq!(parsed.len(), frames.len());
    }

    #[test]
    fn damaged_streams_never_grow_and_never_end_the_process(
        frames in frames(),
        damage in prop::collection::vec((any::<Index>(), any::<u8>(), 0u8..4), 1..8),
        cuts in prop::collection::vec(any::<Index>(), 0..12),
    ) {
        let mut wire = frames.concat();
        for (at, byte, how) in damage {
            let at = at.index(wire.len());
            match how {
                0 => wire[at] = byte,
                1 => wire[at] ^= 1 << (byte % 8),
                2 => wire.insert(at, byte),
                _ => drop(wire.drain(at..(at + usize::from(byte)).min(wire.len().max(at + 1) - 1))),
            }
        }
        let screened = screened(&wire, &cuts);
        prop_assert!(screened.out.len() + screened.back <= wire.len());
        prop_assert!(screened.failed || screened.out.len() + screened.back == wire.len());
        parsed(&screened.out);
    }

    #[test]
    fn a_bomb_behind_anything_is_defused_or_never_reached(
        before in prop_oneof![bytes(40), table(value())],
        kind in prop::sample::select(b"FA".to_vec()),
        key in bytes(4),
        behind in bytes(10),
        claimed in prop_oneof![3 => Just(None), 1 => any::<u32>().prop_map(Some), 1 => (0u32..200_000).prop_map(Some)],
    ) {
        let bomb = [before, short(&key), nested(kind, BOMB), behind].concat();
        let mut payload = header(HEADERS, &bomb, &Default::default());
        if let Some(claimed) = claimed {
            payload[14..18].copy_from_slice(&claimed.to_be_bytes());
        }
        let screened = screened(&frame(HEADER, 1, &payload), &[]);
        prop_assert!(!screened.failed);
        parsed(&screened.out);
    }
}
