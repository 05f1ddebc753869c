//! Messages: body, properties and headers.

mod encode;
mod headers;
mod properties;

pub use encode::{Encode, EncodeError};
pub use headers::{HeaderValue, Headers};
pub use properties::{DeliveryMode, Properties};

use bytes::Bytes;

/// A message: an opaque body, the standard properties of AMQP 0-9-1, and the sender's headers.
///
/// Cloning shares body and headers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    body: Bytes,
    properties: Properties,
    headers: Headers,
}

impl Message {
    /// A persistent message with this body and nothing else.
    pub fn new(body: impl Into<Bytes>) -> Self {
        Self { body: body.into(), properties: Properties::default(), headers: Headers::default() }
    }

    /// A message of its three parts.
    pub fn from_parts(body: Bytes, properties: Properties, headers: Headers) -> Self {
        Self { body, properties, headers }
    }

    /// The parts of this message.
    pub fn into_parts(self) -> (Bytes, Properties, Headers) {
        (self.body, self.properties, self.headers)
    }

    /// The body, as sent.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// The standard properties.
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    /// The standard properties, to change them before sending.
    pub fn properties_mut(&mut self) -> &mut Properties {
        &mut self.properties
    }

    /// The sender's headers.
    pub fn headers(&self) -> &Headers {
        &self.headers
    }

    /// The headers, to change them before sending.
    pub fn headers_mut(&mut self) -> &mut Headers {
        &mut self.headers
    }

    /// The message id, where the sender gave one.
    pub fn id(&self) -> Option<&str> {
        self.properties.message_id.as_deref()
    }

    /// This message with one header set.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<HeaderValue>) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// This message with a message id.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.properties.message_id = Some(id.into());
        self
    }

    /// This message with a content type.
    #[must_use]
    pub fn with_content_type(mut self, content_type: impl Into<String>) -> Self {
        self.properties.content_type = Some(content_type.into());
        self
    }

    /// This message with a time to live, counted by the broker from its acceptance.
    #[must_use]
    pub fn with_time_to_live(mut self, time_to_live: std::time::Duration) -> Self {
        self.properties.time_to_live = Some(time_to_live);
        self
    }
}
