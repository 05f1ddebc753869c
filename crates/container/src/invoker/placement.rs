//! Where a redelivery waits: held unacknowledged by the invoker, or back at the broker. Pure.

use crate::config::RedeliveryMode;
use std::time::Duration;

/// Up to here `auto` holds in the client.
const SHORT: Duration = Duration::from_secs(1);
/// Up to here `auto` holds in the client while a quarter of the prefetch is free.
const MEDIUM: Duration = Duration::from_secs(5);

/// Where a redelivery waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the client: the delivery stays unacknowledged.
    Hold,
    /// At the broker: a copy, then the acknowledgement.
    Broker,
}

/// What an invoker holds already.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occupancy {
    /// Deliveries it holds.
    pub(crate) held: usize,
    /// Its prefetch.
    pub(crate) prefetch: usize,
}

/// The limits of a listener.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) mode: RedeliveryMode,
    /// Whether later messages may overtake.
    pub(crate) non_blocking: bool,
    /// The longest time one delivery may be held, over all its holds.
    pub(crate) hold_limit: Duration,
    /// Whether a copy can come back to this queue at all.
    pub(crate) may_move: bool,
}

impl Rule {
    /// Where a wait belongs, for a delivery that was held for `spent` before.
    pub(crate) fn place(&self, wait: Duration, spent: Duration, occupancy: Occupancy) -> Place {
        let within = spent.saturating_add(wait) <= self.hold_limit;
        let Occupancy { held, prefetch } = occupancy;
        let hold = match self.mode {
            _ if !self.may_move => true,
            // What the queue itself cannot keep back in that mode travels too.
            RedeliveryMode::Broker | RedeliveryMode::Native => false,
            _ if !within => false,
            RedeliveryMode::Client => true,
            RedeliveryMode::Auto if !self.non_blocking => true,
            RedeliveryMode::Auto if wait <= SHORT => held * 2 <= prefetch,
            RedeliveryMode::Auto => wait <= MEDIUM && prefetch.saturating_sub(held) * 4 >= prefetch,
        };
        if hold { Place::Hold } else { Place::Broker }
    }

    /// The longest wait this rule may send to the broker, out of a policy's longest.
    pub(crate) fn may_use_broker(&self, longest_wait: Duration) -> bool {
        match self.mode {
            _ if !self.may_move => false,
            RedeliveryMode::Broker => true,
            // The levels are declared when the first wait needs them.
            RedeliveryMode::Native => false,
            RedeliveryMode::Client => longest_wait > self.hold_limit,
            RedeliveryMode::Auto => self.non_blocking || longest_wait > self.hold_limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Place::{Broker, Hold};

    const SECOND: Duration = Duration::from_secs(1);

    fn place(mode: RedeliveryMode, non_blocking: bool, wait: Duration, held: usize) -> Place {
        let rule = Rule { mode, non_blocking, hold_limit: 600 * SECOND, may_move: true };
        rule.place(wait, Duration::ZERO, Occupancy { held, prefetch: 40 })
    }

    #[test]
    fn auto_holds_short_waits_until_half_the_prefetch_is_held() {
        assert_eq!(place(RedeliveryMode::Auto, true, SECOND, 20), Hold);
        assert_eq!(place(RedeliveryMode::Auto, true, SECOND, 21), Broker);
    }

    #[test]
    fn auto_holds_medium_waits_while_a_quarter_of_the_prefetch_is_free() {
        assert_eq!(place(RedeliveryMode::Auto, true, 5 * SECOND, 30), Hold);
        assert_eq!(place(RedeliveryMode::Auto, true, 5 * SECOND, 31), Broker);
        assert_eq!(place(RedeliveryMode::Auto, true, 5001 * SECOND / 1000, 0), Broker);
    }

    #[test]
    fn ordered_listeners_hold_any_wait_up_to_the_limit() {
        assert_eq!(place(RedeliveryMode::Auto, false, 600 * SECOND, 39), Hold);
        assert_eq!(place(RedeliveryMode::Auto, false, 601 * SECOND, 0), Broker);
    }

    #[test]
    fn explicit_modes_are_obeyed_but_for_the_hold_limit() {
        assert_eq!(place(RedeliveryMode::Client, true, 600 * SECOND, 39), Hold);
        assert_eq!(place(RedeliveryMode::Client, true, 601 * SECOND, 0), Broker);
        assert_eq!(place(RedeliveryMode::Broker, true, Duration::ZERO, 0), Broker);
    }

    #[test]
    fn what_cannot_come_back_is_held_however_long() {
        let mode = RedeliveryMode::Broker;
        let rule = Rule { mode, non_blocking: true, hold_limit: SECOND, may_move: false };
        assert_eq!(rule.place(600 * SECOND, SECOND, Occupancy { held: 9, prefetch: 1 }), Hold);
        assert!(!rule.may_use_broker(600 * SECOND));
    }

    #[test]
    fn all_holds_of_one_delivery_count_against_the_limit() {
        let mode = RedeliveryMode::Client;
        let rule = Rule { mode, non_blocking: true, hold_limit: 600 * SECOND, may_move: true };
        let occupancy = Occupancy { held: 0, prefetch: 40 };
        assert_eq!(rule.place(10 * SECOND, 590 * SECOND, occupancy), Hold);
        assert_eq!(rule.place(10 * SECOND, 591 * SECOND, occupancy), Broker);
    }
}
