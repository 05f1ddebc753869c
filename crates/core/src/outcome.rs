//! What a call decided, and what a handler may return.

use crate::BoxError;
use crate::failure::Failure;
use std::time::Duration;

/// What one handler call decided about its message.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// Handled.
    Acknowledge,
    /// Failed: again by the redelivery policy, or after a wait the handler chose.
    Redeliver {
        /// Why.
        failure: Failure,
        /// The handler's wait; `None` leaves it to the policy. The limit is the policy's either way.
        after: Option<Duration>,
    },
    /// Not now: again after this time, without burning an attempt.
    Defer {
        /// The wait.
        after: Duration,
    },
    /// To the dead letter queue, at once.
    DeadLetter {
        /// Why.
        failure: Failure,
    },
    /// Dropped on purpose.
    Discard {
        /// Why, for the log.
        reason: String,
    },
}

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Self {
        if failure.kind().is_retryable() {
            Self::Redeliver { failure, after: None }
        } else {
            Self::DeadLetter { failure }
        }
    }
}

/// A handler's decision in words: RocketMQ's two answers, and four that go past them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Handled.
    Commit,
    /// Failed: again by the redelivery policy.
    ReconsumeLater,
    /// Failed: again after this time. Counts as an attempt.
    RetryAfter(Duration),
    /// Not now: again after this time. Burns no attempt.
    Defer(Duration),
    /// To the dead letter queue, with this reason.
    DeadLetter(String),
    /// Dropped, with this reason in the log.
    Discard(String),
}

impl Action {
    /// Failed: again after `wait` instead of the policy's wait. Counts as an attempt.
    pub fn retry_after(wait: Duration) -> Self {
        Self::RetryAfter(wait)
    }

    /// Not now: again after `wait`, without burning an attempt.
    pub fn defer(wait: Duration) -> Self {
        Self::Defer(wait)
    }

    /// To the dead letter queue at once.
    pub fn dead_letter(reason: impl Into<String>) -> Self {
        Self::DeadLetter(reason.into())
    }

    /// Dropped on purpose.
    pub fn discard(reason: impl Into<String>) -> Self {
        Self::Discard(reason.into())
    }
}

/// What a `#[listener]` function may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not something a #[listener] function can return",
    label = "not a listener's return type",
    note = "return `()`, `Result<(), E>`, `Action`, `Result<Action, E>` or `Option<Action>`, where `E` is an error (`E: Into<Box<dyn Error + Send + Sync>>`) or `Failure`"
)]
pub trait IntoOutcome {
    /// The outcome of the call.
    fn into_outcome(self) -> Outcome;
}

#[diagnostic::do_not_recommend]
impl IntoOutcome for () {
    fn into_outcome(self) -> Outcome {
        Outcome::Acknowledge
    }
}

#[diagnostic::do_not_recommend]
impl IntoOutcome for Action {
    fn into_outcome(self) -> Outcome {
        let requested = || Failure::from("the handler asked for a redelivery");
        match self {
            Self::Commit => Outcome::Acknowledge,
            Self::ReconsumeLater => Outcome::Redeliver { failure: requested(), after: None },
            Self::RetryAfter(wait) => Outcome::Redeliver { failure: requested(), after: Some(wait) },
            Self::Defer(after) => Outcome::Defer { after },
            Self::DeadLetter(reason) => Outcome::DeadLetter { failure: Failure::permanent(reason) },
            Self::Discard(reason) => Outcome::Discard { reason },
        }
    }
}

/// `None` means again, as `null` does in RocketMQ.
#[diagnostic::do_not_recommend]
impl IntoOutcome for Option<Action> {
    fn into_outcome(self) -> Outcome {
        self.unwrap_or(Action::ReconsumeLater).into_outcome()
    }
}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError>> IntoOutcome for Result<(), E> {
    fn into_outcome(self) -> Outcome {
        self.map_or_else(|error| Failure::from(error).into(), IntoOutcome::into_outcome)
    }
}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError>> IntoOutcome for Result<Action, E> {
    fn into_outcome(self) -> Outcome {
        self.map_or_else(|error| Failure::from(error).into(), IntoOutcome::into_outcome)
    }
}

#[diagnostic::do_not_recommend]
impl IntoOutcome for Result<(), Failure> {
    fn into_outcome(self) -> Outcome {
        self.map_or_else(Outcome::from, IntoOutcome::into_outcome)
    }
}

#[diagnostic::do_not_recommend]
impl IntoOutcome for Result<Action, Failure> {
    fn into_outcome(self) -> Outcome {
        self.map_or_else(Outcome::from, IntoOutcome::into_outcome)
    }
}
