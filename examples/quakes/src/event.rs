//! The input: one GeoJSON feature a line.

use serde::Deserialize;

/// What this example reads of an event.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Event {
    /// Unique.
    pub(crate) id: String,
    /// Where, how strong, what.
    pub(crate) properties: Properties,
}

/// The properties of an event.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Properties {
    /// Magnitude.
    pub(crate) mag: f64,
    /// `earthquake`, `explosion`, `quarry blast`.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// In words.
    pub(crate) place: String,
}

/// One week of the whole Earth, line by line.
pub(crate) fn week() -> impl Iterator<Item = &'static str> {
    include_str!("../data/usgs-week.ndjson").lines().filter(|line| !line.is_empty())
}
