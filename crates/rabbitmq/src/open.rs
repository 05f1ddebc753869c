use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// The deliveries of one consumer that are handed out and not settled, and since when.
#[derive(Default)]
pub(crate) struct Open(BTreeMap<u64, Instant>);

impl Open {
    pub(crate) fn handed_out(&mut self, tag: u64) {
        self.0.insert(tag, Instant::now());
    }

    pub(crate) fn settled(&mut self, tag: u64) {
        self.0.remove(&tag);
    }

    /// How long the oldest one is out already. Tags count up, and so does time.
    pub(crate) fn longest(&self) -> Option<Duration> {
        self.0.first_key_value().map(|(_, since)| since.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_oldest_delivery_that_is_not_settled_counts() {
        const SECOND: Duration = Duration::from_secs(1);
        let mut open = Open::default();
        assert_eq!(open.longest(), None);
        for tag in 1..=3 {
            open.handed_out(tag);
            tokio::time::advance(SECOND).await;
        }
        assert_eq!(open.longest(), Some(3 * SECOND));
        open.settled(1);
        open.settled(3);
        assert_eq!(open.longest(), Some(2 * SECOND));
        open.settled(2);
        assert_eq!(open.longest(), None);
    }
}
