//! The commands by their output, and the `hearken` binary as a process.
#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers of tests are not tests to clippy.

#[path = "commands/check.rs"]
mod check;
#[path = "commands/plan.rs"]
mod plan;
#[path = "commands/process.rs"]
mod process;

use std::path::PathBuf;

use clap::Parser as _;
use hearken_cli::{Arguments, Status, Surroundings, execute};
use hearken_container::config::{Environment, KeyTable};
use hearken_core::listener::ListenerDescriptor;
use tempfile::TempDir;

/// A file, and what a command says of it.
pub(crate) struct Shop {
    directory: TempDir,
    pub(crate) environment: Environment,
    pub(crate) listeners: Option<Vec<&'static ListenerDescriptor>>,
}

/// What a command wrote, and how it ended.
pub(crate) struct Said {
    pub(crate) status: Status,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Shop {
    pub(crate) fn new(text: &str) -> Self {
        let directory = TempDir::new().unwrap();
        std::fs::write(directory.path().join("shop.toml"), text).unwrap();
        Self { directory, environment: Environment::default(), listeners: None }
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.directory.path().join("shop.toml")
    }

    /// Executes a command line, with the file.
    pub(crate) fn say(&self, line: &str) -> Said {
        let file = self.file();
        let words = ["hearken"]
            .into_iter()
            .chain(line.split_whitespace())
            .chain(["--config", file.to_str().unwrap()]);
        let arguments = Arguments::try_parse_from(words).unwrap();
        let keys = KeyTable::standard();
        let mut surroundings = Surroundings::new(&self.environment, &keys);
        surroundings.listeners = self.listeners.as_deref();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let status = execute(&arguments.command, &surroundings, &mut out, &mut err).unwrap();
        let text = |bytes| {
            String::from_utf8(bytes).unwrap().replace(&format!("{}/", self.directory.path().display()), "")
        };
        Said { status, out: text(out), err: text(err) }
    }
}
