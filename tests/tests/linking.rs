//! A crate that `hearken::link!` names is linked, with all its listeners; naming them by type needs no registry.

use hearken::listener::registered;
use hearken::prelude::*;

hearken::link!(hearken_fixture_shipping);

#[listener(queue = "orders")]
async fn on_order() {}

mod private {
    #[hearken::listener(queue = "orders", id = "somewhere_else")]
    fn on_order() {}
}

fn ids(builder: &hearken::Builder) -> Vec<&'static str> {
    builder.descriptors().iter().map(|listener| listener.id).collect()
}

#[test]
fn listeners_of_private_modules_and_linked_crates_register_themselves() {
    let found: Vec<_> =
        registered().iter().map(|listener| (listener.id, listener.function, listener.module_path)).collect();
    assert_eq!(
        found,
        [
            ("on_order", "on_order", "linking"),
            ("ship", "ship", "hearken_fixture_shipping::parcels"),
            ("somewhere_else", "on_order", "linking::private"),
            ("take_back", "take_back", "hearken_fixture_shipping::parcels::returns"),
        ]
    );
}

#[test]
fn an_application_of_all_registered_listeners_passes_its_checks() {
    Hearken::builder().registered().build().unwrap();
}

#[test]
fn a_builder_takes_listeners_by_name_without_the_registry() {
    let builder = hearken_fixture_shipping::listen(Hearken::builder().listen::<on_order>());
    assert_eq!(ids(&builder), ["on_order", "ship", "take_back"]);
    builder.build().unwrap();
}

#[test]
fn a_fresh_builder_has_no_listener() {
    assert_eq!(ids(&Hearken::builder()), Vec::<&str>::new());
}
