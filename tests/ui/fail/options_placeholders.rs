//! A placeholder is the whole value.
#![allow(unused)]

use hearken::prelude::*;

#[listener(queue = "${orders.queue")]
async fn open() {}

#[listener(queue = "${}")]
async fn no_key() {}

#[listener(queue = "${orders queue}")]
async fn no_words() {}

#[listener(queue = "shop.${orders.queue}")]
async fn part() {}

#[listener(queue = "${orders.queue:${orders.other}}")]
async fn nested() {}

#[listener(queue = "orders", prefetch = "${orders.prefetch")]
async fn of_an_integer() {}

#[listener(queue = "orders", id = "${orders.id}")]
async fn id() {}

#[listener(queue = "orders", crate = "${hearken}")]
async fn path() {}

fn main() {}
