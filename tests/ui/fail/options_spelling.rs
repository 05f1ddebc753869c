//! One spelling for each name.
#![allow(unused)]

use hearken::prelude::*;

#[listener(queue = "orders", handlerTimeout = "1s")]
async fn camel_case() {}

#[listener(queue = "orders", handler-timeout = "1s")]
async fn kebab_case() {}

#[listener(queue = "orders", replyTo = "answers")]
async fn camel_case_of_a_later_option() {}

#[listener(queue = "orders", "prefetch" = 5)]
async fn quoted() {}

#[listener(queue = "orders", hearken::prefetch = 5)]
async fn path() {}

fn main() {}
