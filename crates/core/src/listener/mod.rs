//! Listeners: what `#[listener]` leaves behind for the container to find.

mod descriptor;
mod registry;

pub use descriptor::{
    AsyncHandler, AttributeOption, AttributeValue, BlockingCall, BlockingHandler, Handler, Listener,
    ListenerDescriptor, Requirement, Requirements,
};
pub use registry::{Linked, Registration, linked, registered};
