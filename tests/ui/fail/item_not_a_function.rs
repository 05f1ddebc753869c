//! Items that are no functions keep what they are.
#![allow(unused)]

use hearken::prelude::*;

#[listener(queue = "orders")]
struct OnOrder {
    orders: u64,
}

#[listener(queue = "orders")]
const ON_ORDER: u64 = 1;

#[listener(queue = "orders")]
pub(crate) mod orders {
    pub(crate) fn book() {}
}

#[listener(queue = "orders")]
impl OnOrder {
    fn book(&self) -> u64 {
        self.orders
    }
}

fn main() {
    OnOrder { orders: ON_ORDER }.book();
    orders::book();
}
