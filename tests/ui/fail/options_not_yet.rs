//! Options of later versions are refused by name, never ignored.
#![allow(unused)]

use hearken::prelude::*;

#[listener(
    queue = "orders",
    transaction = "x",
    ack = "x",
    batch = "x",
    group = "x",
    mode = "x",
    reply_to = "x",
    tags = "x",
    ordered = "x",
)]
async fn later() {}

#[listener(queue = "orders", batch(size = 10))]
async fn batch_inside() {}

fn main() {}
