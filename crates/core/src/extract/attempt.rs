use super::{FromDelivery, Reject};
use crate::call::Call;
use crate::delivery::Origin;
use crate::history::History;
use std::fmt;

/// The number of this handler call for this message; the first is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attempt(u64);

impl Attempt {
    /// Attempt number `number`; for calling a listener by hand.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The first attempt.
    pub const fn first() -> Self {
        Self(1)
    }

    /// The number; the first is 1.
    pub const fn number(self) -> u64 {
        self.0
    }

    /// Whether this is the first attempt.
    pub const fn is_first(self) -> bool {
        self.0 == 1
    }
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[diagnostic::do_not_recommend]
impl<'a> FromDelivery<'a> for Attempt {
    async fn from_delivery(call: &'a Call) -> Result<Self, Reject> {
        Ok(Self(call.attempt))
    }
}

/// All that is known of this message's way: attempts, earlier failures, where it came from.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RedeliveryInfo {
    /// The number of this handler call; the first is 1.
    pub attempt: u64,
    /// How many redeliveries the policy allows; `None` without limit.
    pub maximum_redeliveries: Option<u64>,
    /// Whether a handler may have seen this message before: an attempt failed, or the broker handed it out already.
    pub redelivered: bool,
    /// Earlier failures, if there were any.
    pub history: Option<History>,
    /// Queue, exchange and routing key, as the sender addressed it.
    pub origin: Origin,
}

impl RedeliveryInfo {
    /// The redelivery counter: attempt - 1. RocketMQ's `reconsumeTimes`.
    pub fn redeliveries(&self) -> u64 {
        self.attempt.saturating_sub(1)
    }

    /// Whether a failure of this call makes the message a dead letter.
    pub fn is_last(&self) -> bool {
        self.maximum_redeliveries.is_some_and(|maximum| self.attempt > maximum)
    }
}

#[diagnostic::do_not_recommend]
impl<'a> FromDelivery<'a> for RedeliveryInfo {
    async fn from_delivery(call: &'a Call) -> Result<Self, Reject> {
        Ok(Self {
            attempt: call.attempt,
            maximum_redeliveries: call.maximum_redeliveries,
            redelivered: call.redelivered,
            history: call.history.clone(),
            origin: call.origin.clone(),
        })
    }
}
