//! What hearken wrote into its dead letters.

use crate::inspect::Inspector;
use lapin::message::Delivery;

/// A dead letter, as far as its headers tell its story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetter {
    /// The message's id, or nothing.
    pub id: String,
    /// The queue it was consumed from.
    pub queue: String,
    /// Why it is one: `exhausted`, or the kind of the failure.
    pub reason: String,
    /// The kind of the last failure.
    pub kind: String,
    /// The text of the last failure.
    pub text: String,
    /// How many attempts failed.
    pub attempts: i64,
}

impl DeadLetter {
    /// Takes all dead letters out of their queue.
    ///
    /// # Panics
    /// When there is no such queue.
    pub async fn drain(inspector: &Inspector, queue: &str) -> Vec<Self> {
        let mut letters = Vec::new();
        while let Some(message) = inspector.get(queue).await {
            letters.push(Self::read(&message));
        }
        letters
    }

    /// What the headers of this message tell.
    pub fn read(message: &Delivery) -> Self {
        let header = |name: &str| {
            let headers = message.properties.headers().as_ref();
            headers.and_then(|headers| headers.inner().get(name).cloned())
        };
        let text = |name: &str| {
            let text = header(name).and_then(|value| value.as_long_string().map(ToString::to_string));
            text.unwrap_or_default()
        };
        Self {
            id: message.properties.message_id().as_ref().map(ToString::to_string).unwrap_or_default(),
            queue: text("hearken-queue"),
            reason: text("hearken-reason"),
            kind: text("hearken-error-kind"),
            text: text("hearken-error-text"),
            attempts: header("hearken-attempts").and_then(|value| value.as_long_long_int()).unwrap_or(-1),
        }
    }
}
