use super::RedeliveryPolicy;

/// How a wait follows from the previous one.
///
/// With exponential back-off both give the same waits from a positive start; they differ where waits do not
/// grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Formula {
    /// `"5.5"`, the default: ActiveMQ 5.5 to 5.9, as quoted in the article this container is modelled on
    /// (`ActiveMQMessageConsumer.rollback()` and `RedeliveryPolicy.getNextRedeliveryDelay`).
    ///
    /// After a wait of 0 comes `redeliveryDelay`; a growing wait is multiplied and capped; any other wait
    /// repeats. So without exponential back-off every wait is `initialRedeliveryDelay`, unless that is 0.
    #[default]
    Classic,
    /// `"5.10"`: ActiveMQ 5.10 and later (AMQ-5087).
    ///
    /// A positive growing wait is multiplied and capped; after any other wait comes `redeliveryDelay`.
    V5_10,
}

impl Formula {
    /// The names [`from_name`](Self::from_name) knows.
    pub const NAMES: &'static [&'static str] = &["5.5", "5.10"];

    /// The formula a configuration calls `"5.5"` or `"5.10"`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "5.5" => Some(Self::Classic),
            "5.10" => Some(Self::V5_10),
            _ => None,
        }
    }

    /// The name in a configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Classic => "5.5",
            Self::V5_10 => "5.10",
        }
    }
}

impl RedeliveryPolicy {
    /// One link of the chain: the plain wait that follows the plain wait `previous`.
    pub(super) fn step(&self, previous: i64) -> i64 {
        match self.formula {
            Formula::Classic if previous == 0 => self.redelivery_delay,
            Formula::Classic if !self.grows() => previous,
            Formula::V5_10 if previous <= 0 || !self.grows() => self.redelivery_delay,
            Formula::Classic | Formula::V5_10 => self.grown(previous),
        }
    }

    fn grown(&self, previous: i64) -> i64 {
        // `as` is the JVM's narrowing: towards zero, saturating, NaN to 0.
        let next = (previous as f64 * self.back_off_multiplier) as i64;
        if self.maximum_redelivery_delay != -1 && next > self.maximum_redelivery_delay {
            self.maximum_redelivery_delay.max(self.redelivery_delay)
        } else {
            next
        }
    }
}
