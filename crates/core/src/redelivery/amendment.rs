use super::RedeliveryPolicy;
use std::borrow::Cow;

/// The properties in which the redelivery of one sort of failure differs from the policy's; `None` keeps the policy's.
///
/// Units, ranges and interaction are those of the properties of [`RedeliveryPolicy`]. Under a policy with a
/// [`ladder`](RedeliveryPolicy::ladder), a limit alone cuts or extends the ladder, while any delay or back-off property
/// takes the ladder's place.
///
/// ```
/// use hearken_core::redelivery::{Amendment, RedeliveryPolicy};
///
/// const IMPATIENT: Amendment = Amendment::new().maximum_redeliveries(1).initial_redelivery_delay(100);
/// let amended = IMPATIENT.apply(&RedeliveryPolicy::aliyun("slow"));
/// assert_eq!((amended.limit(), amended.ladder), (Some(1), None));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Amendment {
    /// See [`RedeliveryPolicy::maximum_redeliveries`]. Without a limit of its own, an amendment that takes the place of
    /// a ladder has the ladder's.
    pub maximum_redeliveries: Option<i64>,
    /// See [`RedeliveryPolicy::initial_redelivery_delay`].
    pub initial_redelivery_delay: Option<i64>,
    /// See [`RedeliveryPolicy::redelivery_delay`].
    pub redelivery_delay: Option<i64>,
    /// See [`RedeliveryPolicy::maximum_redelivery_delay`].
    pub maximum_redelivery_delay: Option<i64>,
    /// See [`RedeliveryPolicy::use_exponential_back_off`].
    pub use_exponential_back_off: Option<bool>,
    /// See [`RedeliveryPolicy::back_off_multiplier`].
    pub back_off_multiplier: Option<f64>,
    /// See [`RedeliveryPolicy::use_collision_avoidance`].
    pub use_collision_avoidance: Option<bool>,
    /// See [`RedeliveryPolicy::collision_avoidance_percent`].
    pub collision_avoidance_percent: Option<i16>,
}

impl Amendment {
    /// Changes nothing.
    pub const fn new() -> Self {
        Self {
            maximum_redeliveries: None,
            initial_redelivery_delay: None,
            redelivery_delay: None,
            maximum_redelivery_delay: None,
            use_exponential_back_off: None,
            back_off_multiplier: None,
            use_collision_avoidance: None,
            collision_avoidance_percent: None,
        }
    }

    /// The policy with these properties in the place of its own, without its rules.
    pub fn apply(&self, policy: &RedeliveryPolicy) -> RedeliveryPolicy {
        let ladder = policy.ladder.filter(|_| !self.names_waits());
        let limit = self.maximum_redeliveries.unwrap_or_else(|| match policy.ladder {
            Some(ladder) => i64::try_from(ladder.limit()).unwrap_or(i64::MAX),
            None => policy.maximum_redeliveries,
        });
        RedeliveryPolicy {
            // Not the policy's, which may be on the heap: this is made for each failure that a rule amends.
            name: Cow::Borrowed(""),
            maximum_redeliveries: limit,
            initial_redelivery_delay: self
                .initial_redelivery_delay
                .unwrap_or(policy.initial_redelivery_delay),
            redelivery_delay: self.redelivery_delay.unwrap_or(policy.redelivery_delay),
            maximum_redelivery_delay: self
                .maximum_redelivery_delay
                .unwrap_or(policy.maximum_redelivery_delay),
            use_exponential_back_off: self
                .use_exponential_back_off
                .unwrap_or(policy.use_exponential_back_off),
            back_off_multiplier: self.back_off_multiplier.unwrap_or(policy.back_off_multiplier),
            use_collision_avoidance: self.use_collision_avoidance.unwrap_or(policy.use_collision_avoidance),
            collision_avoidance_percent: self
                .collision_avoidance_percent
                .unwrap_or(policy.collision_avoidance_percent),
            formula: policy.formula,
            ladder: ladder.map(|ladder| match self.maximum_redeliveries {
                // To a ladder that is its own length.
                Some(-1) => ladder.max_reconsume_times(i64::MAX),
                Some(limit) => ladder.max_reconsume_times(limit),
                None => ladder,
            }),
            rules: Cow::Borrowed(&[]),
            on_exhausted: policy.on_exhausted,
            pre_dispatch_check: policy.pre_dispatch_check,
        }
    }

    fn names_waits(&self) -> bool {
        self.initial_redelivery_delay.is_some()
            || self.redelivery_delay.is_some()
            || self.maximum_redelivery_delay.is_some()
            || self.use_exponential_back_off.is_some()
            || self.back_off_multiplier.is_some()
    }
}

macro_rules! setters {
    ($($property:ident: $type:ty),+ $(,)?) => {
        impl Amendment {
            $(
                #[doc = concat!("Sets [`", stringify!($property), "`](#structfield.", stringify!($property), ").")]
                #[must_use]
                pub const fn $property(mut self, $property: $type) -> Self {
                    self.$property = Some($property);
                    self
                }
            )+
        }
    };
}

setters! {
    maximum_redeliveries: i64,
    initial_redelivery_delay: i64,
    redelivery_delay: i64,
    maximum_redelivery_delay: i64,
    use_exponential_back_off: bool,
    back_off_multiplier: f64,
    use_collision_avoidance: bool,
    collision_avoidance_percent: i16,
}
