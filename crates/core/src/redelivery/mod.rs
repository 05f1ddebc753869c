//! The redelivery policy: how often, and how late, a failed message comes again.
//!
//! Everything here is a pure function of the attempt, the policy and a [`Random`] source; no clock is read.
//!
//! ```
//! use hearken_core::redelivery::{Decision, RedeliveryPolicy};
//! use std::time::Duration;
//!
//! const PATIENT: RedeliveryPolicy = RedeliveryPolicy::new("patient")
//!     .maximum_redeliveries(2)
//!     .use_exponential_back_off(true)
//!     .maximum_redelivery_delay(60_000);
//!
//! let mut random = fastrand::Rng::with_seed(7);
//! assert_eq!(PATIENT.decide(1, &mut random), Decision::Redeliver { after: Duration::from_secs(1) });
//! assert_eq!(PATIENT.decide(2, &mut random), Decision::Redeliver { after: Duration::from_secs(5) });
//! assert_eq!(PATIENT.decide(3, &mut random), Decision::Exhausted);
//! ```

mod amendment;
mod chain;
mod decision;
mod formula;
mod human;
mod jitter;
mod ladder;
mod linear;
mod policy;
mod rule;
mod schedule;
#[cfg(test)]
mod tests;
mod warning;
mod zero_delay;

pub use amendment::Amendment;
pub use decision::Decision;
pub use formula::Formula;
pub use jitter::{Bounds, Random, Still};
pub use ladder::Ladder;
pub use linear::LinearWaits;
pub use policy::RedeliveryPolicy;
pub use rule::{Condition, OnExhausted, Predicates, Response, Rule};
pub use schedule::{Schedule, Step};
pub use warning::PolicyWarning;
pub use zero_delay::{ZeroDelay, take_up};
