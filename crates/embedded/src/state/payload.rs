use hearken_core::delivery::{Delivery, Origin, Receipt};
use hearken_core::history::History;
use hearken_core::message::{HeaderValue, Headers, Message};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// A published message. Allocated once, however many queues it is routed to.
#[derive(Clone)]
pub(crate) struct Payload {
    pub(crate) message: Message,
    pub(crate) exchange: Arc<str>,
    pub(crate) routing_key: Arc<str>,
    /// As counted against a queue's limit.
    pub(crate) cost: usize,
    /// Came through `redeliver`: the history in its headers is hearken's own word. Read when the message is handed
    /// out, so that a pending delay costs no parsed copy of it.
    pub(crate) trusted: bool,
}

/// A message in one queue.
pub(crate) struct Entry {
    /// The position in the queue, and beside its expiry the key of its timer. Unique in the broker.
    pub(crate) sequence: u64,
    pub(crate) expires: Option<Instant>,
    pub(crate) payload: Arc<Payload>,
    pub(crate) redelivered: bool,
    /// How often a consumer gave it back.
    pub(crate) returns: u32,
}

/// A message handed out, still to be made into a delivery outside of the lock.
pub(crate) struct Handed {
    pub(crate) tag: u64,
    pub(crate) payload: Arc<Payload>,
    pub(crate) redelivered: bool,
    pub(crate) returns: u32,
}

impl Handed {
    pub(crate) fn into_delivery(self, queue: &Arc<str>) -> Delivery {
        let payload = &*self.payload;
        let mut message = payload.message.clone();
        let mut origin = Origin {
            queue: Arc::clone(queue),
            exchange: Arc::clone(&payload.exchange),
            routing_key: Arc::clone(&payload.routing_key),
        };
        let mut history = None;
        if payload.trusted {
            if let Some((story, first)) = History::read(message.headers()) {
                (history, origin) = (Some(story), first);
            }
            History::strip(message.headers_mut());
        }
        Delivery {
            message,
            origin,
            history,
            redelivered: self.redelivered,
            delivery_count: self.returns.into(),
            hold: Duration::ZERO,
            defect: None,
            receipt: Receipt::new(self.tag, None),
        }
    }
}

/// The bytes of body, headers and textual properties.
pub(crate) fn message_bytes(message: &Message) -> usize {
    let p = message.properties();
    let texts = [
        &p.content_type,
        &p.content_encoding,
        &p.correlation_id,
        &p.reply_to,
        &p.message_id,
        &p.kind,
        &p.user_id,
        &p.app_id,
    ];
    let properties: usize = texts.into_iter().flatten().map(String::len).sum();
    message.body().len() + properties + headers_bytes(message.headers())
}

fn headers_bytes(headers: &Headers) -> usize {
    headers.iter().map(|(name, value)| name.len() + value_bytes(value)).sum()
}

fn value_bytes(value: &HeaderValue) -> usize {
    let content = match value {
        HeaderValue::Text(text) => text.len(),
        HeaderValue::Bytes(bytes) => bytes.len(),
        HeaderValue::List(values) => values.iter().map(value_bytes).sum(),
        HeaderValue::Table(headers) => headers_bytes(headers),
        _ => 0,
    };
    size_of::<HeaderValue>() + content
}
