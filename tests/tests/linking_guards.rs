//! What start-up finds wrong with the listeners themselves.

use hearken::prelude::*;

// A crate without a listener.
hearken::link!(bytes);

mod first {
    #[hearken::listener(queue = "orders")]
    pub(super) async fn on_order() {}
}

mod second {
    #[hearken::listener(queue = "returns", id = "on_order")]
    pub(super) async fn on_return() {}
}

fn problems(builder: hearken::Builder) -> String {
    builder.build().err().expect("a problem").to_string()
}

#[track_caller]
fn has(error: &str, parts: &[&str]) {
    for part in parts {
        assert!(error.contains(part), "{part} is not in:\n{error}");
    }
}

#[test]
fn an_application_without_listeners_does_not_idle() {
    has(&problems(Hearken::builder()), &["no listener", "#[listener(queue = ", "link!"]);
}

#[test]
fn two_listeners_of_one_id_are_named_with_both_places() {
    let error = problems(Hearken::builder().listen::<first::on_order>().listen::<second::on_return>());
    has(&error, &["on_order", "linking_guards.rs:9", "linking_guards.rs:14"]);
}

#[test]
fn a_crate_named_by_link_must_have_a_listener() {
    has(&problems(Hearken::builder().registered()), &["linking_guards.rs:6", "`bytes`", "no listener"]);
}

#[test]
fn a_builder_without_the_registry_does_not_mind_what_is_linked() {
    Hearken::builder().listen::<first::on_order>().build().unwrap();
}
