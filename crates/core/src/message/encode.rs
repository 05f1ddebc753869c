use super::Message;
use crate::BoxError;
use crate::extract::{Json, Text};
use bytes::Bytes;
use serde::Serialize;

/// A payload could not be turned into a message.
#[derive(Debug, thiserror::Error)]
#[error("cannot encode the payload: {source}")]
pub struct EncodeError {
    source: BoxError,
}

impl EncodeError {
    /// An error of an encoder of one's own.
    pub fn new(source: impl Into<BoxError>) -> Self {
        Self { source: source.into() }
    }
}

/// What can be sent: the extractors that take a message apart put it together as well.
pub trait Encode {
    /// The message to send.
    ///
    /// # Errors
    /// [`EncodeError`] when the value cannot be represented.
    fn encode(&self) -> Result<Message, EncodeError>;
}

impl<T: Encode + ?Sized> Encode for &T {
    fn encode(&self) -> Result<Message, EncodeError> {
        (**self).encode()
    }
}

impl<T: Serialize> Encode for Json<T> {
    fn encode(&self) -> Result<Message, EncodeError> {
        let body = serde_json::to_vec(&self.0).map_err(EncodeError::new)?;
        Ok(Message::new(body).with_content_type("application/json"))
    }
}

impl Encode for Text {
    fn encode(&self) -> Result<Message, EncodeError> {
        Ok(Message::new(self.0.clone()).with_content_type("text/plain; charset=utf-8"))
    }
}

impl Encode for str {
    fn encode(&self) -> Result<Message, EncodeError> {
        Text(self.to_owned()).encode()
    }
}

impl Encode for Bytes {
    fn encode(&self) -> Result<Message, EncodeError> {
        Ok(Message::new(self.clone()).with_content_type("application/octet-stream"))
    }
}

impl Encode for Message {
    fn encode(&self) -> Result<Message, EncodeError> {
        Ok(self.clone())
    }
}
