use super::{RedeliveryPolicy, Response};
use std::time::Duration;

/// The policy is followed no further than this redelivery and its last one: waits that grow evenly settle long before, or
/// have no end that a broker could be told.
const FOLLOWED: u64 = 1_024;

/// Waits that grow evenly: redelivery k waits k times `first`, and never longer than `longest`. With both equal all waits
/// are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinearWaits {
    /// The first wait, and by how much each is longer than the one before.
    pub first: Duration,
    /// The longest wait.
    pub longest: Duration,
}

impl LinearWaits {
    /// The wait before this redelivery; the first is 1.
    pub fn before(self, redelivery: u64) -> Duration {
        let first = u64::try_from(self.first.as_millis()).unwrap_or(u64::MAX);
        Duration::from_millis(first.saturating_mul(redelivery)).min(self.longest)
    }
}

impl RedeliveryPolicy {
    /// The waits of this policy, if they are [linear](LinearWaits) to the millisecond: what a broker that waits by its
    /// own count can be told.
    ///
    /// # Errors
    /// The reason why they are not, as the end of a sentence.
    pub fn linear_waits(&self) -> Result<LinearWaits, String> {
        if self.use_collision_avoidance && self.collision_avoidance_percent != 0 {
            return Err("collision avoidance spreads its waits at random".to_owned());
        }
        let last = self.limit().unwrap_or(u64::MAX).max(1);
        let (first, longest) = (self.plain(1), self.plain(last));
        let millis = |wait: i64| u64::try_from(wait).ok().filter(|millis| *millis > 0);
        let (Some(first_ms), Some(longest_ms)) = (millis(first), millis(longest)) else {
            return Err("it has waits below 1 ms".to_owned());
        };
        let waits = LinearWaits {
            first: Duration::from_millis(first_ms),
            longest: Duration::from_millis(longest_ms),
        };
        for redelivery in (1..=last.min(FOLLOWED)).chain([last]) {
            let (wait, linear) = (self.plain(redelivery), waits.before(redelivery).as_millis());
            if u128::try_from(wait) != Ok(linear) {
                return Err(format!(
                    "redelivery {redelivery} waits {wait} ms; waits that grow evenly from {first} ms would be {linear} ms"
                ));
            }
        }
        for rule in &*self.rules {
            if let Response::Redeliver(amendment) = &rule.then {
                let amended = RedeliveryPolicy { rules: (&[]).into(), ..amendment.apply(self) };
                if amended.linear_waits() != Ok(waits) {
                    return Err("a rule has waits of its own".to_owned());
                }
            }
        }
        Ok(waits)
    }
}
