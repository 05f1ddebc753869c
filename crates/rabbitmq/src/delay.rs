//! How a wait is spent: whole seconds as the binary digits of a routing key, which lead a message through the delay
//! levels; the part below a second as a hold in the receiving container; what the levels cannot hold, in another round.

use std::time::Duration;

/// Level `k` holds a message for 2^k seconds.
pub(crate) const LEVELS: u32 = 14;
/// The longest wait in whole seconds of one round: 4 h 33 min.
pub(crate) const MOST_SECONDS: u32 = (1 << LEVELS) - 1;

/// A wait, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    /// Seconds on the levels.
    pub(crate) seconds: u32,
    /// Held by the receiver.
    pub(crate) hold: Duration,
    /// For another round, without a handler call in between.
    pub(crate) rest: Duration,
}

impl Wait {
    /// Rounded up to the millisecond, as which holds travel: never early.
    pub(crate) fn new(after: Duration) -> Self {
        let millis = after.as_nanos().div_ceil(1_000_000);
        let seconds = u32::try_from(millis / 1000).unwrap_or(u32::MAX).min(MOST_SECONDS);
        let rest = millis - u128::from(seconds) * 1000;
        let (hold, rest) = if rest < 1000 { (rest, 0) } else { (0, rest) };
        let duration = |millis| Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX));
        Self { seconds, hold: duration(hold), rest: duration(rest) }
    }

    /// The level to publish to; `None` for the deliver exchange.
    pub(crate) fn level(&self) -> Option<u32> {
        self.seconds.checked_ilog2()
    }
}

/// The key that leads through the levels whose bit is set and then to the queue: a word for each level, highest first,
/// then the queue's token.
pub(crate) fn routing_key(seconds: u32, queue: &str) -> String {
    let mut key = String::with_capacity(2 * LEVELS as usize + queue.len());
    for level in (0..LEVELS).rev() {
        key.push(if seconds & (1 << level) == 0 { '0' } else { '1' });
        key.push('.');
    }
    key.push_str(&token(queue));
    key
}

/// The pattern that binds a queue to the deliver exchange, whatever levels a message came through. A fixed number of
/// words: with `#` the key of `foo.orders` would reach `orders` too.
pub(crate) fn deliver_pattern(queue: &str) -> String {
    "*.".repeat(LEVELS as usize) + &token(queue)
}

/// The pattern of the keys that do, or do not, wait on a level.
pub(crate) fn level_pattern(level: u32, waits: bool) -> String {
    "*.".repeat((LEVELS - 1 - level) as usize) + if waits { "1.#" } else { "0.#" }
}

/// What stands for a queue in a routing key: its name, or a hash where the name is long or has characters with a meaning
/// in patterns.
fn token(queue: &str) -> String {
    const LONGEST: usize = 200;
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
    if !queue.is_empty() && queue.len() <= LONGEST && queue.bytes().all(plain) {
        return queue.to_owned();
    }
    format!("{:016x}", fnv_1a(queue.as_bytes()))
}

/// The same in every process and version, which the hasher of the standard library does not promise.
pub(crate) fn fnv_1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests;
