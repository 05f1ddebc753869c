use super::RedeliveryPolicy;

/// The source of chance a policy draws from, so that a test or a `plan` can fix it.
///
/// Implemented for [`fastrand::Rng`], and by [`Still`] for none at all.
pub trait Random {
    /// A fair coin: `true` lengthens a wait, `false` shortens it.
    fn coin(&mut self) -> bool;

    /// A number from 0 (included) to 1 (excluded), evenly distributed: how far to go that way.
    fn uniform(&mut self) -> f64;
}

impl Random for fastrand::Rng {
    fn coin(&mut self) -> bool {
        self.bool()
    }

    fn uniform(&mut self) -> f64 {
        self.f64()
    }
}

/// A [`Random`] without chance: every wait stays at its plain value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Still;

impl Random for Still {
    fn coin(&mut self) -> bool {
        true
    }

    fn uniform(&mut self) -> f64 {
        0.0
    }
}

/// The range of one wait, in milliseconds, both ends included.
///
/// Without collision avoidance, and for the first wait, all three are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The wait before it is spread.
    pub plain: i64,
    /// The shortest wait chance can give.
    pub min: i64,
    /// The longest wait chance can give.
    pub max: i64,
}

impl Bounds {
    pub(super) fn around(plain: i64, factor: f64) -> Self {
        // Either may be the lower one: a delay and a percent can be negative.
        let (one, other) = (vary(plain, -factor), vary(plain, factor));
        Self { plain, min: one.min(other).min(plain), max: one.max(other).max(plain) }
    }
}

/// Collision avoidance as in ActiveMQ's `RedeliveryPolicy`: the first number is the direction, the second the
/// distance.
pub(super) fn spread(wait: i64, factor: f64, random: &mut dyn Random) -> i64 {
    let signed = if random.coin() { factor } else { -factor };
    vary(wait, signed * random.uniform())
}

/// Java's `wait += wait * variance` on a `long`: added in `double`, cut towards zero, saturated.
fn vary(wait: i64, variance: f64) -> i64 {
    if variance == 0.0 {
        // Above 2^53 the round trip through f64 would move a wait that is not to be moved.
        return wait;
    }
    (wait as f64 + wait as f64 * variance) as i64
}

impl RedeliveryPolicy {
    /// [`collision_avoidance_percent`](Self::collision_avoidance_percent) as ActiveMQ's
    /// `collisionAvoidanceFactor`: percent times 0.01.
    pub fn collision_avoidance_factor(&self) -> f64 {
        f64::from(self.collision_avoidance_percent) * 0.01
    }

    /// The percent ActiveMQ's getter shows for a `collisionAvoidanceFactor`: 100 times the factor, rounded
    /// half up and narrowed to 16 bits. For a configuration that refuses the factor and names the percent to
    /// write instead.
    pub fn percent_of_factor(factor: f64) -> i16 {
        (factor * 100.0 + 0.5).floor() as i64 as i16
    }
}
