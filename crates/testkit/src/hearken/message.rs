use super::attempt::{Span, TestAttempt, TestOutcome};
use super::published::Published;
use super::record::{Id, Record, What};
use super::story::story;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A message that a test sent, to ask and to assert what became of it.
///
/// Every assertion that fails prints the story of the message: each attempt, its outcome, its wait. Assertions return
/// the message, so that they chain.
#[derive(Clone)]
pub struct TestMessage {
    record: Arc<Record>,
    id: Id,
    /// The queue it was sent to; `None` if it went to an exchange.
    queue: Option<String>,
}

impl TestMessage {
    pub(super) fn new(record: Arc<Record>, id: Id, queue: Option<String>) -> Self {
        Self { record, id, queue }
    }

    /// Its id: its own, or `test-1`, `test-2` and so on.
    pub fn id(&self) -> &str {
        self.id.as_deref().unwrap_or_default()
    }

    /// The same message in another queue: where an exchange routed it to, or the queue of its dead letter.
    #[must_use]
    pub fn in_queue(&self, queue: impl Into<String>) -> Self {
        Self { queue: Some(queue.into()), ..self.clone() }
    }

    /// The calls of the listeners of its queue, in order; of every queue if it was sent to an exchange.
    pub fn attempts(&self) -> Vec<TestAttempt> {
        let facts = self.record.facts().into_iter().filter(|fact| fact.id == self.id);
        let attempts = facts.filter_map(|fact| match fact.what {
            What::Called { queue, attempt } => {
                self.queue.as_ref().is_none_or(|wanted| **wanted == *queue).then_some(attempt)
            }
            _ => None,
        });
        attempts.collect()
    }

    /// How each attempt ended.
    pub fn outcomes(&self) -> Vec<TestOutcome> {
        self.attempts().into_iter().map(|attempt| attempt.outcome).collect()
    }

    /// How long it waited between the end of each attempt and the beginning of the next, in virtual time.
    pub fn waits(&self) -> Vec<Duration> {
        let attempts = self.attempts();
        let pairs = attempts.iter().zip(attempts.iter().skip(1));
        pairs.filter_map(|(before, after)| Some(after.began.saturating_sub(before.ended?))).collect()
    }

    /// Its dead letter; `None` if it is none.
    pub fn dead_letter(&self) -> Option<Published> {
        self.record.all_dead_letters().into_iter().rev().find(|letter| {
            let of = letter.message().headers().text(hearken_core::history::QUEUE);
            letter.message().id() == self.id.as_deref()
                && self.queue.as_deref().is_none_or(|queue| of == Some(queue))
        })
    }

    /// What happened to it, in all queues: a line for each attempt, with its outcome and wait.
    pub fn story(&self) -> String {
        story(&self.record.facts(), &self.id)
    }

    /// Asserts the number of attempts.
    #[track_caller]
    pub fn assert_attempts(&self, count: usize) -> &Self {
        let attempts = self.attempts().len();
        self.check(attempts == count, || format!("expected {count} attempts, found {attempts}"))
    }

    /// Asserts the waits between the attempts, in order, to the millisecond.
    #[track_caller]
    pub fn assert_waits(&self, expected: impl IntoIterator<Item = Duration>) -> &Self {
        let (expected, waits): (Vec<_>, _) = (expected.into_iter().collect(), self.waits());
        let millis = |waits: &[Duration]| waits.iter().map(Duration::as_millis).collect::<Vec<_>>();
        self.check(millis(&waits) == millis(&expected), || {
            format!("expected the waits [{}], found [{}]", spans(&expected), spans(&waits))
        })
    }

    /// Asserts the text of each failed attempt's error, in order: that it contains the one expected.
    #[track_caller]
    pub fn assert_failures<'a>(&self, expected: impl IntoIterator<Item = &'a str>) -> &Self {
        let expected: Vec<_> = expected.into_iter().collect();
        let outcomes = self.outcomes();
        let found: Vec<_> = outcomes.iter().filter_map(|outcome| Some(&*outcome.failure()?.text)).collect();
        let fits = found.len() == expected.len()
            && found.iter().zip(&expected).all(|(found, expected)| found.contains(expected));
        self.check(fits, || format!("expected the failures {expected:?}, found {found:?}"))
    }

    /// Asserts that its last attempt handled it.
    #[track_caller]
    pub fn assert_acknowledged(&self) -> &Self {
        self.assert_last("acknowledged", |outcome| matches!(outcome, TestOutcome::Acknowledged))
    }

    /// Asserts that it was dropped, by its listener or by its policy.
    #[track_caller]
    pub fn assert_discarded(&self) -> &Self {
        self.assert_last("discarded", |outcome| matches!(outcome, TestOutcome::Discarded { .. }))
    }

    /// Asserts that it became a dead letter, and gives that to look at its headers.
    #[track_caller]
    pub fn assert_dead_letter(&self) -> Published {
        match self.dead_letter() {
            Some(letter) => letter,
            None => self.fail("expected a dead letter, found none"),
        }
    }

    #[track_caller]
    fn assert_last(&self, expected: &str, accepts: impl FnOnce(&TestOutcome) -> bool) -> &Self {
        let last = self.outcomes().pop();
        let found = last.as_ref().map_or_else(|| "no attempt".to_owned(), ToString::to_string);
        self.check(last.as_ref().is_some_and(accepts), || format!("expected {expected}, found: {found}"))
    }

    #[track_caller]
    fn check(&self, holds: bool, wrong: impl FnOnce() -> String) -> &Self {
        if !holds {
            self.fail(&wrong())
        }
        self
    }

    #[track_caller]
    fn fail(&self, wrong: &str) -> ! {
        panic!("{wrong}\n{}", self.story())
    }
}

fn spans(waits: &[Duration]) -> String {
    waits.iter().map(|wait| Span(*wait).to_string()).collect::<Vec<_>>().join(", ")
}

/// The story.
impl fmt::Debug for TestMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.story())
    }
}
