//! From outcome to verdict: what happens to a message after a call, decided purely.

use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::redelivery::{Amendment, Decision, OnExhausted, Predicates, Random, RedeliveryPolicy, Response};
use std::time::Duration;

/// What happens to a message after a call.
#[derive(Debug)]
pub enum Verdict {
    /// Acknowledged.
    Acknowledge,
    /// Comes again.
    Redeliver {
        /// Why.
        failure: Failure,
        /// When: the policy's wait, or the handler's.
        after: Duration,
    },
    /// Comes again without a burned attempt.
    Defer {
        /// The failure, when a rule defers it; `None` when the handler asked for it.
        failure: Option<Failure>,
        /// When.
        after: Duration,
    },
    /// Comes again without a burned attempt, after a pause of its listener.
    Pause {
        /// Why.
        failure: Failure,
        /// How long; 0 is the listener's `recoveryInterval`.
        pause: Duration,
    },
    /// Becomes a dead letter.
    DeadLetter {
        /// Why.
        failure: Failure,
        /// Whether the policy's limit was reached, rather than the failure being final by itself.
        exhausted: bool,
    },
    /// Is dropped because the handler says so.
    Discard {
        /// Why.
        reason: String,
    },
    /// Is dropped because the policy says so.
    Abandon {
        /// Why.
        failure: Failure,
        /// Whether the policy's limit was reached, rather than the failure being one that a rule discards.
        exhausted: bool,
    },
}

impl Verdict {
    /// Judges the outcome of handler call number `attempt` (the first is 1).
    ///
    /// The first of the policy's rules that holds for a failure decides, otherwise the policy. A handler's own wait
    /// replaces the wait of either, never a limit.
    pub fn new(
        outcome: Outcome,
        attempt: u64,
        policy: &RedeliveryPolicy,
        predicates: &Predicates<'_>,
        random: &mut dyn Random,
    ) -> Self {
        let (failure, after, is_final) = match outcome {
            Outcome::Acknowledge => return Self::Acknowledge,
            Outcome::Defer { after } => return Self::Defer { failure: None, after },
            Outcome::Discard { reason } => return Self::Discard { reason },
            Outcome::DeadLetter { failure } => (failure, None, true),
            Outcome::Redeliver { failure, after } => (failure, after, false),
        };
        let amendment = match policy.response(&failure, predicates) {
            Some(Response::DeadLetter) => return Self::DeadLetter { failure, exhausted: false },
            Some(Response::Discard) => return Self::Abandon { failure, exhausted: false },
            Some(&Response::Defer { after }) => return Self::Defer { failure: Some(failure), after },
            Some(&Response::Pause { pause }) => return Self::Pause { failure, pause },
            Some(Response::Redeliver(amendment)) => Some(amendment),
            None if is_final => return Self::DeadLetter { failure, exhausted: false },
            None => None,
        };
        match decide(policy, amendment, attempt, random) {
            Decision::Redeliver { after: wait } => Self::Redeliver { failure, after: after.unwrap_or(wait) },
            Decision::Exhausted => Self::exhausted(failure, policy),
        }
    }

    /// What becomes of a message whose redeliveries are used up.
    pub fn exhausted(failure: Failure, policy: &RedeliveryPolicy) -> Self {
        match policy.on_exhausted {
            OnExhausted::DeadLetter => Self::DeadLetter { failure, exhausted: true },
            OnExhausted::Discard => Self::Abandon { failure, exhausted: true },
        }
    }

    /// How the call failed; `None` if it did not, or nobody says how.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Acknowledge | Self::Discard { .. } => None,
            Self::Defer { failure, .. } => failure.as_ref(),
            Self::Redeliver { failure, .. }
            | Self::Pause { failure, .. }
            | Self::DeadLetter { failure, .. }
            | Self::Abandon { failure, .. } => Some(failure),
        }
    }
}

fn decide(
    policy: &RedeliveryPolicy,
    amendment: Option<&Amendment>,
    attempt: u64,
    random: &mut dyn Random,
) -> Decision {
    match amendment {
        Some(amendment) => amendment.apply(policy).decide(attempt, random),
        None => policy.decide(attempt, random),
    }
}
