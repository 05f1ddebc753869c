//! The commands of hearken, for the `hearken` binary and for a service's own.
//!
//! A service that offers them knows its listeners, so that its `check` says all there is to say; the `hearken` binary
//! alone reads files and the environment only.
#![forbid(unsafe_code)]

mod arguments;
mod check;
mod plan;
mod service;
mod surroundings;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser as _;

pub use arguments::{Arguments, CheckArguments, Command, PlanArguments};
pub use service::{RunArguments, ServiceArguments, ServiceCommand, execute_for, service_main};
pub use surroundings::Surroundings;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// As it should.
    Success,
    /// It failed.
    Failure,
    /// The configuration, or the command line, is wrong.
    Mistake,
}

impl Status {
    /// The exit status of the process.
    pub const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failure => 1,
            Self::Mistake => 2,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status.code())
    }
}

/// Executes a command, with its output to `out` and what concerns the operator to `err`.
///
/// # Errors
/// When `out` or `err` cannot be written to.
pub fn execute(
    command: &Command,
    surroundings: &Surroundings<'_>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<Status> {
    match command {
        Command::Check(arguments) => check::check(arguments, surroundings, out, err),
        Command::Plan(arguments) => plan::plan(arguments, surroundings, out, err),
    }
}

/// Executes a command on the standard streams. A reader that has seen enough (`| head`) is no failure.
pub fn execute_here(command: &Command, surroundings: &Surroundings<'_>) -> Status {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut err = io::stderr().lock();
    let written =
        execute(command, surroundings, &mut out, &mut err).and_then(|status| out.flush().map(|()| status));
    match written {
        Ok(status) => status,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Status::Success,
        Err(error) => {
            // If this cannot be written either, the status tells.
            let _ = writeln!(err, "hearken: cannot write: {error}");
            Status::Failure
        }
    }
}

/// The `hearken` binary: reads the command line of this process and executes it.
pub fn main(surroundings: &Surroundings<'_>) -> ExitCode {
    match Arguments::try_parse() {
        Ok(arguments) => execute_here(&arguments.command, surroundings).into(),
        Err(error) => explain(&error),
    }
}

/// What clap has to say, and the exit status that goes with it.
fn explain(error: &clap::Error) -> ExitCode {
    // Help is no error, and nothing can be done about a stream that is closed.
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}
