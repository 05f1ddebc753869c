//! The attribute [`macro@listener`] of `hearken`. Use it through the facade: `hearken::listener`, `hearken::prelude`.
//!
//! | room | what it holds |
//! |---|---|
//! | `options` | the options of the attribute: one table, the reader, the rules for values |
//! | `signature`, `types` | the annotated function: what it may be and may not be |
//! | `expand`, `paths` | the generated code, and every path it names |
//! | `messages`, `mistakes` | what the user reads, and how mistakes are collected |
//!
//! The expansion names only `hearken::__private`, which changes together with this crate.

mod expand;
mod messages;
mod mistakes;
mod names;
mod options;
mod paths;
mod signature;
mod types;

use proc_macro::TokenStream;
use quote::quote;

use crate::mistakes::Mistakes;
use crate::options::Options;

/// Makes a function the listener of a queue.
///
/// ```ignore
/// use hearken::prelude::*;
///
/// /// Books an order.
/// #[listener(queue = "orders", redelivery = "patient", prefetch = 50)]
/// async fn on_order(Json(order): Json<Order>, attempt: Attempt) -> Result<(), BoxError> {
///     tracing::info!(order.id, %attempt, "booked");
///     Ok(())
/// }
/// ```
///
/// The function stays what it is: tests call it directly. Beside it stands an empty type of the same name and
/// visibility, so that the listener can be named: `Hearken::builder().listen::<orders::on_order>()`. Every listener
/// that is linked into the binary registers itself; a crate of listeners that nothing mentions is not linked, and
/// `hearken::link!(shipping)` mentions it. The doc comment becomes the listener's description.
///
/// # Options
///
/// Only `queue` is required, and with `temporary = true` only `exchange`. Where an option is left out, `[container]` of the configuration and then the built-in
/// default apply; `[listeners.ID]` of the configuration stands above the attribute.
///
/// | option | value | built-in default | meaning |
/// |---|---|---|---|
/// | `queue` | name, 1–255 bytes, not `amq.…` | | the queue to listen to |
/// | `id` | `[a-z0-9_]+` | the function's name | the listener's name in configuration, logs and metrics; unique in the process |
/// | `exchange` | name | | fills the queue from this exchange, a fanout exchange unless `routing_key` or `binding` is given |
/// | `routing_key` | string, up to 255 bytes | | the key of the messages wanted from a direct exchange |
/// | `binding` | string, up to 255 bytes | | the pattern of the messages wanted from a topic exchange: `"order.*"`, `"order.#"` |
/// | `queue_type` | `"quorum"`, `"classic"` | that of `[transport]` | the type the queue is declared with |
/// | `auto_delete` | bool | `false` | whether the queue, and what is in it, is deleted with its last consumer |
/// | `temporary` | bool | `false` | whether the broker names the queue, and deletes it with the connection; then without `queue` |
/// | `exclusive` | bool | `false` | whether no other consumer is allowed on the queue |
/// | `single_active_consumer` | bool | `false` | whether the queue serves one consumer at a time, and the next when that is gone |
/// | `consumer_priority` | integer, 32 bits | the broker's, 0 | consumers of higher priority are served first |
/// | `concurrency` | integer, 1–1000, or a range such as `"3-10"` | 1 | invokers: consumers and handler calls at a time |
/// | `idle_consumer_limit` | integer, from 1 | 1 | of a range of `concurrency`: no invoker is added while so many are idle |
/// | `idle_receives_per_task_limit` | integer, from 1 | 10 | of a range of `concurrency`: idle ticks in a row after which an invoker above the least leaves |
/// | `prefetch` | integer, 1–65535 | 50 | messages each invoker holds, the one in the handler among them |
/// | `auto_startup` | bool | `true` | whether the listener starts with the application |
/// | `phase` | integer, 32 bits | 2147483647 | listeners start by rising and stop by falling phase |
/// | `missing_queue` | `"retry"`, `"fail"` | `"retry"` | what a listener does without its queue |
/// | `receive_timeout` | duration, above 0 | 1 s | the tick of an idle invoker |
/// | `recovery_interval` | duration, from 100 ms | 5 s | the wait between attempts to consume again, or the first of them |
/// | `back_off` | `"fixed"`, `"exponential"` | `"fixed"` | whether these waits grow |
/// | `recovery_multiplier` | number, from 1 | 1.5 | the factor of `back_off = "exponential"` |
/// | `max_recovery_interval` | duration, from 100 ms | 30 s | the longest wait of `back_off = "exponential"` |
/// | `max_recovery_attempts` | integer from 1, or -1 | -1, no limit | attempts in a row that may fail before the listener has failed |
/// | `handler_timeout` | duration | none | a call that takes longer is a failed attempt; 0 for no limit |
/// | `shutdown_timeout` | duration | 30 s | how long a stop waits for running calls |
/// | `accept_messages_while_stopping` | bool | `false` | whether a stop still handles what was handed out ahead |
/// | `transaction_manager` | name | `"session"` | who begins and commits: `"session"`, `"none"`, or a manager given to the builder |
/// | `error_handler` | name | | the hook, given to the builder, that is told of failed deliveries |
/// | `exception_listener` | name | | the hook, given to the builder, that is told of failures of connection and consumer |
/// | `redelivery` | name, or a policy in parentheses | `"default"` | the policy `[redelivery.NAME]`, or one of this listener's own, see below |
/// | `redelivery_mode` | `"auto"`, `"client"`, `"broker"`, `"native"` | `"auto"` | where a failed message waits |
/// | `non_blocking_redelivery` | bool | `true` | `false` keeps the order: an invoker waits with its message |
/// | `hold_limit` | duration | 10 m | how long one delivery is held in this process, all its waits together |
/// | `zero_delay` | `"container"`, `"immediate"` | `"container"` | what a first delay of 0 means: a short pause, or none |
/// | `dead_letter` | queue name | `"ActiveMQ.DLQ"` | where exhausted messages go |
/// | `dead_letter_strategy` | `"shared"`, `"individual"`, `"discarding"` | `"shared"` | one dead letter queue for all, one for each queue, or none |
/// | `dead_letter_prefix` | string | `"ActiveMQ.DLQ.Queue."` | before the queue's name, for `"individual"` |
/// | `crate` | path | `"::hearken"` | where `hearken` is found when it is renamed or re-exported |
///
/// # A policy of its own
///
/// In place of the name of a policy stands one: `redelivery(maximum = 3, initial = "200ms")`. What it leaves out is that of
/// the built-in policy. Rules by sorts of failure stand in configuration only.
///
/// | property | or | value | default |
/// |---|---|---|---|
/// | `maximum` | `maximum_redeliveries` | integer, from 0; -1 for no limit | 6 |
/// | `initial` | `initial_redelivery_delay` | duration | 1 s |
/// | `delay` | `redelivery_delay` | duration | 1 s |
/// | `maximum_delay` | `maximum_redelivery_delay` | duration, or -1 for no cap | -1 |
/// | `exponential` | `use_exponential_back_off` | bool | `false` |
/// | `multiplier` | `back_off_multiplier` | number above 0 | 5 |
/// | `collision_avoidance` | `use_collision_avoidance` | bool | `false` |
/// | `collision_avoidance_percent` | | integer, 0–100 | 15 |
/// | `formula` | | `"5.5"`, `"5.10"` | `"5.5"` |
/// | `preset` | | `"aliyun"`: a table of waits, without the properties above | |
/// | `max_reconsume_times` | | integer, the limit of a preset; -1 for its whole table | -1 |
/// | `on_exhausted` | | `"dead-letter"`, `"discard"` | `"dead-letter"` |
/// | `pre_dispatch_check` | | bool | `true` |
///
/// Configuration calls it `inline:ID`: `hearken check` and `hearken plan` show it by this name, and what
/// `[redelivery."inline:ID"]` says of a key stands above the attribute.
///
/// # Values
///
/// A duration is an integer of milliseconds, or a string of whole numbers with units, largest first: `"250ms"`,
/// `"1s"`, `"2m30s"`, `"1h"`, `"7d"`.
///
/// Every value but `id` and `crate` may be a placeholder, a string that configuration replaces at start-up:
/// `queue = "${orders.queue}"`, or with a default `prefetch = "${orders.prefetch:50}"`.
///
/// An option whose feature comes with a later version is refused by name, never ignored.
///
/// # The function
///
/// - `async fn`, or a plain `fn`, which runs on a thread for blocking work, never on a worker of the runtime. A plain
///   `fn` owns its arguments; only an `async fn` may borrow from the message.
/// - Any number of arguments in any order, each a type that can be taken from a message: `Json<T>`, `Text`, `Bytes`,
///   `Headers`, `Attempt`, `State<T>`, … A user's own type becomes one by `FromDelivery`.
/// - It returns `()`, `Result<(), E>`, `Action`, `Result<Action, E>` or `Option<Action>`, where `E` is any error.
/// - No `self`, no type or const parameters, no `impl Trait`: register one free function for each type.
///
/// # Limits
///
/// - The attribute goes on free functions, in modules or in bodies of functions. On an associated function without
///   `self` the compiler's own message is less clear, because an attribute cannot see the `impl` around it.
/// - The type of the same name shares its namespace with modules, types and traits: beside `mod orders` a listener
///   cannot be named `orders`.
/// - A link in documentation names the function as `` [`on_order()`] ``, with parentheses.
#[proc_macro_attribute]
pub fn listener(attribute: TokenStream, item: TokenStream) -> TokenStream {
    expand_listener(attribute.into(), item.into()).into()
}

/// The item itself comes first and always, so that its name exists whatever is wrong.
fn expand_listener(
    attribute: proc_macro2::TokenStream,
    item: proc_macro2::TokenStream,
) -> proc_macro2::TokenStream {
    let mut mistakes = Mistakes::default();
    let options = Options::parse(attribute, &mut mistakes);
    let (original, beside) = match signature::parse(item.clone(), &mut mistakes) {
        Some(function) => {
            if !options.id_was_given && !names::is_id(&function.name()) {
                mistakes.at(&function.sig.ident, messages::id_needed(&function.name()));
            }
            (expand::original(item, &function), expand::beside(&function, &options))
        }
        None => (item, proc_macro2::TokenStream::new()),
    };
    let errors = mistakes.to_compile_errors();
    quote!(#original #beside #errors)
}
