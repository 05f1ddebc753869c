//! What is returned has a name and an end.
#![allow(unused)]

use std::future::Future;

use hearken::prelude::*;

#[listener(queue = "orders")]
fn a_future() -> impl Future<Output = ()> {
    async {}
}

#[listener(queue = "orders")]
async fn hidden() -> impl Sized {}

#[listener(queue = "orders")]
async fn never() -> ! {
    loop {}
}

fn main() {}
