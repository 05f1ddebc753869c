//! A call moves between threads: what it holds across an `await` must be `Send`.
#![allow(unused)]

use std::rc::Rc;

use hearken::prelude::*;

#[listener(queue = "orders")]
async fn on_order(attempt: Attempt) {
    let counter = Rc::new(attempt.number());
    std::future::ready(()).await;
    drop(counter);
}

struct Local(Rc<u8>);

impl<'a> FromDelivery<'a> for Local {
    async fn from_delivery(_: &'a hearken::call::Call) -> Result<Self, Reject> {
        Ok(Self(Rc::new(1)))
    }
}

#[listener(queue = "orders")]
fn sync(local: Local) {
    drop(local.0);
}

fn main() {}
