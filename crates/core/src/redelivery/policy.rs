use std::borrow::Cow;

use super::{Formula, Ladder, OnExhausted, Rule};

/// How often, and after which waits, a failed message is delivered again.
///
/// The properties are those of ActiveMQ's `RedeliveryPolicy`, with its defaults; delays are milliseconds.
/// Every `i64` is accepted and nothing overflows: arithmetic is the JVM's (truncated towards zero, saturated
/// at the ends of `i64`). What is legal but questionable is told by [`warnings`](Self::warnings).
///
/// A policy can be a constant:
///
/// ```
/// use hearken_core::redelivery::RedeliveryPolicy;
///
/// const GENTLE: RedeliveryPolicy =
///     RedeliveryPolicy::new("gentle").maximum_redeliveries(3).redelivery_delay(5_000);
/// assert_eq!(GENTLE.limit(), Some(3));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RedeliveryPolicy {
    /// What listeners, logs and dead letters call this policy. Default `"default"`.
    pub name: Cow<'static, str>,

    /// How many redeliveries follow the first delivery: N means N + 1 handler calls. Default 6.
    ///
    /// -1 is unlimited, 0 is none. Below -1 counts as 0, so the first failure exhausts the message, as in
    /// ActiveMQ. Not read when a [`ladder`](Self::ladder) is set; the ladder has its own limit.
    pub maximum_redeliveries: i64,

    /// The wait before the first redelivery, in milliseconds. Default 1000.
    ///
    /// It is neither capped nor jittered. Under [`Formula::Classic`] without exponential back-off it is also
    /// the wait of every later redelivery, unless it is 0. How a wait of 0 is taken up is up to
    /// [`ZeroDelay`](super::ZeroDelay).
    pub initial_redelivery_delay: i64,

    /// The base of the later waits, in milliseconds. Default 1000.
    ///
    /// [`Formula::Classic`] takes it for the wait that follows a wait of 0 only, [`Formula::V5_10`] for every
    /// later wait that does not grow. Under both it is the floor of
    /// [`maximum_redelivery_delay`](Self::maximum_redelivery_delay).
    pub redelivery_delay: i64,

    /// The longest wait exponential back-off may reach, in milliseconds. Default -1, no cap.
    ///
    /// Every value other than -1 is a cap, 0 included. A growing wait above it becomes the larger of the cap
    /// and [`redelivery_delay`](Self::redelivery_delay), so a cap below that delay is exceeded. Waits that do
    /// not grow ignore it, and collision avoidance, which comes last, may exceed it by its percentage.
    pub maximum_redelivery_delay: i64,

    /// Whether each wait is the previous one times [`back_off_multiplier`](Self::back_off_multiplier).
    /// Default false.
    pub use_exponential_back_off: bool,

    /// The factor of exponential back-off. Default 5.0.
    ///
    /// It takes effect only above 1, and only with
    /// [`use_exponential_back_off`](Self::use_exponential_back_off); otherwise (NaN too) waits do not grow.
    /// The product is cut to whole milliseconds, so 1 ms times 1.1 stays 1 ms for ever.
    pub back_off_multiplier: f64,

    /// Whether the waits from the second on are spread at random, by up to
    /// [`collision_avoidance_percent`](Self::collision_avoidance_percent) either way. Default false.
    ///
    /// ActiveMQ feeds a spread wait into the next one, so under exponential back-off its spreads compound and
    /// drift. Here the chain runs on plain waits and each result is spread once: 1000 ms with 15 % stays
    /// within 850 to 1150 ms at every redelivery.
    pub use_collision_avoidance: bool,

    /// The largest spread of a wait, in percent of the wait. Default 15.
    ///
    /// ActiveMQ's `collisionAvoidanceFactor` times 100. Only read with
    /// [`use_collision_avoidance`](Self::use_collision_avoidance). The sign has no meaning; above 100 a wait
    /// may come out negative, which is a redelivery at once.
    pub collision_avoidance_percent: i16,

    /// How a wait follows from the one before. Default [`Formula::Classic`].
    pub formula: Formula,

    /// Waits read from a table instead of computed. Default none.
    ///
    /// A ladder replaces the limit, the delays, the back-off and the formula; collision avoidance still
    /// applies.
    pub ladder: Option<Ladder>,

    /// What is done about failures of certain sorts; the first rule that holds decides. Default none.
    pub rules: Cow<'static, [Rule]>,

    /// What becomes of a message whose redeliveries are used up. Default a dead letter.
    pub on_exhausted: OnExhausted,

    /// Whether a message that has used up its redeliveries already when it arrives is exhausted before a handler sees
    /// it. Default true.
    ///
    /// That happens when the limit was lowered meanwhile, or when the process ended between the last failure and its
    /// dead letter. Without the check a handler is called once more. ActiveMQ's `preDispatchCheck`.
    pub pre_dispatch_check: bool,
}

impl RedeliveryPolicy {
    /// A policy of this name with every other property at its default: 6 redeliveries, 1 s each.
    pub const fn new(name: &'static str) -> Self {
        Self {
            name: Cow::Borrowed(name),
            maximum_redeliveries: 6,
            initial_redelivery_delay: 1_000,
            redelivery_delay: 1_000,
            maximum_redelivery_delay: -1,
            use_exponential_back_off: false,
            back_off_multiplier: 5.0,
            use_collision_avoidance: false,
            collision_avoidance_percent: 15,
            formula: Formula::Classic,
            ladder: None,
            rules: Cow::Borrowed(&[]),
            on_exhausted: OnExhausted::DeadLetter,
            pre_dispatch_check: true,
        }
    }

    /// The preset `aliyun`: 16 retries after 10 s to 2 h, see [`Ladder::ALIYUN`].
    pub const fn aliyun(name: &'static str) -> Self {
        Self::new(name).ladder(Ladder::ALIYUN)
    }

    /// Sets [`name`](Self::name); for names known at run time only.
    #[must_use]
    pub fn named(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.name = name.into();
        self
    }

    /// The number of redeliveries this policy grants, `None` for unlimited; one more is the number of handler
    /// calls.
    pub fn limit(&self) -> Option<u64> {
        match (&self.ladder, self.maximum_redeliveries) {
            (Some(ladder), _) => Some(ladder.limit()),
            (None, -1) => None,
            (None, limit) => Some(u64::try_from(limit).unwrap_or(0)),
        }
    }

    /// Whether waits grow: exponential back-off is on, its multiplier is above 1, and no ladder is set.
    pub fn grows(&self) -> bool {
        self.ladder.is_none() && self.use_exponential_back_off && self.back_off_multiplier > 1.0
    }
}

macro_rules! setters {
    ($($property:ident: $type:ty),+ $(,)?) => {
        impl RedeliveryPolicy {
            $(
                #[doc = concat!("Sets [`", stringify!($property), "`](#structfield.", stringify!($property), ").")]
                #[must_use]
                pub const fn $property(mut self, $property: $type) -> Self {
                    self.$property = $property;
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
    formula: Formula,
    on_exhausted: OnExhausted,
    pre_dispatch_check: bool,
}

impl RedeliveryPolicy {
    /// Sets [`rules`](#structfield.rules).
    #[must_use]
    pub const fn rules(mut self, rules: &'static [Rule]) -> Self {
        // What is replaced cannot be dropped in a constant; rules made at run time are set by `ruled`.
        std::mem::forget(std::mem::replace(&mut self.rules, Cow::Borrowed(rules)));
        self
    }

    /// Sets [`rules`](#structfield.rules); for rules known at run time only.
    #[must_use]
    pub fn ruled(mut self, rules: Vec<Rule>) -> Self {
        self.rules = Cow::Owned(rules);
        self
    }

    /// Sets [`ladder`](#structfield.ladder).
    #[must_use]
    pub const fn ladder(mut self, ladder: Ladder) -> Self {
        self.ladder = Some(ladder);
        self
    }
}

/// The policy of a listener that names none: 6 redeliveries, 1 s each, named `"default"`.
impl Default for RedeliveryPolicy {
    fn default() -> Self {
        Self::new("default")
    }
}
