//! ActiveMQ's scenarios on the embedded broker, in virtual time.

use hearken_embedded::{Broker, EmbeddedTransport, Settings};
use hearken_testkit::conformance::Rig;
use hearken_tests::scenarios::Stage;
use std::sync::Arc;
use std::time::Duration;

async fn stage() -> Stage {
    let broker = Broker::new(Settings::default());
    let transport = Arc::new(EmbeddedTransport::new(broker.clone()));
    let rig = Rig { transport, settings: Vec::new(), tolerance: Duration::ZERO };
    Stage::new(rig, 1, move || {
        broker.cut_links();
        Box::pin(async {})
    })
}

hearken_tests::scenarios!(stage(), #[tokio::test(start_paused = true)]);
