//! An associated function that does not show where it is cannot be recognised: the compiler's own words.
#![allow(unused)]

use hearken::prelude::*;

struct Shop;

impl Shop {
    #[listener(queue = "orders")]
    async fn book(order: Json<u64>) {}
}

fn main() {}
