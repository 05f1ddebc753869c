//! ActiveMQ's scenarios on a real RabbitMQ, on quorum queues; what depends on the broker's own count on classic ones too.

use hearken_rabbitmq::{RabbitMq, Settings};
use hearken_testkit::conformance::Rig;
use hearken_tests::broker;
use hearken_tests::proxy::Proxy;
use hearken_tests::scenarios::Stage;
use std::sync::Arc;
use std::time::Duration;

async fn stage(queue_type: &str) -> Stage {
    let proxy = Proxy::start(broker::amqp_address()).await;
    let url = broker::amqp_url_at(&proxy.address()).parse().expect("the address of the test's broker");
    let rig = Rig {
        transport: Arc::new(RabbitMq::new(Settings::new(url, "scenarios")).expect("settings")),
        settings: vec![("transport.queueType".to_owned(), queue_type.to_owned())],
        // A hop over a quorum queue takes a few milliseconds, on a loaded machine far more.
        tolerance: Duration::from_secs(5),
    };
    let proxy = Arc::new(proxy);
    Stage::new(rig, 4, move || {
        let proxy = Arc::clone(&proxy);
        Box::pin(async move { proxy.cut().await })
    })
}

mod quorum {
    use super::*;
    hearken_tests::scenarios!(stage("quorum"), #[tokio::test]);
}

mod classic {
    use super::*;
    hearken_tests::scenarios!(stage("classic"), [losses counts], [#[tokio::test]]);
}
