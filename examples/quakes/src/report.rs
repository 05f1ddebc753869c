//! What a person reads.

use crate::ledger::Summary;
use std::io::{IsTerminal, Write};

/// The line before anything happens.
pub(crate) fn begin(transport: &str) {
    println!("One week of earthquakes, by {transport}");
}

/// One line that moves, on a terminal; nothing elsewhere.
pub(crate) struct Progress {
    shown: bool,
}

impl Progress {
    /// Shows nothing if `quiet`.
    pub(crate) fn new(quiet: bool) -> Self {
        Self { shown: !quiet && std::io::stderr().is_terminal() }
    }

    /// Shows how it stands.
    pub(crate) fn show(&mut self, summary: &Summary) {
        if self.shown {
            eprint!(
                "\r  {:>5} published  {:>5} completed  {:>3} dead letters  {:>5} calls ",
                summary.published, summary.completed, summary.dead_letters, summary.calls
            );
            let _ = std::io::stderr().flush();
        }
    }

    /// Ends the line.
    pub(crate) fn end(&self) {
        if self.shown {
            eprintln!();
        }
    }
}

/// Prints the ledger. A reader that went away is no error.
pub(crate) fn print(summary: &Summary, json: bool) {
    let text = if json {
        serde_json::to_string(summary).unwrap_or_else(|error| error.to_string())
    } else {
        table(summary)
    };
    let _ = writeln!(std::io::stdout(), "{text}");
}

fn table(summary: &Summary) -> String {
    let Summary { published, completed, dead_letters, calls, lost, duplicates, reasons, elapsed_ms } =
        summary;
    let reasons: Vec<_> = reasons.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    let verdict = if *lost == 0 { "every event is accounted for" } else { "EVENTS ARE MISSING" };
    format!(
        "\
  published     {published:>6}
  completed     {completed:>6}
  dead letters  {dead_letters:>6}   {}
  handler calls {calls:>6}
  duplicates    {duplicates:>6}
  lost          {lost:>6}   {verdict}, in {:.1} s",
        reasons.join(", "),
        *elapsed_ms as f64 / 1000.0,
    )
}
