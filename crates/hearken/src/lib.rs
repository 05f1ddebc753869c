//! A declarative listener container: annotate a function, describe policy in TOML, run.
//!
//! hearken consumes messages from a broker, calls your function inside a transaction, and redelivers by an
//! ActiveMQ-style policy what fails; what cannot be handled becomes a dead letter that explains itself. It does for AMQP
//! what Spring's `DefaultMessageListenerContainer` with a transaction manager and a `RedeliveryPolicy` does for JMS.
//!
//! ```no_run
//! use hearken::prelude::*;
//! # use serde::Deserialize;
//!
//! #[derive(Deserialize)]
//! struct Order { id: u64, cents: u64 }
//!
//! #[listener(queue = "orders", redelivery = "patient")]
//! async fn on_order(Json(order): Json<Order>, attempt: Attempt) -> Result<(), BoxError> {
//!     println!("order {} of {} cents, attempt {attempt}", order.id, order.cents);
//!     Ok(())
//! }
//!
//! #[tokio::main]
//! async fn main() -> hearken::Result<()> {
//!     hearken::log::init();
//!     Hearken::from_config()?.run().await // hearken.toml or $HEARKEN_CONFIG; until SIGTERM, then drains
//! }
//! ```
//! ```toml
//! # hearken.toml
//! [transport]
//! url = "amqp://guest:guest@localhost"    # without this: an embedded broker, nothing to install
//!
//! [redelivery.patient]
//! maximumRedeliveries = 6
//! initialRedeliveryDelay = "1s"
//! useExponentialBackOff = true
//! backOffMultiplier = 5
//! maximumRedeliveryDelay = "1m"
//! useCollisionAvoidance = true
//! ```
//!
//! # Listeners
//!
//! A listener is a function marked [`#[listener]`](macro@listener), `async` or not. It stays an ordinary function: call it in
//! a test. It is found by itself when its crate is linked; [`link!`] makes sure of that for crates nothing else refers
//! to. Or name it: a builder takes nothing from its surroundings.
//!
//! ```
//! use hearken::prelude::*;
//!
//! #[listener(queue = "greetings")]
//! async fn greet(Text(name): Text, publisher: Session) -> Result<(), BoxError> {
//!     publisher.send("replies", &format!("Hello, {name}!")[..]).await?;
//!     Ok(())
//! }
//!
//! #[listener(queue = "replies")]
//! async fn print(Text(reply): Text, State(done): State<std::sync::Arc<tokio::sync::Notify>>) {
//!     assert_eq!(reply, "Hello, Ada!");
//!     done.notify_one();
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let done = std::sync::Arc::new(tokio::sync::Notify::new());
//! let application = Hearken::builder()
//!     .listen::<greet>()
//!     .listen::<print>()
//!     .state(done.clone())
//!     .build()?;
//! let running = application.start().await?;
//! running.publisher().send("greetings", "Ada").await?;
//! done.notified().await;
//! running.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! A plain `fn` runs on a thread of its own, never on a runtime worker; it may block. An `async fn` must not: it shares
//! its worker with others.
//!
//! ## Arguments
//!
//! Any number, in any order, by type:
//!
//! | argument | is |
//! |---|---|
//! | [`Json<T>`](extract::Json), [`Text`](extract::Text), `Bytes` | the body |
//! | [`Payload<T>`](extract::Payload) | the body by its content type |
//! | [`Header<T>`](extract::Header), `Option<Header<T>>` | one named header, see [`FromHeader`](extract::FromHeader) |
//! | [`Headers`](message::Headers), [`Message`](message::Message) | all headers; everything |
//! | [`Attempt`](extract::Attempt) | the number of this call for this message, first = 1 |
//! | [`RedeliveryInfo`](extract::RedeliveryInfo) | attempt, limit, earlier failures, where the message came from |
//! | [`State<T>`](extract::State) | a value given by [`Builder::state`]; missing ones are found at start-up |
//! | [`Session`](session::Session) | publishes with the fate of this call |
//! | `Result<A, Reject>` | any argument `A`, or why it could not be taken |
//!
//! Types of your own implement [`FromDelivery`](extract::FromDelivery).
//!
//! ## Outcomes
//!
//! | return | success | otherwise |
//! |---|---|---|
//! | `()` | acknowledged | a panic fails the attempt |
//! | `Result<(), E>` | acknowledged | any error: redelivered by the policy |
//! | [`Action`](outcome::Action) | `Commit` | `ReconsumeLater`, `retry_after(d)`, `defer(d)` (burns no attempt), `dead_letter(reason)`, `discard(reason)` |
//! | `Result<Action, E>`, `Option<Action>` | as said | `None` means again, as in RocketMQ |
//!
//! Errors that trying again cannot mend say so: [`.permanent()`](failure::FailureExt::permanent) on a `Result`, or
//! [`Failure::permanent`](failure::Failure::permanent). Undecodable bodies, panics and time-outs are kinds of their own
//! ([`FailureKind`](failure::FailureKind)); undecodable ones go straight to the dead letter queue.
//!
//! # Redelivery
//!
//! A [`RedeliveryPolicy`](redelivery::RedeliveryPolicy) says how often and how late. Properties and arithmetic are
//! ActiveMQ's: a limit of N means N + 1 calls. `hearken plan NAME` prints its schedule. Where a message waits is
//! `redeliveryMode`:
//!
//! - `client`: unacknowledged, with a timer in this process. A crash forgets the attempts since the last move.
//! - `broker`: a copy waits at the broker, durable on RabbitMQ; the original is acknowledged once the copy is confirmed.
//! - `auto`, the default: short waits in the client while there is room, the rest at the broker.
//!
//! With `nonBlockingRedelivery = false` a waiting message is not overtaken by those behind it on the same consumer.
//!
//! # Dead letters
//!
//! The message as it was, persistent, in the queue `ActiveMQ.DLQ` (or another, `deadLetter`), with headers: `hearken-queue`,
//! `hearken-exchange`, `hearken-routing-key`, `hearken-attempts`, `hearken-first-failure-ms`, `hearken-last-failure-ms`,
//! `hearken-error-kind`, `hearken-error-code`, `hearken-error-text`, `hearken-reason`, `hearken-policy`,
//! `hearken-listener`, `hearken-host`. It is confirmed before the original is acknowledged; if no queue takes it, the
//! original is kept and tried again every `recoveryInterval`.
//!
//! # Transactions
//!
//! Receive → begin → handler → commit → acknowledge; an error, panic or time-out rolls back, then the policy decides. The
//! manager `session` (default) buffers what is sent through the call's [`Session`](session::Session) and publishes it
//! with confirms when the call commits: at-least-once, all or nothing but for a crash between confirm and
//! acknowledgement, after which the input comes again. Managers of your own implement
//! [`TransactionManager`](transaction::TransactionManager); the manager `none` sends at once.
//!
//! # What is promised
//!
//! At-least-once: a message is acknowledged only after its handler and its transaction ended, or after the copy that
//! replaces it is confirmed. So handlers should bear a repetition; a message id makes that easy. The embedded broker
//! keeps messages in memory: what is in it is lost with the process.
//!
//! # Configuration
//!
//! `hearken.toml`, or the file in `$HEARKEN_CONFIG`; then `hearken.PROFILE.toml` for `$HEARKEN_PROFILE`; then environment
//! variables such as `HEARKEN_LISTENERS__ON_ORDER__PREFETCH`. Keys are spelled as in ActiveMQ and Spring
//! (`receiveTimeout`), or in `snake_case`. Built-in < `[container]` < attribute < `[listeners.ID]` < builder. Mistakes are
//! told all at once, with their places; `hearken check` does the same without starting. All keys are in
//! `docs/configuration.md`.
//!
//! # Features
//!
//! `rabbitmq`: the RabbitMQ transport. `tls`: `amqps`. `log`: the module [`log`]. All on by default.
#![forbid(unsafe_code)]

pub use hearken_container::{
    Application, BackOff, Builder, Concurrency, ConcurrencyError, Error, ListenerState, Running, StopReport,
    config,
};
pub use hearken_core::BoxError;
#[doc(inline)]
pub use hearken_core::{
    call, dead_letter, delivery, extract, failure, history, listener, message, outcome, redelivery, session,
    time, transaction, transport,
};
pub use hearken_macros::listener;

#[doc(hidden)]
pub mod __private;
mod adapters;
mod hearken;
mod link;
#[cfg(feature = "log")]
pub mod log;
pub mod prelude;

pub use self::hearken::Hearken;

/// What building, starting and running an application result in.
pub type Result<T, E = Error> = std::result::Result<T, E>;
