//! Qualifiers that a listener cannot have.
#![allow(unused)]

use hearken::prelude::*;

#[listener(queue = "orders")]
const fn constant() {}

#[listener(queue = "orders")]
unsafe fn dangerous() {}

#[listener(queue = "orders")]
extern "C" fn foreign() {}

#[listener(queue = "orders")]
pub const unsafe extern "C" fn all() {}

#[listener(queue = "orders")]
unsafe extern "C" fn variadic(_: ...) {}

fn main() {
    constant();
}
