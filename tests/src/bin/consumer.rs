//! A consumer that can be killed: `consumer URL QUEUE MILLISECONDS RECORDS [KEY=VALUE]...`. Each call works for so long, and
//! leaves records of its begin and its end. Used by the chaos tests, see `hearken_tests::process`.

use hearken::prelude::*;
use hearken_tests::records::Records;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

#[derive(Clone)]
struct Work {
    records: Arc<Records>,
    time: Duration,
}

#[listener(queue = "work")]
async fn work(message: Message, State(work): State<Work>) -> Result<(), BoxError> {
    let id = message.id().ok_or("a message without an id")?.parse()?;
    work.records.started(id)?;
    tokio::time::sleep(work.time).await;
    work.records.completed(id)?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    hearken::log::init();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, queue, time, records, settings @ ..] = &arguments[..] else {
        return Err("consumer URL QUEUE MILLISECONDS RECORDS [KEY=VALUE]...".into());
    };
    let records = Arc::new(Records::open(Path::new(records))?);
    let mut builder = Hearken::builder()
        .listen::<work>()
        .state(Work { records, time: Duration::from_millis(time.parse()?) })
        .set("transport.url", url.as_str())
        .set("listeners.work.queue", queue.as_str());
    for setting in settings {
        let (key, value) = setting.split_once('=').ok_or("a setting is KEY=VALUE")?;
        builder = builder.set(key, value);
    }
    Ok(builder.build()?.run().await?)
}
