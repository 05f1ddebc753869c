//! What a service usually needs: `use hearken::prelude::*;`

pub use crate::Hearken;
pub use bytes::Bytes;
pub use hearken_core::BoxError;
pub use hearken_core::extract::{
    Attempt, FromDelivery, FromHeader, Header, Json, Payload, RedeliveryInfo, Reject, State, Text,
};
pub use hearken_core::failure::{Failure, FailureExt};
pub use hearken_core::message::{HeaderValue, Headers, Message};
pub use hearken_core::outcome::Action;
pub use hearken_core::session::{Destination, Publisher, Session};
pub use hearken_macros::listener;
