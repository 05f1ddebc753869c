//! Configuration as a whole: the files of `configs/`, the page of all keys, layers and precedence.
#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers of tests are not tests to clippy.

#[path = "configs/agreement.rs"]
mod agreement;
#[path = "configs/files.rs"]
mod files;
#[allow(dead_code)] // Shared with config_messages.rs.
#[path = "config_messages/fixture.rs"]
mod fixture;
#[path = "configs/precedence.rs"]
mod precedence;
#[path = "configs/settings.rs"]
mod settings;
