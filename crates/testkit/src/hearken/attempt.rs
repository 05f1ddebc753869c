use hearken_core::history::FailureRecord;
use hearken_core::verdict::Verdict;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// One call of a listener's function.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TestAttempt {
    /// The listener's id.
    pub listener: Arc<str>,
    /// The number of the call for this message; the first is 1. A deferred message has several calls of one number.
    pub number: u64,
    /// When it began, in virtual time since the start.
    pub began: Duration,
    /// When it ended; `None` while it runs.
    pub ended: Option<Duration>,
    /// How it ended.
    pub outcome: TestOutcome,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TestOutcome {
    /// It runs.
    Running,
    /// Handled.
    Acknowledged,
    /// It failed, and the policy grants another attempt.
    Redelivered {
        /// How.
        failure: FailureRecord,
        /// The wait that the policy decided.
        after: Duration,
    },
    /// It comes again without a burned attempt, by the listener's decision or by a rule of the policy.
    Deferred {
        /// How it failed, if it did.
        failure: Option<FailureRecord>,
        /// The wait.
        after: Duration,
    },
    /// It failed, and the circuit breaker paused the listener. No attempt is burned.
    Paused {
        /// How.
        failure: FailureRecord,
        /// For how long.
        pause: Duration,
    },
    /// It failed for good and becomes a dead letter, or is dropped if the listener keeps none.
    DeadLettered {
        /// How.
        failure: FailureRecord,
        /// Whether the policy's limit was reached.
        exhausted: bool,
    },
    /// It is dropped.
    Discarded {
        /// Why.
        reason: String,
    },
    /// The connection or its consumer was lost during the call: it comes again.
    Lost,
}

impl TestOutcome {
    /// How the call failed, if it did.
    pub fn failure(&self) -> Option<&FailureRecord> {
        match self {
            Self::Redelivered { failure, .. }
            | Self::Paused { failure, .. }
            | Self::DeadLettered { failure, .. } => Some(failure),
            Self::Deferred { failure, .. } => failure.as_ref(),
            _ => None,
        }
    }
}

impl From<&Verdict> for TestOutcome {
    fn from(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Acknowledge => Self::Acknowledged,
            Verdict::Redeliver { failure, after } => {
                Self::Redelivered { failure: failure.into(), after: *after }
            }
            Verdict::Defer { failure, after } => {
                Self::Deferred { failure: failure.as_ref().map(FailureRecord::from), after: *after }
            }
            Verdict::Pause { failure, pause } => Self::Paused { failure: failure.into(), pause: *pause },
            Verdict::DeadLetter { failure, exhausted } => {
                Self::DeadLettered { failure: failure.into(), exhausted: *exhausted }
            }
            Verdict::Discard { reason } => Self::Discarded { reason: reason.clone() },
            Verdict::Abandon { failure, .. } => Self::Discarded { reason: failure.to_string() },
        }
    }
}

/// As in the story of a message.
impl fmt::Display for TestOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let failed = |f: &mut fmt::Formatter<'_>, FailureRecord { kind, code, text }: &FailureRecord| {
            write!(f, "failed ({}", kind.as_str())?;
            if let Some(code) = code {
                write!(f, " {code}")?;
            }
            write!(f, "): {text}; ")
        };
        if let Some(failure) = self.failure() {
            failed(f, failure)?;
        }
        match self {
            Self::Running => f.write_str("has not ended"),
            Self::Acknowledged => f.write_str("acknowledged"),
            Self::Redelivered { after, .. } => write!(f, "again in {}", Span(*after)),
            Self::Deferred { after, .. } => write!(f, "deferred by {}", Span(*after)),
            Self::Paused { pause, .. } => write!(f, "the listener pauses for {}", Span(*pause)),
            Self::DeadLettered { exhausted: true, .. } => f.write_str("dead letter, the limit is reached"),
            Self::DeadLettered { exhausted: false, .. } => f.write_str("dead letter"),
            Self::Discarded { reason } => write!(f, "discarded: {reason}"),
            Self::Lost => f.write_str("lost with its channel; the message comes again"),
        }
    }
}

/// A time as people read it: `2h 5m 0.2s`.
pub(super) struct Span(pub(super) Duration);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = self.0.as_secs();
        let mut parts = Vec::new();
        for (size, unit, within) in [(86_400, "d", u64::MAX), (3600, "h", 24), (60, "m", 60)] {
            let count = whole / size % within;
            if count > 0 {
                parts.push(format!("{count}{unit}"));
            }
        }
        let rest = Duration::new(whole % 60, self.0.subsec_millis() * 1_000_000);
        if !rest.is_zero() || parts.is_empty() {
            parts.push(if rest.is_zero() { "0s".to_owned() } else { format!("{rest:?}") });
        }
        f.write_str(&parts.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_days_hours_minutes_and_seconds() {
        let told = |millis| Span(Duration::from_millis(millis)).to_string();
        assert_eq!(told(0), "0s");
        assert_eq!(told(200), "200ms");
        assert_eq!(told(61_500), "1m 1.5s");
        assert_eq!(told(7_200_000), "2h");
        assert_eq!(told(604_800_000 + 1000), "7d 1s");
    }
}
