//! Messages about the annotated item.

use std::fmt::Display;

pub(crate) const NO_BODY: &str = "a listener needs a body: #[listener] goes on a free function";
pub(crate) const SECOND_ATTRIBUTE: &str =
    "a function is one listener: remove this #[listener], and write a second function for a second queue";
pub(crate) const CONST: &str = "a listener cannot be a `const fn`: remove `const`";
pub(crate) const UNSAFE: &str =
    "a listener cannot be an `unsafe fn`: remove `unsafe`, and put an `unsafe` block into the body";
pub(crate) const EXTERN: &str = "a listener is an ordinary Rust function: remove the `extern` ABI";
pub(crate) const VARIADIC: &str = "a listener cannot be variadic: name each argument and its type";
pub(crate) const RECEIVER: &str =
    "a listener is a free function and has no `self`: take shared data by an argument `State<T>`";
pub(crate) const SELF_TYPE: &str =
    "a listener is a free function outside of `impl` and `trait`: name the type instead of `Self`";
pub(crate) const CFG_ARGUMENT: &str =
    "an argument of a listener cannot be conditional: write two functions, each with its own `#[cfg]`";
pub(crate) const IMPL_ARGUMENT: &str =
    "an argument of a listener needs a type that can be named: write the type instead of `impl Trait`";
pub(crate) const BORROW_IN_SYNC: &str = "a sync listener runs on a thread of its own and cannot borrow from the message: make it `async fn`, or take an owned type";
pub(crate) const IMPL_FUTURE: &str = "write `async fn` instead of returning a future";
pub(crate) const IMPL_OUTPUT: &str = "a listener returns a type that can be named: `()`, `Result<(), E>`, `Action`, `Result<Action, E>` or `Option<Action>`";
pub(crate) const NEVER: &str = "a listener ends for each message: return `()`, `Result<(), E>`, `Action`, `Result<Action, E>` or `Option<Action>`";
pub(crate) const TX: &str = "`Tx` is not available yet: transactions of a database come with a later version";
pub(crate) const SECOND_TX: &str = "`Tx` is taken by an earlier argument: a call has one transaction";
pub(crate) const MANY: &str = "`Many` is not available yet: batches come with a later version";
pub(crate) const REPLY: &str =
    "`Reply` is not available yet: replies come with a later version; publish through an argument `Session`";

pub(crate) fn not_a_function(kind: &str) -> String {
    match kind {
        "item" => "#[listener] goes on a free function".to_owned(),
        kind => format!("#[listener] goes on a free function, not on `{kind}`"),
    }
}

pub(crate) fn generic_type(name: &impl Display) -> String {
    format!(
        "a listener has no type parameters: write a concrete type for `{name}`, and one function for each type"
    )
}

pub(crate) fn generic_const(name: &impl Display) -> String {
    format!("a listener has no const parameters: write a number for `{name}`, and one function for each")
}
