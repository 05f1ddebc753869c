use super::jitter::spread;
use super::{Random, RedeliveryPolicy};

/// One line of a [`schedule`](RedeliveryPolicy::schedule). All times are milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The redelivery, first = 1.
    pub redelivery: u64,
    /// Its wait, spread if the policy spreads. Negative as the policy gives it, though it acts as 0.
    pub delay_ms: i64,
    /// The shortest wait chance could have given.
    pub min_ms: i64,
    /// The longest wait chance could have given.
    pub max_ms: i64,
    /// When the redelivery happens, counted from the first failure, if every handler call takes no time: the
    /// sum of the waits so far, a negative one counted as 0, saturated.
    pub at_ms: i64,
}

/// The steps of a policy; see [`RedeliveryPolicy::schedule`].
pub struct Schedule<'a> {
    policy: &'a RedeliveryPolicy,
    random: &'a mut dyn Random,
    last: u64,
    redelivery: u64,
    plain: i64,
    at: i64,
}

impl RedeliveryPolicy {
    /// What would happen to a message whose every handler call fails: its redeliveries, up to the
    /// [`limit`](Self::limit) and at most `count`.
    ///
    /// A seeded [`fastrand::Rng`] gives the same spreads every time, [`Still`](super::Still) none.
    pub fn schedule<'a>(&'a self, count: usize, random: &'a mut dyn Random) -> Schedule<'a> {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        let last = self.limit().map_or(count, |limit| limit.min(count));
        Schedule { policy: self, random, last, redelivery: 0, plain: 0, at: 0 }
    }
}

impl Iterator for Schedule<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        if self.redelivery >= self.last {
            return None;
        }
        self.redelivery += 1;
        self.plain = self.policy.plain_after(self.redelivery, self.plain);
        let delay = if self.policy.spreads(self.redelivery) {
            spread(self.plain, self.policy.collision_avoidance_factor(), self.random)
        } else {
            self.plain
        };
        self.at = self.at.saturating_add(delay.max(0));
        let bounds = self.policy.bounds_around(self.redelivery, self.plain);
        Some(Step {
            redelivery: self.redelivery,
            delay_ms: delay,
            min_ms: bounds.min,
            max_ms: bounds.max,
            at_ms: self.at,
        })
    }
}
