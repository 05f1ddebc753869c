//! Mistakes of the body stay where they are.
#![allow(unused)]

use hearken::prelude::*;

#[listener(queue = "orders")]
async fn wrong_type(Text(text): Text) -> Result<(), BoxError> {
    let _: u64 = text;
    Ok(())
}

#[listener(queue = "orders")]
async fn nothing_returned() -> Result<(), BoxError> {}

fn main() {}
