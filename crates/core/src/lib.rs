//! The domain of hearken: messages, deliveries, outcomes, redelivery policies, extraction of handler arguments,
//! listener descriptors, and the ports to brokers ([`transport`]) and transaction managers ([`transaction`]).
//!
//! Nothing here reads a clock, opens a socket or needs a runtime: decisions are pure functions with time and
//! randomness passed in. Services use the facade crate `hearken`; adapters and test doubles use this one.
#![forbid(unsafe_code)]

pub mod call;
pub mod dead_letter;
pub mod delivery;
pub mod extract;
pub mod failure;
pub mod history;
pub mod listener;
pub mod message;
pub mod outcome;
pub mod redact;
pub mod redelivery;
pub mod session;
pub mod time;
pub mod transaction;
pub mod transport;
pub mod verdict;

/// Any error a handler may return.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A future behind a pointer: the ports are object-safe.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The version of this crate, carried by every listener descriptor so that two copies in one binary are noticed.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
