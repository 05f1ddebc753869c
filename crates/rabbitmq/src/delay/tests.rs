use super::*;
use proptest::prelude::*;

/// Whether a topic pattern matches a key, as AMQP defines it.
fn matches(pattern: &[&str], key: &[&str]) -> bool {
    match (pattern.split_first(), key.split_first()) {
        (None, None) => true,
        (Some((&"#", rest)), _) => (0..=key.len()).any(|skip| matches(rest, &key[skip..])),
        (Some((&"*", pattern)), Some((_, key))) => matches(pattern, key),
        (Some((word, pattern)), Some((first, key))) => word == first && matches(pattern, key),
        _ => false,
    }
}

fn routed(pattern: &str, key: &str) -> bool {
    matches(&pattern.split('.').collect::<Vec<_>>(), &key.split('.').collect::<Vec<_>>())
}

/// Follows a message through the exchanges: how long it waits, and which of `queues` get it.
fn journey<'a>(seconds: u32, queue: &str, queues: &[&'a str]) -> (u32, Vec<&'a str>) {
    let key = routing_key(seconds, queue);
    let mut waited = 0;
    if let Some(first) = (Wait { seconds, hold: Duration::ZERO, rest: Duration::ZERO }).level() {
        for level in (0..=first).rev() {
            let (waits, passes) =
                (routed(&level_pattern(level, true), &key), routed(&level_pattern(level, false), &key));
            assert!(waits != passes, "exactly one way at level {level} for {key}");
            waited += if waits { 1 << level } else { 0 };
        }
    }
    let reached = queues.iter().filter(|name| routed(&deliver_pattern(name), &key)).copied().collect();
    (waited, reached)
}

#[test]
fn orders_does_not_get_what_is_meant_for_foo_orders() {
    let queues = ["orders", "foo.orders", "1.orders", "foo", "orders.foo"];
    for queue in queues {
        assert_eq!(journey(5, queue, &queues), (5, vec![queue]));
    }
}

#[test]
fn odd_and_long_names_are_hashed_the_same_way_for_ever() {
    assert_eq!(token("orders.v2-a_B"), "orders.v2-a_B");
    assert_eq!(token(&"q".repeat(200)), "q".repeat(200));
    // Pinned: another value would leave waiting messages of an older version without a queue.
    assert_eq!(token("orders #1"), "f52587f67c75a79c");
    for odd in ["*", "#", "", "a b", "ü", &"q".repeat(201)] {
        assert_eq!(token(odd).len(), 16, "{odd}");
        assert_eq!(routing_key(MOST_SECONDS, odd).split('.').count(), 15);
    }
}

#[test]
fn two_hours_and_fifteen_percent_fit_one_round() {
    let wait = Wait::new(Duration::from_secs(7200).mul_f64(1.15));
    assert_eq!((wait.seconds, wait.rest), (8280, Duration::ZERO));
    assert_eq!(wait.level(), Some(13));
}

#[test]
fn a_wait_below_a_second_is_a_hold_only() {
    let wait = Wait::new(Duration::from_micros(300_001));
    assert_eq!((wait.level(), wait.hold), (None, Duration::from_millis(301)));
    assert_eq!(Wait::new(Duration::ZERO), Wait { seconds: 0, hold: Duration::ZERO, rest: Duration::ZERO });
}

#[test]
fn a_wait_that_no_round_can_hold_is_not_cut() {
    let wait = Wait::new(Duration::from_millis(16_383_000 + 1_000));
    assert_eq!((wait.seconds, wait.rest), (MOST_SECONDS, Duration::from_secs(1)));
    assert!(Wait::new(Duration::MAX).rest > Duration::from_secs(1 << 50));
}

proptest! {
    #[test]
    fn rounds_add_up_to_the_wait(millis in 0u64..200_000_000) {
        let (mut left, mut waited) = (Duration::from_millis(millis), Duration::ZERO);
        for _ in 0..20 {
            let wait = Wait::new(left);
            prop_assert!(wait.hold < Duration::from_secs(1) && wait.seconds <= MOST_SECONDS);
            waited += Duration::from_secs(wait.seconds.into()) + wait.hold;
            left = wait.rest;
            if left.is_zero() {
                break;
            }
        }
        prop_assert_eq!(waited, Duration::from_millis(millis));
    }

    #[test]
    fn the_digits_lead_through_exactly_the_wait_to_exactly_the_queue(
        seconds in 0..=MOST_SECONDS,
        queue in "[a-z.#*]{1,12}",
        other in "[a-z.#*]{1,12}",
    ) {
        prop_assume!(queue != other);
        prop_assert_eq!(journey(seconds, &queue, &[&queue, &other]), (seconds, vec![&*queue]));
        prop_assert!(routing_key(seconds, &"x".repeat(255)).len() <= 255);
    }
}
