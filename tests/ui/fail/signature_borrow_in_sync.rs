//! A sync listener owns its arguments.
#![allow(unused)]

use hearken::prelude::*;

#[listener(queue = "orders")]
fn elided(body: &[u8]) {}

#[listener(queue = "orders")]
fn named<'a>(body: &'a [u8], attempt: Attempt) {}

struct Line<'a>(&'a [u8]);

#[listener(queue = "orders")]
fn anonymous(line: Line<'_>, headers: &mut Headers) {}

#[listener(queue = "orders")]
fn inside(line: Option<(u8, Line<'_>)>) {}

fn main() {
    let _ = Line(&[]).0;
}
