//! The listener container of hearken: configuration, lifecycle, the receive loop, settlement and redelivery.
//!
//! It knows brokers by the ports of `hearken-core` only. A message's way, each arrow one call:
//! [`transport`](hearken_core::transport) → `invoker::Invoker::next` → `Invoker::admit` → `call::call` (begin →
//! extract → handler → commit or roll back) → `Invoker::judge` → settle, hold, move, or dead letter.
#![forbid(unsafe_code)]

pub mod config;

mod application;
mod back_off;
mod blocking;
mod builder;
mod clock;
mod concurrency;
mod epoch;
mod error;
mod invoker;
mod listener;
mod observe;
mod pace;
mod preflight;
mod publisher;
mod running;
mod signal;
mod slot;
mod state;

pub use application::Application;
pub use back_off::BackOff;
pub use builder::{Adapter, Builder, MakeTransport};
pub use concurrency::{Concurrency, ConcurrencyError};
pub use error::Error;
pub use running::{Running, StopReport};
pub use state::ListenerState;
