//! The hook of `hearken-testkit`: hears of every call and of what is decided after it. It changes nothing.

use crate::invoker::Job;
use crate::listener::ListenerRuntime;
use hearken_core::delivery::Origin;
use hearken_core::message::Message;
use hearken_core::verdict::Verdict;
use std::sync::Arc;

/// Hears of every call. Called in the invoker, which waits for it.
#[doc(hidden)]
pub trait Observer: Send + Sync + 'static {
    /// The handler is about to be called.
    fn called(&self, call: &Observed<'_>);

    /// What becomes of the delivery is decided, and about to be done. Without a call before it for a delivery that no
    /// handler may see.
    fn decided(&self, call: &Observed<'_>, verdict: &Verdict);

    /// The delivery was lost during its call, whose result cannot be used.
    fn lost(&self, call: &Observed<'_>);
}

/// One call of a handler.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Observed<'a> {
    /// The listener's id.
    pub listener: &'a Arc<str>,
    /// The message.
    pub message: &'a Message,
    /// Where it came from.
    pub origin: &'a Origin,
    /// The number of the call; the first is 1.
    pub attempt: u64,
}

impl ListenerRuntime {
    pub(crate) fn observe(&self, job: &Job, tell: impl FnOnce(&dyn Observer, &Observed<'_>)) {
        if let Some(observer) = &self.observer {
            let Job { message, origin, .. } = job;
            let attempt = job.attempt();
            tell(&**observer, &Observed { listener: &self.id, message, origin, attempt });
        }
    }
}
