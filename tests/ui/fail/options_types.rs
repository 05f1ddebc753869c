//! A value of the wrong type gets its replacement.
#![allow(unused)]

use hearken::prelude::*;

const QUEUE: &str = "orders";

#[listener(
    queue = QUEUE,
    id = concat!("on_", "order"),
    exchange = 5,
    redelivery = true,
    redelivery_mode = 1,
    prefetch = "50",
    concurrency = true,
    auto_startup = 1,
    non_blocking_redelivery = "off",
    handler_timeout = 1.5,
    shutdown_timeout = true,
    routing_key = b"order",
    binding = 'o',
)]
async fn types() {}

#[listener(queue = "orders", prefetch = 50u16)]
async fn suffix() {}

#[listener(queue = "orders", prefetch = "many")]
async fn words() {}

#[listener(queue = "orders", crate = hearken::vendor)]
async fn path() {}

fn main() {}
