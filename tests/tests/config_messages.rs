//! What configuration says of mistakes: bad files, variables and attributes, and the whole text that is printed.
#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers of tests are not tests to clippy.

#[path = "config_messages/consumers.rs"]
mod consumers;
#[path = "config_messages/fixture.rs"]
mod fixture;
#[path = "config_messages/inline.rs"]
mod inline;
#[path = "config_messages/keys.rs"]
mod keys;
#[path = "config_messages/listeners.rs"]
mod listeners;
#[path = "config_messages/map.rs"]
mod map;
#[path = "config_messages/native.rs"]
mod native;
#[path = "config_messages/patience.rs"]
mod patience;
#[path = "config_messages/places.rs"]
mod places;
#[path = "config_messages/policies.rs"]
mod policies;
#[path = "config_messages/proportions.rs"]
mod proportions;
#[path = "config_messages/recovery.rs"]
mod recovery;
#[path = "config_messages/rules.rs"]
mod rules;
#[path = "config_messages/scaling.rs"]
mod scaling;
#[path = "config_messages/transport.rs"]
mod transport;
#[path = "config_messages/uri.rs"]
mod uri;
#[path = "config_messages/values.rs"]
mod values;
