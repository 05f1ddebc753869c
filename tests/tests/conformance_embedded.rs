//! The conformance suite on the embedded broker, in virtual time.

use hearken_embedded::{Broker, EmbeddedTransport, Settings};
use hearken_testkit::conformance::Rig;
use std::sync::Arc;
use std::time::Duration;

async fn rig() -> Rig {
    Rig {
        transport: Arc::new(EmbeddedTransport::new(Broker::new(Settings::default()))),
        settings: Vec::new(),
        tolerance: Duration::ZERO,
    }
}

hearken_testkit::conformance!(rig(), #[tokio::test(start_paused = true)]);
