//! A dependency that nothing refers to is left out with its listeners; start-up says so where it can know.

use hearken::listener::registered;
use hearken::prelude::*;

#[listener(queue = "orders")]
async fn on_order() {}

#[test]
fn listeners_of_a_crate_that_nothing_refers_to_are_missing() {
    let ids: Vec<_> = registered().iter().map(|listener| listener.id).collect();
    assert_eq!(ids, ["on_order"]);
}

#[test]
fn a_configured_listener_that_is_not_linked_stops_the_start() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("shop.toml");
    std::fs::write(&file, "[listeners.on_order]\nprefetch = 5\n\n[listeners.ship]\nprefetch = 5\n").unwrap();
    let problem = Hearken::builder().registered().config_file(&file).build().err();
    let error = problem.expect("a problem").to_string();
    for part in ["shop.toml:4:", "ship", "hearken::link!"] {
        assert!(error.contains(part), "{part} is not in:\n{error}");
    }
    assert!(!error.contains("on_order:"), "{error}");
}
