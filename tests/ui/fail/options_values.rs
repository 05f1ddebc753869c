//! A value out of bounds gets the accepted ones.
#![allow(unused)]

use hearken::prelude::*;

#[listener(
    queue = "amq.gen-1",
    prefetch = 0,
    concurrency = 1001,
    redelivery = "",
    redelivery_mode = "brokr",
    zero_delay = "never",
    queue_type = "stream",
    dead_letter_strategy = "Individual",
    dead_letter = "",
    exchange = "a\nb",
)]
async fn values() {}

#[listener(queue = "")]
async fn empty() {}

#[listener(queue = "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345")]
async fn long() {}

#[listener(queue = "orders", prefetch = -1)]
async fn negative() {}

#[listener(queue = "orders", prefetch = 99999999999999999999)]
async fn huge() {}

fn main() {}
