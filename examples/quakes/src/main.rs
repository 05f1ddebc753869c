//! One week of earthquakes through a listener container.
//!
//! Publishes 1,707 real seismic events, handles them with the listeners of [`listeners`], and ends by itself when every
//! event is accounted for. `--json` prints the ledger as one object; `check` and `plan` are those of the `hearken`
//! command, and know the listeners of this binary.

mod event;
mod ledger;
mod listeners;
mod report;
#[cfg(test)]
mod tests;

use crate::event::{Event, week};
use crate::ledger::{Ledger, Summary};
use clap::Parser;
use hearken::prelude::*;
use hearken::{Application, Builder, ListenerState};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// One week of earthquakes through a listener container.
#[derive(Debug, Parser)]
#[command(name = "quakes", version)]
struct Arguments {
    /// Print the ledger as one JSON object, and nothing else.
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    command: Option<hearken_cli::Command>,
}

/// How long the broker may be absent at first.
const CONNECT: Duration = Duration::from_secs(15);
/// How long nothing may happen before the run is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// The application: its own settings file unless `$HEARKEN_CONFIG` names another.
fn builder() -> Builder {
    Hearken::builder().registered().configured_or(concat!(env!("CARGO_MANIFEST_DIR"), "/quakes.toml"))
}

/// Queue names of this run alone, so that runs do not mix and can clean up after themselves.
fn for_one_run(builder: Builder) -> (Builder, String, String) {
    let run = uuid::Uuid::new_v4().simple().to_string();
    let events = format!("quakes.events.{}", &run[..8]);
    let dead = format!("quakes.dead.{}", &run[..8]);
    let builder = builder
        .set("listeners.record_event.queue", events.as_str())
        .set("listeners.record_event.deadLetter", dead.as_str())
        .set("listeners.count_dead_letter.queue", dead.as_str());
    (builder, events, dead)
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(command) = arguments.command {
        return hearken_cli::execute_for(&command, &builder().state(Arc::new(Ledger::default()))).into();
    }
    // Failures are what this example is made of; only trouble with the broker is worth a line.
    hearken::log::init_with("error,hearken_container::epoch=warn,hearken_container::slot=warn");
    let ledger = Arc::new(Ledger::default());
    let (builder, events, dead) = for_one_run(builder().state(Arc::clone(&ledger)));
    let result = match builder.build() {
        Ok(application) => run(application, &ledger, &events, &dead, arguments.json).await,
        Err(error) => Err(error.into()),
    };
    match result {
        Ok(summary) => {
            report::print(&summary, arguments.json);
            if summary.lost == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(Failed { text, code }) => {
            eprintln!("{text}");
            ExitCode::from(code)
        }
    }
}

struct Failed {
    text: String,
    code: u8,
}

impl From<hearken::Error> for Failed {
    fn from(error: hearken::Error) -> Self {
        Self { text: error.to_string(), code: error.exit_code() }
    }
}

async fn run(
    application: Application,
    ledger: &Ledger,
    events: &str,
    dead: &str,
    quiet: bool,
) -> Result<Summary, Failed> {
    let transport = application.configuration().transport().url.to_string();
    if !quiet {
        report::begin(&transport);
    }
    let mut running = application.start().await?;
    let consuming = running.wait_for_state("record_event", |state| *state == ListenerState::Running);
    if tokio::time::timeout(CONNECT, consuming).await.is_err() {
        running.stop().await;
        return Err(Failed { text: format!("no broker at {transport} within {CONNECT:?}"), code: 1 });
    }
    let publisher = running.publisher();
    let published = publish(&publisher, ledger, events);
    let mut progress = report::Progress::new(quiet);
    let watch = ledger.settled(week().count(), PATIENCE, |summary| progress.show(summary));
    let (published, ()) = tokio::join!(published, watch);
    progress.end();
    running.stop_listeners().await;
    for queue in [events, dead] {
        if let Err(error) = running.delete_queue(queue).await {
            eprintln!("the queue {queue} is left behind: {error}");
        }
    }
    running.stop().await;
    published.map_err(|error| Failed { text: format!("publishing stopped: {error}"), code: 1 })?;
    Ok(ledger.summary())
}

/// Publishes the week, up to 64 events at a time.
async fn publish(publisher: &Publisher, ledger: &Ledger, queue: &str) -> Result<(), BoxError> {
    let lines: Vec<_> = week().collect();
    for lines in lines.chunks(64) {
        let mut sends = Vec::with_capacity(lines.len());
        for line in lines {
            let id = serde_json::from_str::<Event>(line)?.id;
            let message = Message::new(*line).with_content_type("application/json").with_id(&id);
            let publisher = publisher.clone();
            let queue = queue.to_owned();
            sends.push((id, tokio::spawn(async move { publisher.send(queue, message).await })));
        }
        for (id, send) in sends {
            send.await??;
            ledger.published(&id);
        }
    }
    Ok(())
}
