//! What the tests of this package share, and the rig of the chaos tests: nodes to kill, networks to disturb, processes to
//! end, and a ledger of what became of every message.

pub mod broker;
pub mod captured;
pub mod chaos;
pub mod dead_letters;
pub mod inspect;
pub mod ledger;
pub mod load;
pub mod node;
pub mod process;
pub mod proxy;
pub mod records;
pub mod scenarios;
pub mod vhost;
