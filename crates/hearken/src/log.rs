//! A subscriber for `tracing` with safe defaults.

use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

/// What is logged unless `HEARKEN_LOG` says otherwise. lapin logs returned messages with their payload at WARN, so it
/// is kept at ERROR.
pub const DEFAULT_FILTER: &str = "info,lapin=error";

/// Logs to standard error, one line an event, by the filter in `HEARKEN_LOG` (syntax of `tracing-subscriber`'s
/// `EnvFilter`; default [`DEFAULT_FILTER`]). A filter of your own that does not name `lapin` keeps `lapin=error`.
///
/// Does nothing if the process has a subscriber already.
pub fn init() {
    init_with(DEFAULT_FILTER);
}

/// The same with another default.
pub fn init_with(default: &str) {
    let chosen = std::env::var("HEARKEN_LOG").unwrap_or_else(|_| default.to_owned());
    let filter = if chosen.contains("lapin") { chosen } else { format!("lapin=error,{chosen}") };
    let filter = EnvFilter::try_new(&filter).unwrap_or_else(|error| {
        eprintln!("HEARKEN_LOG: {error}; logging by the default `{DEFAULT_FILTER}`");
        EnvFilter::new(DEFAULT_FILTER)
    });
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr)
        .try_init();
}
