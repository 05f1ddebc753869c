//! Async and sync functions with every type that a listener may return.

use std::convert::Infallible;

use hearken::prelude::*;

macro_rules! forms {
    ($($name:ident, $sync:ident: $returned:ty = $value:expr;)*) => {$(
        #[listener(queue = "orders")]
        async fn $name() -> $returned {
            $value
        }

        #[listener(queue = "orders")]
        fn $sync() -> $returned {
            $value
        }
    )*};
}

forms! {
    unit, unit_sync: () = ();
    boxed, boxed_sync: Result<(), BoxError> = Ok(());
    io, io_sync: std::io::Result<()> = Ok(());
    text, text_sync: Result<(), String> = Err("no".to_owned());
    word, word_sync: Result<(), &'static str> = Err("no");
    infallible, infallible_sync: Result<(), Infallible> = Ok(());
    format, format_sync: std::fmt::Result = Ok(());
    failure, failure_sync: Result<(), Failure> = Err(Failure::permanent("no"));
    action, action_sync: Action = Action::Commit;
    fallible_action, fallible_action_sync: Result<Action, BoxError> = Ok(Action::ReconsumeLater);
    option, option_sync: Option<Action> = None;
}

#[listener(queue = "orders")]
async fn nothing_written() {}

#[listener(queue = "orders")]
fn nothing_written_sync() {}

#[listener(queue = "orders")]
async fn question_mark(Text(text): Text) -> Result<(), BoxError> {
    let _: u64 = text.parse()?;
    Ok(())
}

fn main() {
    let registered = hearken::listener::registered();
    assert_eq!(registered.len(), 2 * 11 + 3);
}
