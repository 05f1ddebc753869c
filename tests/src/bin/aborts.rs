//! A consumer that one message ends: `aborts URL APPLICATION QUEUE DEAD MAXIMUM ID RECORDS`. Its handler aborts the process for the
//! message with this id. Used by `tests/chaos_crash.rs`.

use hearken::prelude::*;
use hearken_tests::records::Records;
use std::path::Path;
use std::sync::Arc;

#[derive(Clone)]
struct Deadly(u64);

#[listener(queue = "given by the test", concurrency = 2, prefetch = 5)]
async fn aborts(
    message: Message,
    attempt: Attempt,
    State(Deadly(deadly)): State<Deadly>,
    State(records): State<Arc<Records>>,
) -> Result<(), BoxError> {
    let id = message.id().ok_or("a message without an id")?.parse()?;
    records.started(id, attempt.number())?;
    if id == deadly {
        std::process::abort();
    }
    records.completed(id)?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, application, queue, dead, maximum, deadly, records] = &arguments[..] else {
        return Err("aborts URL APPLICATION QUEUE DEAD MAXIMUM ID RECORDS".into());
    };
    let builder = Hearken::builder()
        .listen::<aborts>()
        .state(Deadly(deadly.parse()?))
        .state(Arc::new(Records::open(Path::new(records))?))
        .set("transport.url", url.as_str())
        .set("application.name", application.as_str())
        .set("container.deadLetter", dead.as_str())
        .set("redelivery.default.maximumRedeliveries", maximum.parse::<u32>()?)
        .set("listeners.aborts.queue", queue.as_str());
    Ok(builder.build()?.run().await?)
}
