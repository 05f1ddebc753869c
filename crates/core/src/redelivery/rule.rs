use super::{Amendment, RedeliveryPolicy};
use crate::failure::{Failure, FailureKind};
use crate::history::FailureRecord;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::time::Duration;

/// What is done about one sort of failure. The first rule of a policy whose condition holds decides; without one the
/// policy itself does.
///
/// Rules hear of every failure: also of those that are not tried again without a rule (`permanent`, `undecodable`), and
/// of a redelivery or a dead letter that the handler asked for. A handler's own wait replaces the rule's wait.
///
/// ```
/// use hearken_core::failure::FailureKind;
/// use hearken_core::redelivery::{Amendment, Condition, RedeliveryPolicy, Response, Rule};
/// use std::time::Duration;
///
/// const RULES: &[Rule] = &[
///     Rule::new(Condition::Kind(FailureKind::Panic), Response::DeadLetter),
///     Rule::new(Condition::code("busy"), Response::Redeliver(Amendment::new().maximum_redeliveries(100))),
///     Rule::new(Condition::error_contains("refused"), Response::Pause { pause: Duration::from_secs(30) }),
/// ];
/// const PATIENT: RedeliveryPolicy = RedeliveryPolicy::new("patient").maximum_redeliveries(10).rules(RULES);
/// assert_eq!(PATIENT.rules.len(), 3);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rule {
    /// For which failures.
    pub when: Condition,
    /// What is done.
    pub then: Response,
}

impl Rule {
    /// Does `then` about failures for which `when` holds.
    pub const fn new(when: Condition, then: Response) -> Self {
        Self { when, then }
    }
}

/// Which failures a [`Rule`] is for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Condition {
    /// Those of this kind.
    Kind(FailureKind),
    /// Those with this code, see [`Failure::code`].
    Code(Cow<'static, str>),
    /// Those where the text of the error or of one of its causes contains this, case and all.
    ErrorContains(Cow<'static, str>),
    /// Those that the predicate registered under this name accepts.
    Predicate(Cow<'static, str>),
}

impl Condition {
    /// Failures with this code.
    pub const fn code(code: &'static str) -> Self {
        Self::Code(Cow::Borrowed(code))
    }

    /// Failures where the text of the error or of one of its causes contains this.
    pub const fn error_contains(text: &'static str) -> Self {
        Self::ErrorContains(Cow::Borrowed(text))
    }

    /// Failures that the predicate registered under this name accepts.
    pub const fn predicate(name: &'static str) -> Self {
        Self::Predicate(Cow::Borrowed(name))
    }
}

/// What a [`Rule`] does about a failure.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Response {
    /// Delivers the message again, with other limits or delays than the policy's.
    Redeliver(Amendment),
    /// Makes it a dead letter at once.
    DeadLetter,
    /// Drops it at once.
    Discard,
    /// Delivers it again without burning an attempt, so without a limit.
    Defer {
        /// The wait.
        after: Duration,
    },
    /// Pauses the listener as a circuit breaker does: all messages, this one included, stay with the broker and burn no
    /// attempt. After the pause one message is tried alone; if it fails in the same way the listener pauses again, else
    /// it goes on as before. The failed message itself waits for the pause at the broker, unless order must be kept.
    Pause {
        /// How long. 0 is the listener's `recoveryInterval`.
        pause: Duration,
    },
}

/// What becomes of a message whose redeliveries are used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnExhausted {
    /// A dead letter.
    #[default]
    DeadLetter,
    /// It is dropped.
    Discard,
}

impl OnExhausted {
    /// The names [`from_name`](Self::from_name) knows.
    pub const NAMES: &'static [&'static str] = &["dead-letter", "discard"];

    /// What a configuration calls `"dead-letter"` or `"discard"`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "dead-letter" => Some(Self::DeadLetter),
            "discard" => Some(Self::Discard),
            _ => None,
        }
    }

    /// The name in a configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DeadLetter => "dead-letter",
            Self::Discard => "discard",
        }
    }
}

/// Answers whether the predicate of this name accepts a failure. An unknown name accepts none.
pub type Predicates<'a> = dyn Fn(&str, &Failure) -> bool + 'a;

impl RedeliveryPolicy {
    /// What the first rule for this failure says; `None` leaves it to the policy.
    pub fn response(&self, failure: &Failure, predicates: &Predicates<'_>) -> Option<&Response> {
        let text = OnceCell::new();
        let holds = |rule: &&Rule| match &rule.when {
            Condition::Kind(kind) => *kind == failure.kind(),
            Condition::Code(code) => failure.code_name() == Some(code),
            Condition::ErrorContains(part) => text.get_or_init(|| failure.text()).contains(&**part),
            Condition::Predicate(name) => predicates(name, failure),
        };
        self.rules.iter().find(holds).map(|rule| &rule.then)
    }

    /// How many redeliveries a message was granted at most that failed last in this way; `None` for unlimited.
    ///
    /// For a message that comes back: all that is left of its failure is the record. A rule with a predicate may or may
    /// not have decided, so the largest limit counts.
    pub fn limit_after(&self, failure: &FailureRecord) -> Option<u64> {
        let granted = |rule: &Rule| match &rule.then {
            Response::Redeliver(amendment) => amendment.apply(self).limit(),
            _ => self.limit(),
        };
        let mut largest = 0;
        for rule in &*self.rules {
            let held = match &rule.when {
                Condition::Kind(kind) => *kind == failure.kind,
                Condition::Code(code) => failure.code.as_deref() == Some(code),
                Condition::ErrorContains(part) => failure.text.contains(&**part),
                Condition::Predicate(_) => {
                    largest = granted(rule)?.max(largest);
                    false
                }
            };
            if held {
                return Some(granted(rule)?.max(largest));
            }
        }
        Some(self.limit()?.max(largest))
    }
}
