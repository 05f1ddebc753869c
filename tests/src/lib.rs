//! What the tests of this package share.

pub mod broker;
pub mod captured;
pub mod proxy;
