//! Other attributes on the function: conditions hold for all that is generated, the rest stays with the function.

#![deny(warnings, missing_docs, unreachable_pub, unused_qualifications, rust_2018_idioms)]
#![forbid(unsafe_code)]

use hearken::prelude::*;

#[cfg(any())]
#[listener(queue = "orders")]
async fn absent(no: Such<Type>) {}

#[listener(queue = "orders")]
#[cfg(any())]
async fn absent_too(no: Such<Type>) {}

#[listener(queue = "orders")]
#[cfg(any())]
async fn either() {}

#[listener(queue = "orders")]
#[cfg(not(any()))]
async fn either() {}

#[cfg_attr(not(any()), listener(queue = "orders"))]
async fn conditional() {}

#[listener(queue = "orders")]
#[cfg_attr(not(any()), inline)]
#[deprecated = "for the test"]
async fn deprecated() {}

/// Must be used, and says so.
#[listener(queue = "orders")]
#[must_use]
async fn must_use() -> Action {
    Action::Commit
}

#[allow(non_snake_case)]
#[listener(queue = "orders", id = "upper")]
#[allow(unused_variables)]
#[expect(clippy::needless_return)]
async fn Upper(attempt: Attempt) {
    return;
}

/// Public and documented once.
#[listener(queue = "orders")]
pub async fn public() {}

macro_rules! listener {
    ($(#[$meta:meta])* $name:ident, $queue:literal, $prefetch:expr, $argument:ty) => {
        $(#[$meta])*
        #[hearken::listener(queue = $queue, prefetch = $prefetch)]
        async fn $name(_: $argument) {}
    };
}

listener!(
    /// From a macro.
    from_a_macro, "orders", 5, Option<Header<Tenant>>
);

struct Tenant;

impl FromHeader for Tenant {
    const NAME: &'static str = "tenant";

    fn from_header(_: &HeaderValue) -> Result<Self, BoxError> {
        Ok(Self)
    }
}

fn main() {
    let ids: Vec<_> = hearken::listener::registered().iter().map(|listener| listener.id).collect();
    assert_eq!(ids, ["conditional", "deprecated", "either", "from_a_macro", "must_use", "public", "upper"]);
}
