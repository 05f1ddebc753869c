//! tokio's clock must be paused, from the beginning: then every wait takes exactly its time.

use hearken_core::transport::{TransportError, TransportErrorKind};
use std::time::Duration;
use tokio::time::Instant;

const HELP: &str = "the clock of this test is not paused, so that waits would take their time: run it by \
                    #[tokio::test(start_paused = true)], with tokio's feature `test-util` among the dev-dependencies";

pub(super) fn must_be_paused() -> Result<(), TransportError> {
    // A paused clock stands still while real time passes.
    let before = Instant::now();
    std::thread::sleep(Duration::from_millis(1));
    if before.elapsed().is_zero() {
        return Ok(());
    }
    Err(TransportError::new(TransportErrorKind::InvalidSettings, HELP))
}
