//! A value out of bounds gets the accepted ones.
#![allow(unused)]

use hearken::prelude::*;

#[listener(
    queue = "amq.gen-1",
    prefetch = 0,
    concurrency = 1001,
    recovery_multiplier = 0.5,
    max_recovery_attempts = 0,
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

#[listener(queue = "orders", concurrency = "10-3")]
async fn reversed() {}

#[listener(queue = "orders", concurrency = "0-5")]
async fn nobody() {}

#[listener(queue = "orders", concurrency = "3-5-7")]
async fn three() {}

#[listener(queue = "orders", concurrency = 2..=8)]
async fn range() {}

#[listener(queue = "orders", prefetch = -1)]
async fn negative() {}

#[listener(queue = "orders", prefetch = 99999999999999999999)]
async fn huge() {}

fn main() {}
