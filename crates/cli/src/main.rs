//! The `hearken` command.

use std::process::ExitCode;

use hearken_cli::Surroundings;
use hearken_container::config::{Environment, KeyTable};

fn main() -> ExitCode {
    hearken_cli::main(&Surroundings::new(&Environment::of_process(), &KeyTable::standard()))
}
