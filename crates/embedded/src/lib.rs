//! The in-process broker of hearken: exchanges, queues, acknowledgements, prefetch, time to live, native delay and
//! dead letters, without a socket and without a file.
//!
//! [`Broker`] is the broker itself, with a direct interface for tests and applications; [`EmbeddedTransport`] lets
//! listener containers consume from it. Several transports, and any number of links, may share one broker.
//!
//! ```
//! use hearken_core::message::Message;
//! use hearken_core::transport::{BindingKind, Outgoing};
//! use hearken_core::session::Destination;
//! use hearken_embedded::{Broker, Settings};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let broker = Broker::new(Settings::default());
//! broker.declare_queue("orders")?;
//! broker.declare_exchange("shop", BindingKind::Topic)?;
//! broker.bind("orders", "shop", "order.#")?;
//! broker.publish(Outgoing::new(Destination::exchange("shop", "order.created"), Message::new("42"))).await?;
//! assert_eq!(broker.peek("orders")[0].body().as_ref(), b"42");
//! # Ok(()) }
//! ```
//!
//! # What is lost when the process ends
//! Everything: ready messages, unsettled deliveries and delayed copies. Nothing is ever written to disk, and
//! [`Capabilities::durable`](hearken_core::transport::Capabilities::durable) says so.
//!
//! # Order
//! A queue hands out its messages in the order of their arrival. A message that goes back (requeue, hand back, a
//! consumer that is dropped) goes back to its *original* position, flagged as redelivered. A delayed copy arrives when
//! its wait is over, behind what is there by then. Consumers of one queue are served by priority and take turns within
//! one; those without room are passed by. Of a queue that serves one consumer at a time the others are served after that
//! one has gone, and after what it gave back is in its place again.
//!
//! # Queues that go by themselves
//! An auto-delete or temporary queue goes with its last consumer (a cancel is enough) and takes along what is in it,
//! which becomes no dead letter. A consumer that was cancelled before still hands out what it has; settling that does
//! nothing. The type of a queue (classic, quorum) means nothing here: an exclusive consumer is alone on any.
//!
//! # Time
//! Every wait is taken from tokio's clock, so that a paused clock drives it: equal inputs give an equal order. Timers
//! are one ordered map keyed by (due, sequence) with one sleep, run by one task per broker, spawned at the first need
//! and ended with the broker. They never fire early, and up to 1 ms late. Without a tokio runtime nothing sleeps:
//! then whatever is due is caught up with at the next call.
//!
//! # Memory
//! Bounded by [`Settings`]: a publish to a full queue waits for room. What a queue already answers for (a requeue, a
//! delayed redelivery, a dead letter) is never refused and never waits; it counts, so that publishers wait instead.
#![forbid(unsafe_code)]

mod broker;
mod consumer;
mod link;
mod publish;
mod settings;
mod shared;
mod state;
mod transport;

pub use broker::Broker;
pub use hearken_core::transport::Topology;
pub use settings::{MESSAGE_OVERHEAD, Settings};
pub use state::{ORPHANS, QueueStats};
pub use transport::EmbeddedTransport;
