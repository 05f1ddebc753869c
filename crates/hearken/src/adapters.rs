//! The transports this build can be configured to use.

use hearken_container::Adapter;
use hearken_container::config::{ApplicationConfig, TransportConfig, keys};
use hearken_core::transport::{Transport, TransportError};
use std::sync::Arc;

pub(crate) static ADAPTERS: &[Adapter] = &[
    Adapter { schemes: &["embedded"], rows: keys::EMBEDDED, make: embedded },
    #[cfg(feature = "rabbitmq")]
    Adapter { schemes: &["amqp", "amqps"], rows: keys::RABBITMQ, make: rabbitmq },
];

fn embedded(_: &ApplicationConfig, config: &TransportConfig) -> Result<Arc<dyn Transport>, TransportError> {
    use hearken_embedded::{Broker, EmbeddedTransport, Settings};
    let size = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    let mut settings = Settings::default();
    settings.max_message_bytes = size(config.max_message_bytes);
    settings.max_queue_bytes = size(config.max_queue_bytes);
    settings.max_queue_messages = config.max_queue_messages.map(size);
    settings.publish_timeout = config.publish_timeout;
    Ok(Arc::new(EmbeddedTransport::new(Broker::new(settings)).with_topology(config.topology)))
}

#[cfg(feature = "rabbitmq")]
fn rabbitmq(
    application: &ApplicationConfig,
    config: &TransportConfig,
) -> Result<Arc<dyn Transport>, TransportError> {
    use hearken_core::transport::TransportErrorKind::InvalidSettings;
    use hearken_rabbitmq::{RabbitMq, Settings, Url};
    let url: Url = config.url.expose().parse().map_err(|error: hearken_rabbitmq::UrlError| {
        TransportError::new(InvalidSettings, error.to_string())
    })?;
    let mut settings = Settings::new(url, &*application.name);
    settings.topology = config.topology;
    settings.ca_certificate = config.ca_certificate.clone();
    settings.connect_timeout = config.connect_timeout;
    settings.call_timeout = config.call_timeout;
    settings.publish_timeout = config.publish_timeout;
    settings.heartbeat = config.heartbeat;
    settings.consumer_timeout = config.consumer_timeout;
    settings.max_message_bytes = Some(config.max_message_bytes);
    Ok(Arc::new(RabbitMq::new(settings)?))
}
