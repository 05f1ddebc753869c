//! The queue is required, and a wrong name for it is not reported twice.
#![allow(unused)]

use hearken::prelude::*;

#[listener]
async fn nothing_given() {}

#[listener()]
async fn nothing_inside() {}

#[listener(prefetch = 5)]
async fn other_options() {}

#[listener("orders")]
async fn bare_string() {}

#[listener(topic = "orders")]
async fn topic() {}

#[listener(queues = "orders, returns")]
async fn queues() {}

#[listener(destination = "orders")]
async fn destination() {}

#[listener(queeu = "orders")]
async fn misspelled() {}

fn main() {
    // The names exist whatever is wrong.
    let _ = (nothing_given(), nothing_inside {}, bare_string {});
}
