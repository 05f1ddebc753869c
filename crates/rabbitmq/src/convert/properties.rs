use super::headers::{headers, seconds, table, timestamp};
use super::short;
use bytes::Bytes;
use hearken_core::message::{DeliveryMode, Message, Properties};
use hearken_core::transport::PublishError;
use lapin::BasicProperties;
use lapin::types::ShortString;
use std::time::Duration;

const NON_PERSISTENT: u8 = 1;
const PERSISTENT: u8 = 2;
/// RabbitMQ refuses a longer `expiration` by closing the channel.
const LONGEST_TIME_TO_LIVE: u128 = u32::MAX as u128;

/// The content header of `message`, without its body.
pub(crate) fn properties(message: &Message) -> Result<BasicProperties, PublishError> {
    let from = message.properties();
    let mut to = BasicProperties::default().with_delivery_mode(match from.delivery_mode {
        DeliveryMode::NonPersistent => NON_PERSISTENT,
        DeliveryMode::Persistent => PERSISTENT,
    });
    type With = fn(BasicProperties, ShortString) -> BasicProperties;
    let texts: [(&str, &Option<String>, With); 8] = [
        ("content type", &from.content_type, BasicProperties::with_content_type),
        ("content encoding", &from.content_encoding, BasicProperties::with_content_encoding),
        ("correlation id", &from.correlation_id, BasicProperties::with_correlation_id),
        ("reply-to", &from.reply_to, BasicProperties::with_reply_to),
        ("message id", &from.message_id, BasicProperties::with_message_id),
        ("type", &from.kind, BasicProperties::with_type),
        ("user id", &from.user_id, BasicProperties::with_user_id),
        ("application id", &from.app_id, BasicProperties::with_app_id),
    ];
    for (what, text, with) in texts {
        if let Some(text) = text {
            to = with(to, short(what, text)?);
        }
    }
    if let Some(priority) = from.priority {
        to = to.with_priority(priority);
    }
    if let Some(time_to_live) = from.time_to_live {
        to = to.with_expiration(short("time to live", &expiration(time_to_live))?);
    }
    if let Some(time) = from.timestamp {
        to = to.with_timestamp(seconds(time));
    }
    if !message.headers().is_empty() {
        to = to.with_headers(table(message.headers())?);
    }
    Ok(to)
}

/// Milliseconds, rounded up: zero would mean "drop at once".
fn expiration(time_to_live: Duration) -> String {
    time_to_live.as_nanos().div_ceil(1_000_000).min(LONGEST_TIME_TO_LIVE).to_string()
}

/// The message of a delivery.
pub(crate) fn message(body: Vec<u8>, from: &BasicProperties) -> Message {
    let text = |value: &Option<ShortString>| value.as_ref().map(|text| text.as_str().to_owned());
    let mut to = Properties::default();
    to.content_type = text(from.content_type());
    to.content_encoding = text(from.content_encoding());
    to.delivery_mode = match from.delivery_mode() {
        Some(PERSISTENT) => DeliveryMode::Persistent,
        _ => DeliveryMode::NonPersistent,
    };
    to.priority = *from.priority();
    to.correlation_id = text(from.correlation_id());
    to.reply_to = text(from.reply_to());
    to.time_to_live =
        from.expiration().as_ref().and_then(|text| text.as_str().parse().ok()).map(Duration::from_millis);
    to.message_id = text(from.message_id());
    to.timestamp = from.timestamp().map(timestamp);
    to.kind = text(from.kind());
    to.user_id = text(from.user_id());
    to.app_id = text(from.app_id());
    let headers = from.headers().as_ref().map(headers).unwrap_or_default();
    Message::from_parts(Bytes::from(body), to, headers)
}

#[cfg(test)]
mod tests;
