use std::time::Duration;
use tokio::time::Instant;

/// A quorum queue's part in the channel process has at most 32 settlements on their way at a time and keeps the rest back
/// until those were written to disk; what is kept back when the channel closes is lost, and comes again.
const SAFE: usize = 24;
/// Within this time a burst is taken up, on any disk that can be worked with.
const TIME: Duration = Duration::from_millis(250);

/// How many settlements were sent shortly after one another.
#[derive(Default)]
pub(super) struct Burst {
    frames: usize,
    last: Option<Instant>,
}

impl Burst {
    pub(super) fn frames(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        let now = Instant::now();
        if self.last.is_none_or(|last| now - last > TIME) {
            self.frames = 0;
        }
        self.frames += count;
        self.last = Some(now);
    }

    /// Resolves when the broker has had the time to take them up.
    pub(super) async fn settled(&self) {
        if let Some(last) = self.last.filter(|_| self.frames > SAFE) {
            tokio::time::sleep_until(last + TIME).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn waited(burst: &Burst) -> Duration {
        let before = Instant::now();
        burst.settled().await;
        before.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn only_after_a_burst_a_close_waits() {
        let mut burst = Burst::default();
        assert_eq!(waited(&burst).await, Duration::ZERO);
        for _ in 0..100 {
            burst.frames(1);
            tokio::time::advance(TIME + Duration::from_millis(1)).await;
        }
        assert_eq!(waited(&burst).await, Duration::ZERO);
        burst.frames(SAFE);
        assert_eq!(waited(&burst).await, Duration::ZERO);
        burst.frames(1);
        assert_eq!(waited(&burst).await, TIME);
        assert_eq!(waited(&burst).await, Duration::ZERO);
    }
}
