//! A payload that cannot be decoded, a state that cannot be shared, a header without a name.
#![allow(unused)]

use hearken::prelude::*;

struct Order;

#[listener(queue = "orders")]
async fn json(order: Json<Order>) {}

#[listener(queue = "orders")]
async fn payload(order: Payload<Order>) {}

#[listener(queue = "orders")]
async fn state(order: State<Order>) {}

#[listener(queue = "orders")]
async fn header(tenant: Header<String>) {}

#[listener(queue = "orders")]
async fn borrowed(order: Json<&str>) {}

fn main() {}
