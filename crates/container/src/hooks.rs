//! Hooks: code of the application that hears of failures. They change nothing, and break nothing.

use hearken_core::delivery::Origin;
use hearken_core::failure::Failure;
use hearken_core::message::Message;
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
