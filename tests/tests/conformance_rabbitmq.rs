//! The conformance suite on a real RabbitMQ, on quorum and on classic queues.

use hearken_rabbitmq::{RabbitMq, Settings};
use hearken_testkit::conformance::Rig;
use hearken_tests::broker;
use std::sync::Arc;
use std::time::Duration;

async fn rig(queue_type: &str) -> Rig {
    let url = broker::amqp_url().parse().expect("the address of the test's broker");
    Rig {
        transport: Arc::new(RabbitMq::new(Settings::new(url, "conformance")).expect("settings")),
        settings: vec![("transport.queueType".to_owned(), queue_type.to_owned())],
        // A hop over a quorum queue takes a few milliseconds, on a loaded machine far more.
        tolerance: Duration::from_secs(5),
    }
}

mod quorum {
    use super::*;
    hearken_testkit::conformance!(rig("quorum"), #[tokio::test]);
}

mod classic {
    use super::*;
    hearken_testkit::conformance!(rig("classic"), #[tokio::test]);
}
