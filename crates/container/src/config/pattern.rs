//! ActiveMQ's patterns of destinations, and which of several is the most specific.

use std::cmp::Ordering;

/// A pattern: words between dots, of which `*` stands for any one, and `>` at the end for any number, none included:
/// `orders.>` is also for `orders`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pattern<'a>(&'a str);

impl<'a> Pattern<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self(text)
    }

    /// The words, and whether more may follow.
    fn words(self) -> (Vec<&'a str>, bool) {
        let mut words: Vec<_> = self.0.split('.').collect();
        let open = words.last() == Some(&">");
        if open {
            words.pop();
        }
        (words, open)
    }

    pub(super) fn matches(self, queue: &str) -> bool {
        let (words, open) = self.words();
        let names: Vec<_> = queue.split('.').collect();
        let long_enough = if open { names.len() >= words.len() } else { names.len() == words.len() };
        long_enough && words.iter().zip(&names).all(|(word, name)| *word == "*" || word == name)
    }

    /// Whether it matches all that the other does.
    pub(super) fn covers(self, other: Self) -> bool {
        let ((words, open), (others, other_open)) = (self.words(), other.words());
        let wide_enough =
            if open { others.len() >= words.len() } else { !other_open && others.len() == words.len() };
        wide_enough && words.iter().zip(&others).all(|(word, other)| *word == "*" || word == other)
    }

    /// Whether it is the more specific of two for a queue that both match. Of two where neither covers the other that
    /// which comes first by its text is taken, as in ActiveMQ.
    fn compare(self, other: Self) -> Ordering {
        self.0.cmp(other.0)
    }
}

/// The most specific of those that match.
pub(super) fn choose<'a>(queue: &str, patterns: impl IntoIterator<Item = Pattern<'a>>) -> Choice<'a> {
    let fitting: Vec<_> = patterns.into_iter().filter(|pattern| pattern.matches(queue)).collect();
    if let Some(own) = fitting.iter().find(|pattern| pattern.0 == queue) {
        return Choice { best: Some(*own), rival: None };
    }
    let narrower = |one: Pattern<'_>, other: Pattern<'_>| other.covers(one) && !one.covers(other);
    let mut narrowest: Vec<_> =
        fitting.iter().copied().filter(|one| !fitting.iter().any(|other| narrower(*other, *one))).collect();
    narrowest.sort_by(|one, other| one.compare(*other));
    narrowest.dedup();
    let mut narrowest = narrowest.into_iter();
    Choice { best: narrowest.next(), rival: narrowest.next() }
}

/// What was chosen, and another that is no less specific.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice<'a> {
    pub(super) best: Option<Pattern<'a>>,
    pub(super) rival: Option<Pattern<'a>>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Pattern, choose};

    #[test]
    fn a_star_is_one_word_and_an_angle_any_number() {
        for (pattern, fitting, others) in [
            ("orders", &["orders"][..], &["orders.eu", "order", ""][..]),
            ("orders.*", &["orders.eu"], &["orders", "orders.eu.new", "returns.eu"]),
            ("*.eu", &["orders.eu", ".eu"], &["eu", "orders.us", "a.b.eu"]),
            ("orders.>", &["orders", "orders.eu", "orders.eu.new"], &["order", "ordersx", "orders2.eu"]),
            ("orders.*.>", &["orders.eu", "orders.eu.new"], &["orders"]),
            (">", &["orders", "a.b.c"], &[]),
            ("*", &["orders"], &["a.b"]),
        ] {
            assert!(fitting.iter().all(|queue| Pattern::new(pattern).matches(queue)), "{pattern}");
            assert!(!others.iter().any(|queue| Pattern::new(pattern).matches(queue)), "{pattern}");
        }
    }

    #[test]
    fn the_narrowest_pattern_counts_and_the_name_itself_before_all() {
        let chosen = |queue, patterns: &[&'static str]| {
            let choice = choose(queue, patterns.iter().map(|pattern| Pattern::new(pattern)));
            (choice.best.map(|best| best.0), choice.rival.is_some())
        };
        let all = [">", "orders.>", "orders.eu.>", "orders.*", "orders.eu"];
        assert_eq!(chosen("orders.eu", &all), (Some("orders.eu"), false));
        assert_eq!(chosen("orders.us", &all), (Some("orders.*"), false));
        assert_eq!(chosen("orders.eu.new", &all), (Some("orders.eu.>"), false));
        assert_eq!(chosen("orders", &all), (Some("orders.>"), false));
        assert_eq!(chosen("returns", &all), (Some(">"), false));
        assert_eq!(chosen("returns", &["orders.>"]), (None, false));
        assert_eq!(chosen("orders.eu", &["orders.*", "*.eu"]), (Some("*.eu"), true));
    }

    fn pattern() -> impl Strategy<Value = String> {
        ("([ab*](\\.[ab*]){0,3}(\\.>)?|>)").prop_map(|text| text)
    }

    proptest! {
        #[test]
        fn what_covers_matches_at_least_as_much(
            one in pattern(), other in pattern(), queue in "[ab](\\.[ab]){0,4}",
        ) {
            let (one, other) = (Pattern::new(&one), Pattern::new(&other));
            prop_assert!(!one.covers(other) || !other.matches(&queue) || one.matches(&queue));
            prop_assert!(one.covers(one));
        }

        #[test]
        fn the_choice_fits_has_no_narrower_one_beside_it_and_knows_no_order(
            texts in prop::collection::vec(pattern(), 0..6), queue in "[ab](\\.[ab]){0,4}",
        ) {
            let patterns: Vec<_> = texts.iter().map(|text| Pattern::new(text)).collect();
            let choice = choose(&queue, patterns.iter().copied());
            prop_assert_eq!(choice, choose(&queue, patterns.iter().rev().copied()));
            match choice.best {
                Some(best) => {
                    prop_assert!(best.matches(&queue));
                    let narrower = |other: &&Pattern<'_>| {
                        other.matches(&queue) && best.covers(**other) && !other.covers(best)
                    };
                    prop_assert_eq!(patterns.iter().find(narrower), None);
                }
                None => prop_assert!(!patterns.iter().any(|pattern| pattern.matches(&queue))),
            }
        }
    }
}
