//! What `#[listener]` expands to. No part of the public API: changes without notice.

pub use hearken_core::call::Call;
pub use hearken_core::extract::FromDelivery;
pub use hearken_core::listener::{
    AttributeOption, AttributeValue, BlockingCall, Handler, Linked, Listener, ListenerDescriptor,
    Registration, Requirements,
};
pub use hearken_core::outcome::{IntoOutcome, Outcome};
pub use hearken_core::{BoxFuture, VERSION as CORE_VERSION};
pub use inventory;
