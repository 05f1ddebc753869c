//! Hooks: code of the application that hears of failures. They change nothing, and break nothing.

use hearken_core::delivery::Origin;
use hearken_core::failure::Failure;
use hearken_core::message::Message;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// A delivery whose handler call failed, after its settlement was decided.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FailedDelivery<'a> {
    /// The listener's id.
    pub listener: &'a str,
    /// The message.
    pub message: &'a Message,
    /// Where it came from.
    pub origin: &'a Origin,
    /// The number of the call that failed; the first is 1.
    pub attempt: u64,
    /// How it failed.
    pub failure: &'a Failure,
    /// What was decided.
    pub decision: FailureDecision,
}

/// What was decided about a failed delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureDecision {
    /// It comes again after this time.
    Redeliver {
        /// The wait.
        after: Duration,
    },
    /// It becomes a dead letter.
    DeadLetter {
        /// Whether the policy's limit was reached, rather than the failure being final by itself.
        exhausted: bool,
    },
    /// It comes again after this time, by a rule of the policy that burns no attempt.
    Defer {
        /// The wait.
        after: Duration,
    },
    /// It comes again after a pause of its listener, by a rule of the policy that burns no attempt.
    Pause {
        /// How long the listener pauses.
        pause: Duration,
    },
    /// It is dropped, by the policy.
    Discard {
        /// Whether the policy's limit was reached, rather than the failure being one that a rule discards.
        exhausted: bool,
    },
}

/// A failure of what carries the messages: the connection, a consumer, a copy that the broker did not take.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct InfrastructureFailure<'a> {
    /// The listener's id; `None` for the connection, which all listeners share.
    pub listener: Option<&'a str>,
    /// What failed.
    pub error: &'a (dyn Error + 'static),
}

/// A hook for failed deliveries.
pub(crate) type ErrorHandler = Arc<dyn Fn(&FailedDelivery<'_>) + Send + Sync>;
/// A hook for infrastructure failures.
pub(crate) type ExceptionListener = Arc<dyn Fn(&InfrastructureFailure<'_>) + Send + Sync>;
/// A predicate over failures.
pub(crate) type FailurePredicate = Arc<dyn Fn(&Failure) -> bool + Send + Sync>;

/// The predicates that rules name.
#[derive(Clone, Default)]
pub(crate) struct FailurePredicates(Arc<BTreeMap<String, FailurePredicate>>);

impl FailurePredicates {
    pub(crate) fn new(predicates: BTreeMap<String, FailurePredicate>) -> Self {
        Self(Arc::new(predicates))
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Whether the predicate of this name accepts the failure. One that panics does not.
    pub(crate) fn accepts(&self, name: &str, failure: &Failure) -> bool {
        let Some(predicate) = self.0.get(name) else { return false };
        catch_unwind(AssertUnwindSafe(|| predicate(failure))).unwrap_or_else(|_| {
            tracing::error!(predicate = name, "a failure predicate panicked; its rule does not hold");
            false
        })
    }
}

impl fmt::Debug for FailurePredicates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// The hooks of one listener.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub(crate) error_handler: Option<ErrorHandler>,
    pub(crate) exception_listener: Option<ExceptionListener>,
}

impl Hooks {
    pub(crate) fn delivery_failed(&self, failed: &FailedDelivery<'_>) {
        if let Some(hook) = &self.error_handler {
            guarded("errorHandler", failed.listener, || hook(failed));
        }
    }

    pub(crate) fn infrastructure_failed(&self, listener: Option<&str>, error: &(dyn Error + 'static)) {
        if let Some(hook) = &self.exception_listener {
            let failure = InfrastructureFailure { listener, error };
            guarded("exceptionListener", listener.unwrap_or("connection"), || hook(&failure));
        }
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks")
            .field("error_handler", &self.error_handler.is_some())
            .field("exception_listener", &self.exception_listener.is_some())
            .finish()
    }
}

fn guarded(hook: &'static str, of: &str, call: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(call)).is_err() {
        tracing::error!(hearken.listener = of, hook, "a hook panicked; nothing else is changed by that");
    }
}
