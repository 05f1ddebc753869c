//! The RabbitMQ transport of hearken, on lapin.
//!
//! ```
//! use hearken_rabbitmq::{RabbitMq, Settings};
//!
//! let url = "amqp://guest:guest@localhost".parse()?;
//! let transport = RabbitMq::new(Settings::new(url, "shop"))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it keeps to
//! - A link is two connections: one consumes, one publishes, so that a broker short of memory stops no acknowledgement.
//!   lapin's own recovery is off; a lost link says so, and the container opens the next.
//! - Everything that talks to the broker runs on a small runtime of the transport's own and ends in time.
//! - Every frame passes a screen before lapin sees it: names that are not UTF-8 and tables nested too deep are repaired,
//!   and the delivery is flagged; a frame too large to look at ends the connection. lapin's own thread writes no log: its frames hold passwords and payloads.
//! - A message counts as published when it was confirmed and not returned; the answer is that message's own. While the
//!   broker blocks publishers (an alarm), messages wait outside of lapin; one whose time is up is refused and not sent. The
//!   block and its end are notices of the link.
//! - Acknowledgements are coalesced, failures settled singly. A move whose acknowledgement got lost is remembered for as
//!   long as the process lives, and the message that comes again is acknowledged instead of handed out.
//! - A consumer that is closed without a cancel stays until its channel closes, so that another one on a single active queue
//!   is served what this one gives back before what follows. A cancel first gives that up.
//!
//! # On the broker
//! Beside the listeners' queues, under the prefix `hearken.v1.<application>`: the topic exchange `.deliver`, through which
//! redeliveries come back; exchange and queue `.orphans`, for redeliveries whose queue is gone; and, once a policy can
//! need them, the delay levels `.l00` to `.l13`, which hold a message for 1, 2, 4 … 8192 seconds. **Who may write to these
//! exchanges is trusted**: the count of attempts is taken from what comes through them. Policies for `.*` should leave
//! the prefix out. A listener on a durable quorum queue may also have `.suspects.<listener>`, for deliveries that may have
//! ended a process.
//!
//! Queues that live until they are deleted are durable, of type quorum unless said; those that go with their last consumer
//! or with the link are classic. A temporary queue is declared whatever the topology setting, since only the broker knows its
//! name; redeliveries that wait in the levels when it goes become orphans. Quorum queues have an explicit delivery limit of
//! 1,000,000,000: without one, RabbitMQ 4 drops a message after 20 deliveries. A listener with a dead letter queue has it as
//! its dead letter target too, for what the broker itself would drop.
//!
//! # Where releases differ
//! Tested with 3.10, 4.0 and 4.3. What each counts as a delivery, and how each ends a consumer that holds one for too long,
//! is in `docs/delivery-counts.md`. No release keeps a quorum queue for an exclusive consumer, although all accept the flag:
//! such a subscription is refused here. A preferred consumer that comes later takes a single active queue over on quorum
//! queues from 4.0 on; elsewhere the one that was there stays.
#![forbid(unsafe_code)]

mod acker;
mod connection;
mod consumer;
mod convert;
mod delay;
mod error;
mod hop;
mod identity;
mod io;
mod link;
mod lost;
mod mismatch;
mod notices;
mod open;
mod publisher;
mod rabbit;
mod screen;
mod settings;
#[cfg(feature = "tls")]
mod tls;
mod topology;
mod url;

pub use hearken_core::transport::Topology;
pub use rabbit::RabbitMq;
pub use settings::Settings;
pub use url::{Url, UrlError};
