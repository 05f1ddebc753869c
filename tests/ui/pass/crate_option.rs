//! `crate = "…"` for a crate that is re-exported, or known by another name.

extern crate hearken as hk;

mod vendor {
    pub use hearken as messaging;
}

#[hk::listener(queue = "orders", crate = "::hk")]
async fn renamed(_: hk::prelude::Attempt) {}

#[vendor::messaging::listener(queue = "orders", crate = "crate::vendor::messaging")]
fn re_exported() {}

mod shadowed {
    #[allow(dead_code)]
    mod hearken {}

    #[::hearken::listener(queue = "orders")]
    pub fn beside_a_module_of_that_name() {}
}

fn main() {
    assert_eq!(hk::listener::registered().len(), 3);
    shadowed::beside_a_module_of_that_name();
}
