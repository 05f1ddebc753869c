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
//! A listener's policy is the most specific of: what code sets, `redelivery` in `[listeners.ID]`, the attribute
//! (`redelivery = "patient"`, or one of its own: `redelivery(maximum = 3, initial = "200ms")`), the narrowest pattern of
//! `[[redeliveryMap]]` that fits its queue, `redelivery` in `[container]`, `[redelivery.default]`. Patterns are ActiveMQ's,
//! and a policy may be one of its connection URIs:
//!
//! ```toml
//! [[redeliveryMap]]
//! queue = "orders.>"          # `orders`, `orders.eu`, `orders.eu.new`
//! redelivery = "migrated"
//!
//! [redelivery.migrated]
//! uri = "failover:(tcp://a,tcp://b)?jms.redeliveryPolicy.maximumRedeliveries=2"
//! ```
//!
//! [`Handle::set_policy`] gives a running listener another policy, for the deliveries that come from then on.
//!
//! ## Rules
//!
//! Failures differ: a policy's rules say what is done about some of them, and the first that holds decides. They hear of
//! every failure, also of those that would be dead letters at once.
//!
//! ```toml
//! [redelivery.patient]
//! maximumRedeliveries = 10
//!
//! [[redelivery.patient.rules]]
//! errorContains = "connection refused"  # in the text of the error, or of one of its causes
//! then = "pause"                        # a circuit breaker: the messages stay with the broker,
//! for = "30s"                           # one is tried after this time
//!
//! [[redelivery.patient.rules]]
//! code = "busy"                         # given by the handler
//! then = "redeliver"                    # with a limit and delays of its own
//! maximumRedeliveries = 100
//!
//! [[redelivery.patient.rules]]
//! predicate = "is_stale"                # a function of the application
//! then = "discard"
//! ```
//!
//! | condition, one of | holds for |
//! |---|---|
//! | `kind` | failures of this [`FailureKind`](failure::FailureKind): `error`, `permanent`, `undecodable`, `panic`, `timeout`, `transaction` |
//! | `code` | those with this [`Failure::code`](failure::Failure::code) |
//! | `errorContains` | those whose error, or one of its causes, says this |
//! | `predicate` | those that a function accepts, registered by [`Builder::failure_predicate`] |
//!
//! | `then` | the message |
//! |---|---|
//! | `redeliver` | comes again as the policy says, with the limits and delays that the rule names |
//! | `dead-letter`, `discard` | is a dead letter at once, or dropped |
//! | `defer` | comes again after `for`; no attempt is burned, so there is no limit |
//! | `pause` | stays with the broker, like all others, and burns no attempt: the listener pauses for the time of `for`, then tries one message, and pauses again if that fails in the same way |
//!
//! A handler's own wait (`retry_after`) takes the place of a rule's wait. The same in code:
//!
//! ```
//! # use hearken::prelude::*;
//! use hearken::failure::{Failure, FailureKind};
//! use hearken::redelivery::{Condition, RedeliveryPolicy, Response, Rule};
//!
//! #[listener(queue = "orders", redelivery = "patient")]
//! async fn on_order(Text(order): Text) -> Result<(), Failure> {
//!     match order.as_str() {
//!         "busy" => Err(Failure::new(FailureKind::Error, "till closed").code("busy")),
//!         _ => Ok(()),
//!     }
//! }
//!
//! const RULES: &[Rule] = &[
//!     Rule::new(Condition::Kind(FailureKind::Panic), Response::DeadLetter),
//!     Rule::new(Condition::predicate("is_stale"), Response::Discard),
//! ];
//!
//! # fn main() -> hearken::Result<()> {
//! Hearken::builder()
//!     .listen::<on_order>()
//!     .policy(RedeliveryPolicy::new("patient").maximum_redeliveries(10).rules(RULES))
//!     .failure_predicate("is_stale", |failure| failure.text().contains("stale"))
//!     .build()?; // a predicate that is not registered is an error here
//! # Ok(())
//! # }
//! ```
//!
//! `onExhausted = "discard"` drops what has used up its redeliveries in place of a dead letter.
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
//! # The container
//!
//! Each listener has a container: `concurrency` invokers, each with a channel, a consumer and a `prefetch` of its own, each
//! with one call at a time. `"3-10"` is a range: one more invoker when a message waits and too few are idle
//! (`idleConsumerLimit`), one fewer after `idleReceivesPerTaskLimit` idle ticks of `receiveTimeout`. A surplus invoker
//! handles what it was handed, then leaves. What an invoker has buffered waits for that invoker: slow handlers want a small
//! `prefetch`.
//!
//! ## States and events
//!
//! [`ListenerState`] says what a listener is doing, and it is true: without a live consumer it is never `Running`. A
//! [`Handle`] steers a running application, from [`Running::handle`] or in a handler by `State<Handle>`:
//!
//! ```
//! # use hearken::prelude::*;
//! use hearken::{Concurrency, EventKind, Handle};
//!
//! #[listener(queue = "orders")]
//! async fn on_order(Text(order): Text, State(handle): State<Handle>) -> Result<(), BoxError> {
//!     if order == "out of paper" {
//!         handle.pause("on_order").await?; // in its own handler it only asks
//!     }
//!     Ok(())
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let running = Hearken::builder().listen::<on_order>().build()?.start().await?;
//! let handle = running.handle();
//! let mut events = handle.events();
//! handle.scale("on_order", "2-8".parse::<Concurrency>()?).await?;
//! assert!(matches!(events.next().await.unwrap().kind, EventKind::Scaled { from: 1, to: 2 }));
//! handle.pause("on_order").await?;
//! handle.resume("on_order").await?;
//! running.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! What a handle orders survives a reconnect. [`Handle::register`] adds a listener to a running application,
//! [`Handle::unregister`] takes one out.
//!
//! ## Recovery
//!
//! One supervisor keeps the connection; each connection is an epoch. Nothing is acknowledged, committed or redelivered
//! across epochs: a commit after a lost channel becomes a rollback, the late result of a call is dropped with a line in
//! the log, and the message comes again. Attempts to connect, and to open consumers, are paced by `backOff` from
//! `recoveryInterval` on, with up to a tenth (at most 500 ms) added by chance; only a successful receive, or a
//! `receiveTimeout` spent waiting in peace, starts the back-off anew. After `maxRecoveryAttempts` the listener is
//! `Failed`, until [`Handle::start`]. At start, wrong login, virtual host, certificate or changed arguments end
//! [`Application::start`] with an error; later they are tried again, since brokers are known to refuse falsely while
//! they restart. A missing queue is waited for, or is a failure with `missingQueue = "fail"`.
//!
//! A channel that RabbitMQ closes because a call outlasts its `consumer_timeout` is treated as a time-out: the call is
//! dropped at its next await, rolled back, and counted as a failed attempt. The living process remembers that count by the
//! message's id; a message without an id, or a process that ends meanwhile, loses it.
//!
//! ## Circuit breaker
//!
//! A rule with `then = "pause"` is for failures that would strike every message, such as a service that is down. The
//! listener becomes [`Tripped`](ListenerState::Tripped): running calls end, and all messages stay with the broker, the
//! failed one included; no attempt is burned. After the pause the breaker is half open: one invoker tries one message. If
//! that fails in the same way the listener pauses again, else it goes on as before. Each process finds out by itself.
//! [`Handle::resume`] closes a breaker at once. Let the condition name failures of what all messages share: a message that
//! alone is to blame has the others tried before it, but trips the breaker whenever it comes; where order is kept it
//! stops all that follow.
//!
//! ## Stopping
//!
//! Cancel, finish the running calls, hand back what is buffered (`acceptMessagesWhileStopping = true`: handle it), hand
//! back what is held with its count, close; after `shutdownTimeout` calls are dropped. `phase` orders listeners: low ones
//! start first and stop last. A second SIGTERM ends the process at once. No attempt is burned by a stop; [`StopReport`]
//! says what was finished, handed back and aborted. With `singleActiveConsumer` or `exclusive` the running call ends first,
//! then the channel closes and the broker takes all the rest back in order, in one step with the consumer, so that the
//! successor begins where this one ended.
//!
//! ## Messages that end the process
//!
//! On durable quorum queues of RabbitMQ a message that came back twice or more often without an explanation goes to the
//! queue `hearken.v1.APPLICATION.suspects.LISTENER`, where one invoker with prefetch 1 handles suspects one by one: there
//! each death of the process counts as a failed attempt, so such a message becomes a dead letter of kind `crash` after at
//! most three deaths more than the policy's limit. Innocent neighbours pass through unharmed. Returns that this process
//! caused or lived through are explanations. With `topology = "check"` the queue must exist for that. Listeners that keep
//! order (`nonBlockingRedelivery = false`, `singleActiveConsumer`, `exclusive`) and classic queues have no such guard:
//! there a message that ends the process comes again until it is removed.
//!
//! ## Hooks
//!
//! `errorHandler` and `exceptionListener` name hooks that [`Builder::error_handler`] and [`Builder::exception_listener`]
//! register: one call per failed delivery once its settlement is decided, one per failure of the infrastructure. A hook
//! that fails breaks nothing.
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
    Application, BackOff, Builder, Concurrency, ConcurrencyError, Error, Event, EventKind, Events,
    FailedDelivery, FailureDecision, Handle, HandleError, InfrastructureFailure, ListenerState,
    ListenerStatus, Running, StopReport, config,
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
