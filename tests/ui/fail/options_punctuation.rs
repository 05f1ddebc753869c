//! Signs that are missing or too many.
#![allow(unused)]

use hearken::prelude::*;

#[listener(queue)]
async fn no_value() {}

#[listener(queue = )]
async fn nothing_after_the_sign() {}

#[listener(queue = "orders", auto_startup)]
async fn no_flag() {}

#[listener(queue = "orders" prefetch = 5)]
async fn no_comma() {}

#[listener(queue = "orders",, prefetch = 5)]
async fn two_commas() {}

#[listener(queue: "orders")]
async fn colon() {}

#[listener(queue == "orders")]
async fn two_signs() {}

#[listener(queue => "orders")]
async fn arrow() {}

#[listener(queue("orders"))]
async fn parentheses() {}

#[listener(queue = "orders", 5)]
async fn no_name() {}

fn main() {}
