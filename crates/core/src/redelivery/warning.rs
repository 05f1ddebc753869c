use std::fmt;

use super::RedeliveryPolicy;
use super::human::about;

const FAR: u64 = 20;

/// Something in a policy that is legal but probably not meant. [`Display`](fmt::Display) says it to an
/// operator, in the property names of a configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PolicyWarning {
    /// Exponential back-off is on, but its multiplier is not above 1.
    MultiplierWithoutEffect {
        /// The multiplier.
        multiplier: f64,
    },
    /// Waits grow, without a cap and without a limit.
    UnboundedGrowth {
        /// The redelivery taken as an example.
        redelivery: u64,
        /// Its wait, in milliseconds.
        wait_ms: i64,
    },
    /// The cap is below `redeliveryDelay`, its floor, which is what waits then end at.
    CapBelowRedeliveryDelay {
        /// `maximumRedeliveryDelay`, in milliseconds.
        cap_ms: i64,
        /// `redeliveryDelay`, in milliseconds.
        delay_ms: i64,
    },
    /// The cap is below `initialRedeliveryDelay`, which is never capped, so later waits are shorter than the
    /// first.
    CapBelowInitialDelay {
        /// `maximumRedeliveryDelay`, in milliseconds.
        cap_ms: i64,
        /// `initialRedeliveryDelay`, in milliseconds.
        delay_ms: i64,
    },
    /// There is a cap, but exponential back-off, the only thing it caps, is off.
    CapWithoutEffect {
        /// `maximumRedeliveryDelay`, in milliseconds.
        cap_ms: i64,
    },
}

impl PolicyWarning {
    /// The property to look at, as a configuration spells it.
    pub const fn key(&self) -> &'static str {
        match self {
            Self::MultiplierWithoutEffect { .. } => "backOffMultiplier",
            Self::UnboundedGrowth { .. }
            | Self::CapBelowRedeliveryDelay { .. }
            | Self::CapBelowInitialDelay { .. }
            | Self::CapWithoutEffect { .. } => "maximumRedeliveryDelay",
        }
    }
}

impl fmt::Display for PolicyWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MultiplierWithoutEffect { multiplier } => write!(
                f,
                "backOffMultiplier = {multiplier} has no effect, it must be above 1; the waits do not change"
            ),
            Self::UnboundedGrowth { redelivery, wait_ms } => write!(
                f,
                "the waits grow without bound: redelivery {redelivery} would wait {}; \
                 set maximumRedeliveryDelay",
                about(*wait_ms)
            ),
            Self::CapBelowRedeliveryDelay { cap_ms, delay_ms } => write!(
                f,
                "maximumRedeliveryDelay = {cap_ms} ms is below redeliveryDelay = {delay_ms} ms; \
                 the waits end at {delay_ms} ms"
            ),
            Self::CapBelowInitialDelay { cap_ms, delay_ms } => write!(
                f,
                "maximumRedeliveryDelay = {cap_ms} ms is below initialRedeliveryDelay = {delay_ms} ms; \
                 the first wait is never capped"
            ),
            Self::CapWithoutEffect { cap_ms } => write!(
                f,
                "maximumRedeliveryDelay = {cap_ms} ms has no effect without useExponentialBackOff = true"
            ),
        }
    }
}

impl RedeliveryPolicy {
    /// What is legal in this policy but probably not meant. A ladder leaves nothing to warn of: it sets aside
    /// the properties concerned.
    pub fn warnings(&self) -> Vec<PolicyWarning> {
        if self.ladder.is_some() {
            return Vec::new();
        }
        let mut warnings = Vec::new();
        if self.use_exponential_back_off && !self.grows() {
            warnings.push(PolicyWarning::MultiplierWithoutEffect { multiplier: self.back_off_multiplier });
        }
        warnings.extend(self.unbounded_growth());
        if self.maximum_redelivery_delay != -1 {
            self.warn_of_cap(&mut warnings);
        }
        warnings
    }

    fn unbounded_growth(&self) -> Option<PolicyWarning> {
        let free = self.grows() && self.maximum_redelivery_delay == -1 && self.limit().is_none();
        let wait_ms = self.plain(FAR);
        // A multiplier above 1 need not grow anything: 0, and 1 ms times 1.1, stay as they are.
        let growing = wait_ms > self.plain(2) || wait_ms == i64::MAX;
        (free && growing).then_some(PolicyWarning::UnboundedGrowth { redelivery: FAR, wait_ms })
    }

    fn warn_of_cap(&self, warnings: &mut Vec<PolicyWarning>) {
        let cap_ms = self.maximum_redelivery_delay;
        if !self.use_exponential_back_off {
            warnings.push(PolicyWarning::CapWithoutEffect { cap_ms });
            return;
        }
        if cap_ms < self.redelivery_delay {
            warnings.push(PolicyWarning::CapBelowRedeliveryDelay { cap_ms, delay_ms: self.redelivery_delay });
        }
        if cap_ms < self.initial_redelivery_delay {
            warnings.push(PolicyWarning::CapBelowInitialDelay {
                cap_ms,
                delay_ms: self.initial_redelivery_delay,
            });
        }
    }
}
