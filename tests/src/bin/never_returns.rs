//! A service with a handler that never returns: `plain` (a plain function) or `blocking` (an async function that never
//! reaches an await). Says `called` on standard output once the handler runs. Used by `tests/process.rs`.

use hearken::prelude::*;
use hearken_embedded::{Broker, EmbeddedTransport, Settings};
use std::sync::Arc;

fn for_ever() {
    println!("called");
    loop {
        std::thread::park();
    }
}

#[listener(queue = "plain")]
fn plain() {
    for_ever();
}

#[listener(queue = "blocking")]
async fn blocking() {
    for_ever();
}

#[tokio::main]
async fn main() -> hearken::Result<()> {
    hearken::log::init();
    let queue = std::env::args().nth(1).unwrap_or_default();
    let broker = Broker::new(Settings::default());
    if broker.declare_queue(&queue).is_ok() {
        let message = Message::new("work");
        let outgoing = hearken::transport::Outgoing::new(Destination::queue(queue), message);
        if let Err(error) = broker.publish(outgoing).await {
            eprintln!("{error}");
        }
    }
    Hearken::builder()
        .listen::<plain>()
        .listen::<blocking>()
        .transport(Arc::new(EmbeddedTransport::new(broker)))
        .set("container.shutdownTimeout", "500ms")
        .build()?
        .run()
        .await
}
