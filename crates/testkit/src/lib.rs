//! Test support for hearken.
//!
//! [`RecordingTransactions`] and [`RecordingTransport`] write down what happens, in order, in a [`Journal`];
//! [`mod@conformance`] is the suite that every transport passes, with equal answers.
#![forbid(unsafe_code)]

pub mod conformance;
mod hearken;
mod journal;
mod recording_transactions;
mod recording_transport;

pub use hearken::{Published, TestAttempt, TestHearken, TestMessage, TestOutcome};
pub use journal::Journal;
pub use recording_transactions::RecordingTransactions;
pub use recording_transport::RecordingTransport;
