//! From outcome to verdict: what happens to a message after a call, decided purely.

use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::redelivery::{Decision, Random, RedeliveryPolicy};
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
        /// When.
        after: Duration,
    },
    /// Becomes a dead letter.
    DeadLetter {
        /// Why.
        failure: Failure,
        /// Whether the policy's limit was reached, rather than the failure being final by itself.
        exhausted: bool,
    },
    /// Is dropped.
    Discard {
        /// Why.
        reason: String,
    },
}

impl Verdict {
    /// Judges the outcome of handler call number `attempt` (the first is 1).
    ///
    /// A handler's own wait replaces the policy's, never its limit.
    pub fn new(outcome: Outcome, attempt: u64, policy: &RedeliveryPolicy, random: &mut dyn Random) -> Self {
        match outcome {
            Outcome::Acknowledge => Self::Acknowledge,
            Outcome::Defer { after } => Self::Defer { after },
            Outcome::DeadLetter { failure } => Self::DeadLetter { failure, exhausted: false },
            Outcome::Discard { reason } => Self::Discard { reason },
            Outcome::Redeliver { failure, after } => match policy.decide(attempt, random) {
                Decision::Exhausted => Self::DeadLetter { failure, exhausted: true },
                Decision::Redeliver { after: wait } => {
                    Self::Redeliver { failure, after: after.unwrap_or(wait) }
                }
            },
        }
    }
}
