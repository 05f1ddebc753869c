//! Configuration: one table of keys, layers of values, and problems with their places.
//!
//! [`Configuration::load`] reads the file, the profile's file, the environment and what the application's code sets,
//! checks all of it in one go, and gives typed settings. Every value remembers where it is from. Which keys there are
//! is said once, in a [`KeyTable`]; validation, nearest names, `check` and the documentation all read it.
//!
//! Specificity beats layer: built-in < `[container]` < attribute < `[listeners.ID]` < builder; within a table file <
//! profile < environment < builder. A policy has two places more, between `[container]` and the attribute: `[[redeliveryMap]]`
//! by the name of the queue, and for `nonBlockingRedelivery` the `uri` of the policy.

mod check;
mod choice;
mod configuration;
mod consumer;
mod dead_letter;
mod document;
mod documentation;
pub mod duration;
mod effective;
mod entries;
mod environment;
mod inline;
mod key;
pub mod keys;
mod layer;
mod listener;
mod loader;
mod map;
mod mask;
mod merge;
mod names;
mod native;
mod node;
mod overrides;
mod patience;
mod pattern;
mod place;
mod placeholder;
mod policies;
mod problem;
mod proportions;
mod recovery;
mod registered;
mod resolve;
mod rules;
mod scaling;
mod settings;
mod size;
mod source;
mod sources;
mod spot;
mod structure;
mod table;
mod text;
mod transport;
mod unknown;
mod uri;
mod url;
mod variables;

pub use configuration::{Configuration, Loaded};
pub use documentation::markdown;
pub use entries::{Entry, Literal};
pub use environment::Environment;
pub use key::{Kind, Row, Table};
pub use names::nearest as nearest_name;
pub use overrides::{Overrides, Value};
pub use problem::{Problem, Problems, Severity};
pub use settings::{
    ApplicationConfig, BackOffKind, ContainerConfig, DeadLetterStrategy, DeadLetterTarget, ListenerSettings,
    MissingQueue, RedeliveryMode, TransportConfig,
};
pub use source::Source;
pub use sources::{ConfigFile, Sources};
pub use table::KeyTable;
pub use url::TransportUrl;

pub(crate) use names::did_you_mean;
pub(crate) use spot::Spot;
