//! One function for each type.
#![allow(unused)]

use hearken::prelude::*;

#[listener(queue = "orders")]
async fn of_a_type<T: serde::de::DeserializeOwned + Send>(_: Json<T>) {}

#[listener(queue = "orders")]
async fn of_a_number<const N: usize>(_: Json<u8>) {}

#[listener(queue = "orders")]
async fn of_many<'a, A, B: Clone, const N: usize>(_: &'a [u8], _: A, _: B) {}

#[listener(queue = "orders")]
async fn of_a_trait(_: impl Into<String>, _: Json<Box<u8>>) {}

fn main() {}
