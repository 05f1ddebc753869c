//! `crate` is a path.
#![allow(unused)]

use hearken::prelude::*;

#[listener(queue = "orders", crate = "not a path")]
async fn not_a_path() {}

#[listener(queue = "orders", crate = "Vec<hearken>")]
async fn a_type() {}

fn main() {}
