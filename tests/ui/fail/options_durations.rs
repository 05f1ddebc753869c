//! Durations: an integer of milliseconds, or whole numbers with units.
#![allow(unused)]

use hearken::prelude::*;

#[listener(
    queue = "orders",
    receive_timeout = 0,
    recovery_interval = 5,
    handler_timeout = "5 sec",
    shutdown_timeout = -1,
)]
async fn durations() {}

#[listener(queue = "orders", handler_timeout = "1 minute, 30 seconds")]
async fn words() {}

#[listener(queue = "orders", handler_timeout = "soon")]
async fn no_duration() {}

#[listener(queue = "orders", handler_timeout = "30")]
async fn no_unit() {}

#[listener(queue = "orders", recovery_interval = "99ms")]
async fn too_short() {}

fn main() {}
