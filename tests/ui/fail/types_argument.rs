//! An argument that cannot be taken from a message.
#![allow(unused)]

use hearken::prelude::*;

struct Order;

#[listener(queue = "orders")]
async fn boolean(attempt: Attempt, flag: bool) {}

#[listener(queue = "orders")]
async fn bare_payload(order: Order) -> Result<(), BoxError> {
    Ok(())
}

#[listener(queue = "orders")]
fn sync(order: Order, text: Text) {}

#[listener(queue = "orders")]
async fn text(text: &str) {}

fn main() {}
