use super::{FromDelivery, Reject};
use crate::call::Call;
use serde::de::DeserializeOwned;

/// The body as JSON, whatever the content type says; as a payload to send, `application/json`.
///
/// Nesting is limited to 128 levels by `serde_json`. A body that is not JSON of this shape makes the message
/// undecodable: it becomes a dead letter without a handler call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl<'a, T: DeserializeOwned> FromDelivery<'a> for Json<T> {
    async fn from_delivery(call: &'a Call) -> Result<Self, Reject> {
        json(call.message.body()).map(Json)
    }
}

/// The body as UTF-8 text; as a payload to send, `text/plain`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(pub String);

#[diagnostic::do_not_recommend]
impl<'a> FromDelivery<'a> for Text {
    async fn from_delivery(call: &'a Call) -> Result<Self, Reject> {
        String::from_utf8(call.message.body().to_vec()).map(Text).map_err(|error| {
            Reject::undecodable(format!("the body is not UTF-8 text: {}", error.utf8_error()))
        })
    }
}

/// The body by its content type: JSON (`application/json`, `…+json`, or no content type).
///
/// Any other content type makes the message undecodable, naming the type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Payload<T>(pub T);

impl<'a, T: DeserializeOwned> FromDelivery<'a> for Payload<T> {
    async fn from_delivery(call: &'a Call) -> Result<Self, Reject> {
        match call.message.properties().content_type.as_deref() {
            None => json(call.message.body()).map(Payload),
            Some(content_type) if is_json(content_type) => json(call.message.body()).map(Payload),
            Some(other) => Err(Reject::undecodable(format!(
                "no decoder for the content type `{}`; known: application/json",
                crate::history::printable(other, 100)
            ))),
        }
    }
}

fn is_json(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == "application/json" || essence.ends_with("+json") || essence == "text/json"
}

fn json<T: DeserializeOwned>(body: &[u8]) -> Result<T, Reject> {
    serde_json::from_slice(body)
        .map_err(|error| Reject::undecodable(format!("the body is not the expected JSON: {error}")))
}
