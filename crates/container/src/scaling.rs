//! When the number of invokers changes by itself. Pure.
//!
//! The rule of Spring's `DefaultMessageListenerContainer`, on ticks instead of tasks: one more when a message waits and
//! too few invokers are idle; one fewer when one has been idle for long and is not the only idle one.

/// The bounds of a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Kept at all times.
    pub(crate) minimum: u32,
    /// Never exceeded.
    pub(crate) maximum: u32,
    /// `idleConsumerLimit`: no growth while so many are idle.
    pub(crate) idle_limit: u32,
}

/// Whether another invoker is wanted, now that a message waits.
pub(crate) fn grows(bounds: Bounds, size: u32, busy: u32) -> bool {
    size < bounds.maximum && size.saturating_sub(busy) < bounds.idle_limit
}

/// Whether an invoker that has been idle for `ticks` may leave.
pub(crate) fn shrinks(bounds: Bounds, size: u32, busy: u32, ticks: u32, tick_limit: u32) -> bool {
    size > bounds.minimum && ticks >= tick_limit && size.saturating_sub(busy) > 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BOUNDS: Bounds = Bounds { minimum: 3, maximum: 10, idle_limit: 1 };

    #[test]
    fn it_grows_only_while_all_are_busy_and_room_is_left() {
        assert!(grows(BOUNDS, 3, 3));
        assert!(!grows(BOUNDS, 4, 3), "one is idle");
        assert!(grows(Bounds { idle_limit: 2, ..BOUNDS }, 4, 3));
        assert!(!grows(BOUNDS, 10, 10));
    }

    #[test]
    fn it_shrinks_only_above_the_minimum_and_never_by_the_last_idle_one() {
        assert!(shrinks(BOUNDS, 5, 3, 10, 10));
        assert!(!shrinks(BOUNDS, 5, 3, 9, 10));
        assert!(!shrinks(BOUNDS, 5, 4, 10, 10), "the only idle one");
        assert!(!shrinks(BOUNDS, 3, 0, 99, 10));
    }

    proptest! {
        #[test]
        fn steps_of_one_never_leave_the_bounds(
            minimum in 1u32..20, more in 0u32..20, idle_limit in 1u32..5,
            steps in proptest::collection::vec((0u32..40, 0u32..20), 0..200)
        ) {
            let bounds = Bounds { minimum, maximum: minimum + more, idle_limit };
            let mut size = minimum;
            for (busy, ticks) in steps {
                let busy = busy.min(size);
                if grows(bounds, size, busy) {
                    size += 1;
                }
                if shrinks(bounds, size, busy, ticks, 10) {
                    size -= 1;
                }
                prop_assert!((bounds.minimum..=bounds.maximum).contains(&size));
            }
        }
    }
}
