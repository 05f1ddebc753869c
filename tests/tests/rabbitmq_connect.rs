//! Connecting to RabbitMQ: what goes wrong has a type and a name, never a secret, and ends in time.

mod rabbitmq_support;

use hearken_core::transport::TransportErrorKind as Kind;
use hearken_rabbitmq::{Settings, Url};
use hearken_tests::broker::{self, Guard};
use rabbitmq_support::{link, no_link, subscribe};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;

fn settings(url: &str) -> Settings {
    Settings::new(url.parse().unwrap(), "connect")
}

#[tokio::test]
async fn a_link_is_opened_and_closed() {
    let guard = Guard::new();
    let link = link(guard.settings()).await;
    let queue = guard.queue("opened");
    subscribe(&link, &queue).await.close().await.unwrap();
    let lost = link.lost();
    link.close().await;
    let still = tokio::time::timeout(Duration::from_millis(200), lost).await;
    assert!(still.is_err(), "a closed link is not lost");
}

#[tokio::test]
async fn a_wrong_password_names_user_and_host_and_not_the_password() {
    let url = broker::amqp_url().replace("guest:guest", "guest:hunter2");
    let error = no_link(settings(&url)).await;
    assert_eq!(*error.kind(), Kind::AccessRefused);
    let text = format!("{error} {error:?}");
    assert!(text.contains("`guest`") && text.contains(&broker::amqp_address()), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
}

#[tokio::test]
async fn a_missing_virtual_host_is_named() {
    let url = broker::amqp_url().replace("/%2f", "/no-such-host");
    let error = no_link(settings(&url)).await;
    assert_eq!(*error.kind(), Kind::VirtualHost);
    assert!(error.to_string().contains("`no-such-host`"), "{error}");
}

#[tokio::test]
async fn a_closed_port_is_named_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let error = no_link(settings(&format!("amqp://{address}"))).await;
    assert_eq!(*error.kind(), Kind::Unreachable);
    assert!(error.to_string().contains(&address.to_string()), "{error}");
}

#[tokio::test]
async fn a_name_that_does_not_resolve_is_named() {
    let error = no_link(settings("amqp://no-such-host.invalid")).await;
    assert_eq!(*error.kind(), Kind::Unreachable);
    assert!(error.to_string().contains("no-such-host.invalid:5672"), "{error}");
}

#[tokio::test]
async fn a_silent_port_ends_with_the_connect_timeout() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let silent = tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            held.push(stream);
        }
    });
    let mut settings = settings(&format!("amqp://{address}"));
    settings.connect_timeout = Duration::from_millis(500);
    let before = Instant::now();
    let error = no_link(settings).await;
    assert_eq!(*error.kind(), Kind::Timeout);
    assert!(error.to_string().contains(&address.to_string()), "{error}");
    assert!(before.elapsed() < Duration::from_millis(1_500));
    silent.abort();
}

#[tokio::test]
async fn a_port_that_speaks_something_else_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let other = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            use tokio::io::AsyncWriteExt;
            stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        }
    });
    let error = no_link(settings(&format!("amqp://{address}"))).await;
    assert!(error.to_string().contains(&address.to_string()), "{error}");
    other.abort();
}

#[tokio::test]
async fn an_ipv6_address_is_not_taken_for_localhost() {
    // The node listens on 127.0.0.1 only: whoever reaches it under this name went somewhere else.
    let port = broker::amqp_url().parse::<Url>().unwrap().port();
    let error = no_link(settings(&format!("amqp://guest:guest@[::1]:{port}"))).await;
    assert_eq!(*error.kind(), Kind::Unreachable);
    assert!(error.to_string().contains(&format!("[::1]:{port}")), "{error}");
}

#[tokio::test]
async fn tls_with_the_given_authority_works() {
    let guard = Guard::new();
    let mut settings = Settings::new(broker::amqps_url().parse().unwrap(), guard.application("tls"));
    settings.ca_certificate = Some(broker::amqps_ca());
    let link = link(settings).await;
    let queue = guard.queue("tls");
    subscribe(&link, &queue).await.close().await.unwrap();
    link.close().await;
}

#[tokio::test]
async fn an_unknown_authority_is_refused() {
    let error = no_link(settings(&broker::amqps_url())).await;
    assert_eq!(*error.kind(), Kind::Tls, "{error}");
}

#[tokio::test]
async fn a_certificate_file_that_is_missing_or_empty_is_named() {
    let missing = std::path::PathBuf::from("/no/such/ca.pem");
    let empty = tempfile::NamedTempFile::new().unwrap();
    for path in [missing.as_path(), empty.path()] {
        let mut settings = settings(&broker::amqps_url());
        settings.ca_certificate = Some(path.to_owned());
        let error = no_link(settings).await;
        assert_eq!(*error.kind(), Kind::InvalidSettings);
        assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
    }
}

#[test]
fn a_transport_may_be_made_and_dropped_anywhere() {
    let transport = hearken_rabbitmq::RabbitMq::new(settings("amqp://u:hunter2@h/v")).unwrap();
    assert!(!format!("{transport:?}").contains("hunter2"));
    assert_eq!(hearken_core::transport::Transport::address(&transport), "amqp://u:***@h:5672/v");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async { drop(transport) });
}
