//! The type of the same name shares its namespace with modules and types: the compiler's own words.
#![allow(unused)]

use hearken::prelude::*;

mod orders {}

#[listener(queue = "orders")]
async fn orders() {}

fn main() {}
