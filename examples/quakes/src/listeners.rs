//! The two listeners.

use crate::event::Event;
use crate::ledger::Ledger;
use hearken::prelude::*;
use std::sync::Arc;

/// Records earthquakes. Anything else is refused for good; magnitudes below zero fail at every attempt; strong ones
/// need a third look.
#[listener(queue = "quakes.events", redelivery = "aftershock", dead_letter = "quakes.dead")]
pub(crate) async fn record_event(
    Json(event): Json<Event>,
    attempt: Attempt,
    State(ledger): State<Arc<Ledger>>,
) -> Result<(), BoxError> {
    ledger.called();
    let quake = event.properties;
    if quake.kind != "earthquake" {
        Err(format!("not an earthquake but: {}", quake.kind)).permanent()?;
    }
    if quake.mag < 0.0 {
        return Err(format!("magnitude {} is below zero", quake.mag).into());
    }
    if quake.mag >= 4.5 && attempt.number() <= 2 {
        return Err(format!("magnitude {} near {} is not yet reviewed", quake.mag, quake.place).into());
    }
    ledger.completed(&event.id);
    Ok(())
}

/// Counts dead letters by what their headers tell.
#[listener(queue = "quakes.dead", dead_letter_strategy = "discarding")]
pub(crate) async fn count_dead_letter(
    Json(event): Json<Event>,
    headers: Headers,
    State(ledger): State<Arc<Ledger>>,
) {
    ledger.dead_letter(&event.id, headers.text("hearken-reason").unwrap_or("unknown"));
}
