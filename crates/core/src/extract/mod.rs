//! Handler arguments: each is taken from the call by its type, in any order and number.

mod attempt;
mod header;
mod payload;
mod state;

pub use attempt::{Attempt, RedeliveryInfo};
pub use header::{FromHeader, Header};
pub use payload::{Json, Payload, Text};
pub use state::State;

use crate::call::Call;
use crate::failure::{Failure, FailureKind};
use crate::listener::Requirements;
use crate::message::{Headers, Message};
use crate::outcome::Outcome;
use crate::session::Session;
use crate::{BoxError, BoxFuture};
use bytes::Bytes;
use std::convert::Infallible;

/// An argument could not be taken from the message.
#[derive(Debug)]
pub struct Reject(Failure);

impl Reject {
    /// The message is not what the handler asks for: kind `undecodable`, straight to the dead letter queue.
    pub fn undecodable(error: impl Into<BoxError>) -> Self {
        Self(Failure::new(FailureKind::Undecodable, error))
    }

    /// Taking the argument failed with this failure.
    pub fn failure(failure: Failure) -> Self {
        Self(failure)
    }

    /// What failed.
    pub fn into_failure(self) -> Failure {
        self.0
    }
}

impl From<Reject> for Outcome {
    fn from(reject: Reject) -> Self {
        reject.0.into()
    }
}

/// What a `#[listener]` function may take as an argument.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be taken from a message by a #[listener] function",
    label = "not a listener argument",
    note = "arguments are `Json<T>`, `Text`, `Bytes`, `Payload<T>`, `Header<T>`, `Headers`, `Attempt`, `RedeliveryInfo`, `State<T>`, `Session`, `Message`, and your own types that implement `FromDelivery`"
)]
pub trait FromDelivery<'a>: Sized {
    /// Takes the argument from the call.
    fn from_delivery(call: &'a Call) -> impl Future<Output = Result<Self, Reject>> + Send;

    /// `from_delivery` behind a pointer.
    #[doc(hidden)]
    fn boxed(call: &'a Call) -> BoxFuture<'a, Result<Self, Reject>>
    where
        Self: 'a,
    {
        Box::pin(Self::from_delivery(call))
    }

    /// What the argument needs from the application; checked before anything is opened.
    fn requirements(needs: &mut Requirements) {
        let _ = needs;
    }
}

macro_rules! taken {
    ($($type:ty, $call:ident => $value:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<'a> FromDelivery<'a> for $type {
            async fn from_delivery($call: &'a Call) -> Result<Self, Reject> {
                Ok($value)
            }
        }
    )*};
}
taken! {
    Message, call => call.message.clone();
    Headers, call => call.message.headers().clone();
    Bytes, call => call.message.body().clone();
    Session, call => call.session.clone();
    &'a Message, call => &call.message;
    &'a Headers, call => call.message.headers();
    &'a [u8], call => call.message.body();
    &'a Call, call => call;
}

/// The argument if it can be taken, `None` if the message does not have it.
#[diagnostic::do_not_recommend]
impl<'a, T: FromHeader> FromDelivery<'a> for Option<Header<T>> {
    async fn from_delivery(call: &'a Call) -> Result<Self, Reject> {
        header::optional(call.message.headers())
    }
}

/// The argument, or why it could not be taken: lets the handler decide about undecodable messages.
impl<'a, T: FromDelivery<'a>> FromDelivery<'a> for Result<T, Reject> {
    async fn from_delivery(call: &'a Call) -> Result<Self, Reject> {
        Ok(T::from_delivery(call).await)
    }

    fn requirements(needs: &mut Requirements) {
        T::requirements(needs);
    }
}

impl From<Infallible> for Reject {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
