//! One listener for one function.
#![allow(unused)]

use hearken::prelude::*;

#[listener(queue = "orders")]
#[listener(queue = "returns")]
async fn short() {}

#[listener(queue = "orders")]
#[hearken::listener(queue = "returns")]
async fn by_path() {}

fn main() {}
