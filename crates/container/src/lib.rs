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
mod burned;
mod clock;
mod concurrency;
mod container;
mod crew;
mod epoch;
mod error;
mod event;
mod foundry;
mod handle;
mod hooks;
mod invoker;
mod listener;
mod observe;
mod observer;
mod pace;
mod patience;
mod preflight;
mod publisher;
mod running;
mod scaling;
mod shared;
mod signal;
mod state;
mod supervisor;

pub use application::Application;
pub use back_off::BackOff;
pub use builder::{Adapter, Builder, MakeTransport};
pub use concurrency::{Concurrency, ConcurrencyError};
pub use error::Error;
pub use event::{Event, EventKind, Events};
pub use handle::{Handle, HandleError, ListenerStatus};
pub use hooks::{FailedDelivery, FailureDecision, InfrastructureFailure};
#[doc(hidden)]
pub use observer::{Observed, Observer};
pub use running::{Running, StopReport};
pub use state::ListenerState;
