//! How long to disturb, and how long to wait.

use std::future::Future;
use std::time::{Duration, Instant};

/// Whether the long form was asked for: `HEARKEN_CHAOS=full scripts/test`. The short form does the same things, fewer
/// times and for a shorter while.
pub fn full() -> bool {
    std::env::var("HEARKEN_TEST_CHAOS").is_ok_and(|form| form == "full")
}

/// One of two, by the form.
pub fn pick<T>(short: T, long: T) -> T {
    if full() { long } else { short }
}

/// The result of `work`, which may not take longer than `limit`.
///
/// # Panics
/// When it does, naming what was waited for.
pub async fn within<T>(limit: Duration, what: &str, work: impl Future<Output = T>) -> T {
    tokio::time::timeout(limit, work).await.unwrap_or_else(|_| panic!("{what}: not within {limit:?}"))
}

/// Waits until `holds`, and tells how long that took.
///
/// # Panics
/// When it does not hold within `limit`.
pub async fn eventually(limit: Duration, what: &str, mut holds: impl AsyncFnMut() -> bool) -> Duration {
    let begin = Instant::now();
    let waiting = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    within(limit, what, waiting).await;
    begin.elapsed()
}
