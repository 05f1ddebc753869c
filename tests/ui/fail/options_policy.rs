//! A redelivery policy in the attribute: its mistakes stand where they were made, beside those of the options.
#![allow(unused)]

use hearken::prelude::*;

#[listener(queue = "orders", redelivery(maximun = 3, initial = "5 sec", retries = 3, rules = [], prefetch = 5), prefetch = 0)]
async fn names() {}

#[listener(queue = "orders", redelivery(maximum = -2, initial = -1, multiplier = 0, collision_avoidance_percent = 0.15, formula = 5.10))]
async fn values() {}

#[listener(queue = "orders", redelivery())]
async fn empty() {}

#[listener(queue = "orders", redelivery("patient"))]
async fn name_inside() {}

#[listener(queue = "orders", redelivery(maximum = 3, maximum_redeliveries = 4), redelivery = "patient")]
async fn twice() {}

#[listener(queue = "orders", redelivery(maximumRedeliveries = 3) prefetch = 5)]
async fn punctuation() {}

#[listener(queue = "orders", redelivery = (maximum = 3))]
async fn sign() {}

fn main() {}
