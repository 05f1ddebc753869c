//! Conditions go on the function.
#![allow(unused)]

use hearken::prelude::*;

#[listener(queue = "orders")]
async fn on_order(#[cfg(unix)] attempt: Attempt, #[cfg_attr(unix, allow(unused))] text: Text) {}

fn main() {}
