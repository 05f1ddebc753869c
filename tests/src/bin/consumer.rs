//! A consumer that can be killed: `consumer URL QUEUE MILLISECONDS RECORDS [KEY=VALUE]...`. Each call works for so long, and
//! leaves records of its begin and its end. Used by the chaos tests, see `hearken_tests::process`.
//!
//! A key is one of the configuration, or says what a call does: `test.fails=N` fails the first N attempts,
//! `test.blocks=true` works without an await, `test.publishes=QUEUE` sends a message of the same id there,
//! `test.decodes=true` takes the body as an [`Order`].

use hearken::prelude::*;
use hearken_tests::records::Records;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

#[derive(Clone)]
struct Work {
    records: Arc<Records>,
    time: Duration,
    fails: u64,
    blocks: bool,
    publishes: Option<String>,
}

#[listener(queue = "work")]
async fn work(
    message: Message,
    attempt: Attempt,
    session: Session,
    State(work): State<Work>,
) -> Result<(), BoxError> {
    let id = message.id().ok_or("a message without an id")?.parse()?;
    work.records.started(id, attempt.number())?;
    if let Some(queue) = &work.publishes {
        let _sent = session.send(queue.as_str(), Message::new("x").with_id(id.to_string())).await?;
    }
    if work.blocks {
        std::thread::sleep(work.time);
    } else {
        tokio::time::sleep(work.time).await;
    }
    if attempt.number() <= work.fails {
        return Err("as it was told".into());
    }
    work.records.completed(id)?;
    Ok(())
}

/// What some bodies are.
#[derive(serde::Deserialize)]
struct Order {
    id: u64,
    #[serde(default)]
    name: String,
    #[serde(default)]
    more: serde_json::Value,
}

#[listener(queue = "work")]
async fn decode(
    Payload(order): Payload<Order>,
    attempt: Attempt,
    State(work): State<Work>,
) -> Result<(), BoxError> {
    if !(order.name.is_empty() && order.more.is_null()) {
        return Err("an order of the tests has an id only".into());
    }
    work.records.started(order.id, attempt.number())?;
    tokio::time::sleep(work.time).await;
    work.records.completed(order.id)?;
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
    let time = Duration::from_millis(time.parse()?);
    let mut call = Work { records, time, fails: 0, blocks: false, publishes: None };
    let mut builder = Hearken::builder().set("transport.url", url.as_str());
    builder = if settings.iter().any(|setting| setting == "test.decodes=true") {
        builder.listen::<decode>().set("listeners.decode.queue", queue.as_str())
    } else {
        builder.listen::<work>().set("listeners.work.queue", queue.as_str())
    };
    for setting in settings {
        match setting.split_once('=').ok_or("a setting is KEY=VALUE")? {
            ("test.fails", attempts) => call.fails = attempts.parse()?,
            ("test.blocks", blocks) => call.blocks = blocks.parse()?,
            ("test.publishes", queue) => call.publishes = Some(queue.to_owned()),
            ("test.decodes", _) => {}
            (key, value) => builder = builder.set(key, value),
        }
    }
    Ok(builder.state(call).build()?.run().await?)
}
