//! The function is callable, the type beside it nameable, both by one `use` and with the function's visibility.

use hearken::listener::Listener;
use hearken::prelude::*;

mod orders {
    use hearken::prelude::*;

    #[listener(queue = "orders")]
    pub async fn book() -> u8Result {
        Ok(())
    }

    #[allow(non_camel_case_types)]
    pub type u8Result = Result<(), BoxError>;

    pub mod inner {
        #[hearken::listener(queue = "orders")]
        pub(in crate::orders) fn hidden() {}

        #[hearken::listener(queue = "orders")]
        pub(crate) fn shown() {}
    }

    pub fn hidden_id() -> &'static str {
        id_of::<inner::hidden>()
    }

    fn id_of<L: hearken::listener::Listener>() -> &'static str {
        L::descriptor().id
    }
}

use orders::{book, inner::shown as renamed};

#[listener(queue = "types")]
fn r#type() {}

#[listener(queue = "upper", id = "on_order")]
#[allow(non_snake_case)]
fn onOrder() {}

fn id_of<L: Listener>() -> &'static str {
    L::descriptor().id
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    #[listener(queue = "local")]
    fn in_a_body() {}

    book().await.unwrap();
    renamed();
    r#type();
    onOrder();
    in_a_body();
    assert_eq!(id_of::<book>(), "book");
    assert_eq!(id_of::<orders::book>(), "book");
    assert_eq!(id_of::<renamed>(), "shown");
    assert_eq!(orders::hidden_id(), "hidden");
    assert_eq!(id_of::<r#type>(), "type");
    assert_eq!(id_of::<onOrder>(), "on_order");
    assert_eq!(onOrder::descriptor().function, "onOrder");
    assert_eq!(id_of::<in_a_body>(), "in_a_body");
}
