use super::{FromDelivery, Reject};
use crate::call::Call;
use crate::failure::{Failure, FailureKind};
use crate::listener::Requirements;
use std::any::type_name;

/// A clone of the value of this type that was given to the application by `Hearken::builder().state(..)`.
///
/// A missing value is found before anything is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State<T>(pub T);

impl<'a, T: Clone + Send + Sync + 'static> FromDelivery<'a> for State<T> {
    async fn from_delivery(call: &'a Call) -> Result<Self, Reject> {
        call.states.get::<T>().cloned().map(State).ok_or_else(|| {
            Reject::failure(Failure::new(
                FailureKind::Error,
                format!("no state of type `{}`", type_name::<T>()),
            ))
        })
    }

    fn requirements(needs: &mut Requirements) {
        needs.state::<T>();
    }
}
