use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// The command line of the `hearken` binary.
#[derive(Debug, Parser)]
#[command(name = "hearken", version, about = "Checks and explains the configuration of a hearken service")]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// A command.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Check the configuration and print what counts, with the source of each value
    Check(CheckArguments),
    /// Print when a failing message is redelivered under a policy
    Plan(PlanArguments),
}

/// What `check` takes.
#[derive(Args, Clone, Debug, Default)]
pub struct CheckArguments {
    /// The file [default: $HEARKEN_CONFIG, or hearken.toml if there is one]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print JSON: an array of objects with path, value and source
    #[arg(long)]
    pub json: bool,
}

/// What `plan` takes.
#[derive(Args, Clone, Debug, Default)]
pub struct PlanArguments {
    /// The name of the policy
    #[arg(value_name = "POLICY")]
    pub policy: String,
    /// The file [default: $HEARKEN_CONFIG, or hearken.toml if there is one]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// How many redeliveries to show [default: all, or the first 20 of very many]
    #[arg(long, value_name = "N")]
    pub count: Option<usize>,
    /// Print JSON: an array of objects, times in milliseconds
    #[arg(long)]
    pub json: bool,
    /// Draw the waits of a policy with collision avoidance [default: show them undisturbed]
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
}
