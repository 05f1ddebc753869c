//! Methods: a receiver and `Self` are seen.
#![allow(unused)]

use hearken::prelude::*;

struct Shop;

impl Shop {
    #[listener(queue = "orders")]
    async fn by_reference(&self, order: Json<u64>) {}

    #[listener(queue = "orders")]
    async fn by_value(self) {}

    #[listener(queue = "orders")]
    async fn by_box(self: Box<Self>) {}

    #[listener(queue = "orders")]
    async fn associated(shop: State<Self>) {}
}

trait Book {
    #[listener(queue = "orders")]
    async fn book();
}

fn main() {
    let _ = Shop.by_value();
}
