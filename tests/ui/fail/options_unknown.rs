//! Names that are no options: the nearest one, the list, or what this library calls it.
#![allow(unused)]

use hearken::prelude::*;

#[listener(queue = "orders", prefech = 5)]
async fn near() {}

#[listener(queue = "orders", wibble = 5)]
async fn unlike_any() {}

#[listener(queue = "orders", retries = 5)]
async fn retries() {}

#[listener(queue = "orders", max_retries = 5)]
async fn max_retries() {}

#[listener(queue = "orders", backoff = "1s")]
async fn backoff() {}

#[listener(queue = "orders", name = "on_order")]
async fn name() {}

#[listener(queue = "orders", timeout = "5s")]
async fn timeout() {}

#[listener(queue = "orders", description = "books orders")]
async fn description() {}

#[listener(queue = "orders", policy = "patient")]
async fn policy() {}

#[listener(queue = "orders", dlq = "orders.dead")]
async fn dlq() {}

#[listener(queue = "orders", auto_ack = true)]
async fn alias_of_a_later_option() {}

fn main() {}
