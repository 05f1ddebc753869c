mod decision;
mod jitter;
mod ladder;
mod linear;
mod names;
mod properties;
mod rules;
mod schedule;
mod tables;
mod warnings;

use super::{Formula, RedeliveryPolicy};

const FORMULAS: [Formula; 2] = [Formula::Classic, Formula::V5_10];

/// An exponential policy with these delays and this multiplier.
fn growing(initial: i64, redelivery: i64, multiplier: f64) -> RedeliveryPolicy {
    flat(initial, redelivery).use_exponential_back_off(true).back_off_multiplier(multiplier)
}

/// A policy with these delays, without back-off.
fn flat(initial: i64, redelivery: i64) -> RedeliveryPolicy {
    RedeliveryPolicy::new("test").initial_redelivery_delay(initial).redelivery_delay(redelivery)
}
