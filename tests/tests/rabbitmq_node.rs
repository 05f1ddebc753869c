//! What becomes of a link when its node is short of memory, when the broker loses patience, or when somebody works on it.

mod rabbitmq_support;

#[path = "rabbitmq_node/alarms.rs"]
mod alarms;
#[path = "rabbitmq_node/counts.rs"]
mod counts;
#[path = "rabbitmq_node/ends.rs"]
mod ends;

use hearken_rabbitmq::Settings;
use hearken_tests::broker;
use hearken_tests::node::Node;

/// Settings for an application of its own on the node; whatever it leaves behind goes with the node.
fn settings(node: &Node) -> Settings {
    Settings::new(node.url().parse().unwrap(), broker::unique("app"))
}
