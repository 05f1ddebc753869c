use crate::url::Url;
use hearken_core::transport::Topology;
use std::path::PathBuf;
use std::time::Duration;

/// How to reach a RabbitMQ and what to do there.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// Where, as whom, and into which virtual host.
    pub url: Url,
    /// The application's name: hearken's own exchanges and queues begin with `hearken.v1.<application>`.
    pub application: String,
    /// What may be declared.
    pub topology: Topology,
    /// A PEM file with the only certificate authorities to trust for `amqps`; the system's without one.
    pub ca_certificate: Option<PathBuf>,
    /// The longest wait for a connection, from the first packet to the opened virtual host. 5 s.
    pub connect_timeout: Duration,
    /// The longest wait for the answer to any other call. 10 s.
    pub call_timeout: Duration,
    /// The longest wait for the confirm of a message, from the call. 30 s.
    pub publish_timeout: Duration,
    /// Silence of twice this length ends a connection. Whole seconds, at least 1. 10 s.
    pub heartbeat: Duration,
    /// How long the broker leaves a delivery unacknowledged, which it does not tell: its `consumer_timeout`. 30 minutes;
    /// `None` for ever.
    pub consumer_timeout: Option<Duration>,
    /// Larger bodies are not sent, since a broker answers one by closing the channel; larger ones that arrive are
    /// handed out with that defect. 16 MiB, the limit of RabbitMQ 4; `None` for no limit.
    pub max_message_bytes: Option<u64>,
}

impl Settings {
    /// The default settings for this broker and application.
    pub fn new(url: Url, application: impl Into<String>) -> Self {
        Self {
            url,
            application: application.into(),
            topology: Topology::default(),
            ca_certificate: None,
            connect_timeout: Duration::from_secs(5),
            call_timeout: Duration::from_secs(10),
            publish_timeout: Duration::from_secs(30),
            heartbeat: Duration::from_secs(10),
            consumer_timeout: Some(Duration::from_secs(30 * 60)),
            max_message_bytes: Some(16 * 1024 * 1024),
        }
    }
}
