use std::time::Duration;

use super::{Random, RedeliveryPolicy};

/// What a policy says about a message whose handler call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Deliver it again.
    Redeliver {
        /// How long to wait first. 0 is at once; see [`take_up`](super::take_up) for when a zero is taken up.
        after: Duration,
    },
    /// The limit is reached: the message is to be dead-lettered or discarded.
    Exhausted,
}

impl RedeliveryPolicy {
    /// Decides about a message whose handler call number `attempt` (first = 1; 0 counts as 1) just failed.
    ///
    /// With a [`limit`](Self::limit) of N the failures of attempts 1 to N are redelivered and that of attempt
    /// N + 1 exhausts the message. The wait is [`wait`](Self::wait) of redelivery number `attempt`; a
    /// negative one is 0.
    pub fn decide(&self, attempt: u64, random: &mut dyn Random) -> Decision {
        let attempt = attempt.max(1);
        if self.limit().is_some_and(|limit| attempt > limit) {
            return Decision::Exhausted;
        }
        let wait = u64::try_from(self.wait(attempt, random)).unwrap_or(0);
        Decision::Redeliver { after: Duration::from_millis(wait) }
    }
}
