//! An id is lower case; a function whose name is not needs one.
#![allow(unused)]

use hearken::prelude::*;

#[listener(queue = "orders", id = "on-order")]
async fn dash() {}

#[listener(queue = "orders", id = "")]
async fn empty() {}

#[listener(queue = "orders")]
#[allow(non_snake_case)]
async fn onOrder() {}

#[listener(queue = "orders")]
async fn für_kunden() {}

fn main() {}
