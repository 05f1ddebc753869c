//! hearken's messages and AMQP's properties, faithfully in both directions.

mod headers;
mod properties;
mod size;

pub(crate) use properties::{message, properties};
pub(crate) use size::header_size;

use hearken_core::transport::PublishError;
use lapin::types::ShortString;

/// `text` as AMQP's short string, or an error that names it.
pub(crate) fn short(what: &str, text: &str) -> Result<ShortString, PublishError> {
    ShortString::try_new(text).map_err(|_| PublishError::Invalid {
        reason: format!("the {what} has {} bytes; AMQP carries at most 255", text.len()),
    })
}
