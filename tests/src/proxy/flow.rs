use std::time::Duration;

/// How bytes travel in one direction. The default lets them pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// Every byte arrives this much later.
    pub latency: Duration,
    /// The latency is up to this much longer or shorter; bytes never overtake each other.
    pub jitter: Duration,
    /// No faster than this.
    pub bytes_per_second: Option<u32>,
    /// In packets of this size at most.
    pub slice: Option<usize>,
    /// The wait between two packets.
    pub pause: Duration,
    /// Nothing arrives, not even the end of the connection, while the sender sees an open one. What was sent meanwhile
    /// arrives afterwards, as TCP would send it again.
    pub hole: bool,
}

impl Flow {
    /// Nothing arrives.
    pub const HOLE: Self = Self { hole: true, ..Self::OPEN };
    /// Everything arrives at once.
    pub const OPEN: Self = Self {
        latency: Duration::ZERO,
        jitter: Duration::ZERO,
        bytes_per_second: None,
        slice: None,
        pause: Duration::ZERO,
        hole: false,
    };

    /// One byte after the other, so many a second.
    pub const fn drip(bytes_per_second: u32) -> Self {
        Self { bytes_per_second: Some(bytes_per_second), slice: Some(1), ..Self::OPEN }
    }

    /// The latency of one chunk, for a random number between 0 and 1.
    pub(super) fn delay(&self, random: f64) -> Duration {
        let spread = self.jitter.mul_f64(2.0 * random);
        (self.latency + spread).saturating_sub(self.jitter)
    }

    /// The size of the next packet out of `left` bytes.
    pub(super) fn packet(&self, left: usize) -> usize {
        // A limited rate is spread over the second, not paid at its end.
        let share = self.bytes_per_second.map_or(left, |rate| (rate / 20).max(1) as usize);
        left.min(self.slice.unwrap_or(left)).min(share).max(1)
    }

    /// How long the line is taken by a packet.
    pub(super) fn cost(&self, bytes: usize) -> Duration {
        let sending = self.bytes_per_second.map_or(0.0, |rate| bytes as f64 / f64::from(rate.max(1)));
        self.pause + Duration::from_secs_f64(sending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_spreads_both_ways_around_the_latency() {
        let [latency, jitter] = [100, 30].map(Duration::from_millis);
        let flow = Flow { latency, jitter, ..Flow::OPEN };
        assert_eq!([0.0, 0.5, 1.0].map(|random| flow.delay(random).as_millis()), [70, 100, 130]);
    }

    #[test]
    fn a_drip_takes_its_time_byte_by_byte() {
        let flow = Flow::drip(1_000);
        assert_eq!((flow.packet(64), flow.cost(1)), (1, Duration::from_millis(1)));
    }

    #[test]
    fn a_limited_rate_comes_in_small_packets() {
        let flow = Flow { bytes_per_second: Some(2_000), ..Flow::OPEN };
        assert_eq!((flow.packet(64_000), flow.cost(100)), (100, Duration::from_millis(50)));
        assert_eq!(Flow::OPEN.packet(64_000), 64_000);
    }
}
