//! All mistakes of one attribute and of its function in one build, each on its token, and none that follows from them.
#![allow(unused)]

use hearken::listener::Listener;
use hearken::prelude::*;

#[listener(
    queue = "amq.orders",
    prefetch = "50",
    retries = 3,
    batch = 10,
    handlerTimeout = "5 sec",
    redelivery_mode = "brokr",
    auto_startup
)]
fn on_order(Json(order): Json<u64>, text: &str, rest: impl Sized) {
    let _ = (order, text);
}

fn id_of<L: Listener>() -> &'static str {
    L::descriptor().id
}

fn main() {
    on_order(Json(1), "", ());
    id_of::<on_order>();
}
