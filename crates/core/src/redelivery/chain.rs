use super::RedeliveryPolicy;
use super::jitter::{Bounds, Random, spread};

/// The chain is followed no further than this redelivery, whose wait then stands for all later ones.
///
/// Nearly every chain settles (at its cap or the end of `i64`) within a few dozen links; this bounds the work
/// for a multiplier such as 1.000000001, which needs billions.
pub(super) const LONGEST_CHAIN: u64 = 1 << 20;

impl RedeliveryPolicy {
    /// The wait before redelivery number `redelivery` (first = 1; 0 counts as 1), in milliseconds.
    ///
    /// The first wait is [`initial_redelivery_delay`](Self::initial_redelivery_delay); the others follow by
    /// the [`formula`](Self::formula), always from that start and never from what an earlier message waited,
    /// and are then spread once if [`use_collision_avoidance`](Self::use_collision_avoidance) is set. Two
    /// numbers are drawn from `random` per spread wait: the direction, then the distance.
    ///
    /// The result may be negative if the properties are; [`decide`](Self::decide) reads that as 0. From
    /// redelivery 1,048,576 on the plain wait no longer changes.
    pub fn wait(&self, redelivery: u64, random: &mut dyn Random) -> i64 {
        let plain = self.plain(redelivery);
        if self.spreads(redelivery) {
            spread(plain, self.collision_avoidance_factor(), random)
        } else {
            plain
        }
    }

    /// What [`wait`](Self::wait) can give for this redelivery, in milliseconds, without drawing a number.
    pub fn bounds(&self, redelivery: u64) -> Bounds {
        self.bounds_around(redelivery, self.plain(redelivery))
    }

    pub(super) fn bounds_around(&self, redelivery: u64, plain: i64) -> Bounds {
        let factor = if self.spreads(redelivery) { self.collision_avoidance_factor() } else { 0.0 };
        Bounds::around(plain, factor)
    }

    pub(super) fn spreads(&self, redelivery: u64) -> bool {
        self.use_collision_avoidance && redelivery > 1
    }

    /// The wait of one redelivery before any spread.
    pub(super) fn plain(&self, redelivery: u64) -> i64 {
        if let Some(ladder) = &self.ladder {
            return ladder.wait(redelivery);
        }
        let mut wait = self.initial_redelivery_delay;
        for _ in 1..redelivery.min(LONGEST_CHAIN) {
            let next = self.step(wait);
            if next == wait {
                break;
            }
            wait = next;
        }
        wait
    }

    /// [`plain`](Self::plain) of `redelivery`, given that of the redelivery before.
    pub(super) fn plain_after(&self, redelivery: u64, previous: i64) -> i64 {
        match &self.ladder {
            Some(ladder) => ladder.wait(redelivery),
            None if redelivery <= 1 => self.initial_redelivery_delay,
            None if redelivery <= LONGEST_CHAIN => self.step(previous),
            None => previous,
        }
    }
}
