//! Types of later versions are refused by name; whether they exist is the compiler's matter.
#![allow(unused)]

use hearken::prelude::*;

struct Db;
struct Tx<'a, T>(&'a T);
struct Many<T>(T);
struct Reply<T>(T);

#[listener(queue = "orders")]
async fn transaction(tx: Tx<'_, Db>) {}

#[listener(queue = "orders")]
async fn two_transactions(first: Tx<'_, Db>, second: Tx<'_, Db>) {}

#[listener(queue = "orders")]
async fn batch(orders: Many<u64>) {}

#[listener(queue = "orders")]
async fn reply() -> Reply<u64> {
    Reply(1)
}

#[listener(queue = "orders")]
async fn fallible_reply() -> Result<Reply<u64>, BoxError> {
    Ok(Reply(1))
}

fn main() {}
