use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use hearken::Builder;
use hearken_container::config::Environment;

use crate::{Command, Status, Surroundings, execute_here, explain};

/// The command line of a service.
#[derive(Debug, Parser)]
#[command(version, about = "A service of message listeners")]
pub struct ServiceArguments {
    /// What to do; `run` unless said otherwise.
    #[command(subcommand)]
    pub command: Option<ServiceCommand>,
}

/// A command of a service.
#[derive(Clone, Debug, Subcommand)]
pub enum ServiceCommand {
    /// Run the listeners until SIGTERM or Ctrl-C, then drain
    Run(RunArguments),
    /// The commands of the `hearken` binary, which here know the listeners.
    #[command(flatten)]
    Common(Command),
}

/// What `run` takes.
#[derive(Args, Clone, Debug, Default)]
pub struct RunArguments {
    /// The file [default: $HEARKEN_CONFIG, or hearken.toml if there is one]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// A whole `main` for a service: `run` (also without a command), `check` and `plan`. Mistakes in configuration end with
/// status 2, other failures with 1.
///
/// ```no_run
/// use hearken::prelude::*;
///
/// #[listener(queue = "orders")]
/// async fn on_order(Text(order): Text) {
///     println!("{order}");
/// }
///
/// #[tokio::main]
/// async fn main() -> std::process::ExitCode {
///     hearken::log::init();
///     hearken_cli::service_main(Hearken::builder().registered().configured()).await
/// }
/// ```
pub async fn service_main(builder: Builder) -> ExitCode {
    match ServiceArguments::try_parse() {
        Ok(arguments) => match arguments.command.unwrap_or(ServiceCommand::Run(RunArguments::default())) {
            ServiceCommand::Run(arguments) => run(arguments, builder).await,
            ServiceCommand::Common(command) => execute_for(&command, &builder).into(),
        },
        Err(error) => explain(&error),
    }
}

/// Executes one of the common commands for the service that `builder` describes, on the standard streams.
pub fn execute_for(command: &Command, builder: &Builder) -> Status {
    let (environment, keys) = (Environment::of_process(), builder.keys());
    execute_here(command, &Surroundings::of_service(builder, &environment, &keys))
}

async fn run(arguments: RunArguments, builder: Builder) -> ExitCode {
    let builder = match arguments.config {
        Some(file) => builder.config_file(file),
        None => builder,
    };
    let result = match builder.build() {
        Ok(application) => application.run().await,
        Err(error) => Err(error),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(error.exit_code())
        }
    }
}
