use crate::state::slab::{Key, QueueId};
use crate::state::topic::Topics;
use proptest::collection::vec;
use proptest::prelude::{Strategy, prop_assert_eq, proptest};
use std::time::{Duration, Instant};

/// AMQP's definition, word by word.
fn naive(pattern: &[&str], key: &[&str]) -> bool {
    match (pattern, key) {
        ([], []) => true,
        (["#", rest @ ..], key) => (0..=key.len()).any(|skipped| naive(rest, &key[skipped..])),
        (["*", rest @ ..], [_, key @ ..]) => naive(rest, key),
        ([word, rest @ ..], [first, key @ ..]) => word == first && naive(rest, key),
        _ => false,
    }
}

fn split(text: &str) -> Vec<&str> {
    if text.is_empty() { Vec::new() } else { text.split('.').collect() }
}

fn dotted(words: &'static [&'static str]) -> impl Strategy<Value = String> {
    vec(0..words.len(), 0..6)
        .prop_map(move |picks| picks.into_iter().map(|at| words[at]).collect::<Vec<_>>().join("."))
}

fn routed(topics: &mut Topics, key: &str) -> Vec<usize> {
    let mut queues = Vec::new();
    topics.route(key, &mut queues);
    let mut queues: Vec<_> = queues.into_iter().map(Key::index).collect();
    queues.sort_unstable();
    queues.dedup();
    queues
}

proptest! {
    #[test]
    fn topics_match_as_amqp_defines(
        patterns in vec(dotted(&["a", "b", "", "*", "#", "a*"]), 1..8),
        keys in vec(dotted(&["a", "b", "", "*", "#", "a*"]), 1..8),
        gone in 0usize..8,
    ) {
        let mut topics = Topics::new();
        for (at, pattern) in patterns.iter().enumerate() {
            topics.bind(pattern, QueueId::at(at));
        }
        topics.unbind_all(QueueId::at(gone));
        for key in &keys {
            let expected: Vec<_> = (0..patterns.len())
                .filter(|at| *at != gone && naive(&split(&patterns[*at]), &split(key)))
                .collect();
            prop_assert_eq!(routed(&mut topics, key), expected, "{:?} {:?}", patterns, key);
        }
    }
}

#[test]
fn an_empty_key_has_no_word_and_a_dot_separates_two() {
    let mut topics = Topics::new();
    for (at, pattern) in ["#", "*", "", "*.*", "."].into_iter().enumerate() {
        topics.bind(pattern, QueueId::at(at));
    }
    assert_eq!(routed(&mut topics, ""), [0, 2]);
    assert_eq!(routed(&mut topics, "."), [0, 3, 4]);
    assert_eq!(routed(&mut topics, "a"), [0, 1]);
}

#[test]
fn many_hashes_and_a_long_key_cost_no_power() {
    let mut topics = Topics::new();
    topics.bind(&format!("{}.b", ["#.a"; 60].join(".")), QueueId::at(0));
    let key = ["a"; 127].join(".");
    // A backtracking matcher would not end at all.
    let start = Instant::now();
    assert!(routed(&mut topics, &key).is_empty());
    assert!(start.elapsed() < Duration::from_secs(5));
}
