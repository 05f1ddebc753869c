//! A process that holds a message and can be killed: `holder URL QUEUE`. Says `holds` on standard output once it has one.

use futures_util::StreamExt;
use lapin::{Connection, ConnectionProperties};

#[tokio::main]
async fn main() -> Result<(), lapin::Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, queue] = &arguments[..] else { panic!("holder URL QUEUE") };
    let connection = Connection::connect(url, ConnectionProperties::default()).await?;
    let channel = connection.create_channel().await?;
    let mut consumer = channel
        .basic_consume(queue.as_str().into(), "holder".into(), Default::default(), Default::default())
        .await?;
    if let Some(delivery) = consumer.next().await {
        let _held = delivery?;
        println!("holds");
        std::future::pending::<()>().await;
    }
    Ok(())
}
