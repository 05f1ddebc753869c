use hearken_core::time::Timestamp;
use std::time::Duration;

/// What every message in a queue counts for beside its own bytes, so that empty messages are bounded as well.
pub const MESSAGE_OVERHEAD: usize = 512;

/// The limits of a broker.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The largest message, in bytes of body, headers and textual properties; 16 MiB. A larger one is refused.
    /// Copies of consumed messages (redeliveries and dead letters) are exempt: they carry a few headers more.
    pub max_message_bytes: usize,
    /// The most bytes one queue answers for, ready, unacknowledged and delayed together, each message counted with
    /// [`MESSAGE_OVERHEAD`]; 256 MiB.
    pub max_queue_bytes: usize,
    /// The most messages one queue answers for, ready, unacknowledged and delayed together; no limit.
    pub max_queue_messages: Option<usize>,
    /// How long a publish to a full queue waits for room before it is refused; 30 s.
    pub publish_timeout: Duration,
    /// The wall-clock time at which the broker is made, from which the times in headers are counted; the system's
    /// clock. Fix it where a test compares such a time.
    pub started_at: Option<Timestamp>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_message_bytes: 16 << 20,
            max_queue_bytes: 256 << 20,
            max_queue_messages: None,
            publish_timeout: Duration::from_secs(30),
            started_at: None,
        }
    }
}
