use super::{FromDelivery, Reject};
use crate::BoxError;
use crate::call::Call;
use crate::message::{HeaderValue, Headers};

/// A type that is read from one header.
///
/// ```
/// use hearken_core::extract::FromHeader;
/// use hearken_core::message::HeaderValue;
///
/// struct Tenant(String);
///
/// impl FromHeader for Tenant {
///     const NAME: &'static str = "tenant";
///     fn from_header(value: &HeaderValue) -> Result<Self, hearken_core::BoxError> {
///         Ok(Self(value.as_text().ok_or("expected text")?.to_owned()))
///     }
/// }
/// ```
pub trait FromHeader: Sized + Send {
    /// The header's name.
    const NAME: &'static str;

    /// Reads the value.
    ///
    /// # Errors
    /// Any error makes the message undecodable.
    fn from_header(value: &HeaderValue) -> Result<Self, BoxError>;
}

/// One named header. Missing or unreadable, it makes the message undecodable; `Option<Header<T>>` allows its absence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header<T>(pub T);

impl<'a, T: FromHeader> FromDelivery<'a> for Header<T> {
    async fn from_delivery(call: &'a Call) -> Result<Self, Reject> {
        optional(call.message.headers())?
            .ok_or_else(|| Reject::undecodable(format!("the header `{}` is missing", T::NAME)))
    }
}

pub(super) fn optional<T: FromHeader>(headers: &Headers) -> Result<Option<Header<T>>, Reject> {
    let Some(value) = headers.get(T::NAME) else { return Ok(None) };
    T::from_header(value)
        .map(|value| Some(Header(value)))
        .map_err(|error| Reject::undecodable(format!("the header `{}`: {error}", T::NAME)))
}
