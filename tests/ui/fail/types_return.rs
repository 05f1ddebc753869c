//! A returned value that is no outcome.
#![allow(unused)]

use hearken::prelude::*;

struct NoError;

#[listener(queue = "orders")]
async fn boolean() -> bool {
    true
}

#[listener(queue = "orders")]
fn number() -> u64 {
    1
}

#[listener(queue = "orders")]
async fn value() -> Result<u64, BoxError> {
    Ok(1)
}

#[listener(queue = "orders")]
async fn error() -> Result<(), NoError> {
    Ok(())
}

#[listener(queue = "orders")]
fn error_of_an_action() -> Result<Action, NoError> {
    Ok(Action::Commit)
}

#[listener(queue = "orders")]
async fn option() -> Option<()> {
    None
}

fn main() {}
