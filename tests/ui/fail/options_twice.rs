//! The second of two is the mistake.
#![allow(unused)]

use hearken::prelude::*;

#[listener(queue = "orders", prefetch = 5, queue = "returns", prefetch = "6")]
async fn twice() {}

#[listener(queue = "orders", handler_timeout = "1s", handlerTimeout = "2s")]
async fn in_two_spellings() {}

fn main() {}
