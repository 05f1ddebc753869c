//! Neither password nor payload is written to any log, at any level, by hearken or what it uses.

mod rabbitmq_support;

use hearken_core::message::Message;
use hearken_tests::broker::{self, Guard};
use rabbitmq_support::{link, no_link, receive, send, subscribe};
use std::io::Write;
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

const PASSWORD: &str = "canary-password";
const PAYLOAD: &str = "canary-payload";

#[tokio::test]
async fn password_and_payload_stay_out_of_the_log() {
    let log = Log::default();
    let writer = log.clone();
    tracing_subscriber::fmt().with_writer(move || writer.clone()).with_env_filter("trace").init();
    let guard = Guard::new();
    let mut wrong = guard.settings();
    wrong.url = broker::amqp_url().replace("guest:guest", &format!("guest:{PASSWORD}")).parse().unwrap();
    let error = no_link(wrong).await;
    let link = link(guard.settings()).await;
    let queue = guard.queue("secrets");
    let mut consumer = subscribe(&link, &queue).await;
    send(&link, &queue, Message::new(PAYLOAD).with_header("k", PAYLOAD)).await.unwrap();
    receive(&mut consumer).await;
    send(&link, &broker::unique("nowhere"), Message::new(PAYLOAD)).await.unwrap_err();
    link.close().await;
    let text = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned() + &format!("{error} {error:?}");
    let bytes = format!("{:?}", PASSWORD.as_bytes());
    let bytes = bytes.trim_matches(['[', ']']);
    for secret in [PASSWORD, PAYLOAD, bytes, "Y2FuYXJ5"] {
        let line = text.lines().find(|line| line.contains(secret));
        assert!(line.is_none(), "{secret}: {line:?}");
    }
    assert!(text.contains("hearken::rabbitmq"), "the log is not empty");
}
