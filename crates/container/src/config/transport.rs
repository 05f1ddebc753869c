//! `[application]`, `[transport]`, and what `[container]` says of the application.

use std::path::{Path, PathBuf};

use hearken_core::redelivery::ZeroDelay;
use hearken_core::transport::QueueType;

use super::effective::Effective;
use super::key::Table;
use super::loader::reason;
use super::names::dotted;
use super::place::Place;
use super::problem::{Problem, Report};
use super::recovery;
use super::resolve::Resolver;
use super::settings::{ApplicationConfig, ContainerConfig, TransportConfig};
use super::source::Source;
use super::spot::Spot;
use super::url::TransportUrl;
use hearken_core::transport::Topology;

pub(crate) fn application(resolver: &Resolver, executable: &str) -> ApplicationConfig {
    let name = resolver.plain(Table::Application, "name").map(|name| name.text().to_owned());
    ApplicationConfig { name: name.unwrap_or_else(|| executable.to_owned()) }
}

pub(crate) fn container(resolver: &Resolver, report: &mut Report) -> ContainerConfig {
    let get = |key: &str| resolver.plain(Table::Container, key);
    let duration = |key: &str| get(key).map(|value| value.duration()).unwrap_or_default();
    ContainerConfig {
        shutdown_timeout: duration("shutdownTimeout"),
        end_process: get("endProcess").is_some_and(|value| value.boolean()),
        zero_delay: get("zeroDelay").and_then(|value| ZeroDelay::from_name(value.text())).unwrap_or_default(),
        receive_timeout: duration("receiveTimeout"),
        recovery_interval: duration("recoveryInterval"),
        back_off: recovery::back_off(Place { resolver, scope: None }, report),
    }
}

pub(crate) fn transport(resolver: &Resolver, report: &mut Report) -> TransportConfig {
    let get = |key: &str| resolver.plain(Table::Transport, key);
    let duration = |key: &str| get(key).map(|value| value.duration()).unwrap_or_default();
    let bytes = |key: &str| get(key).and_then(|value| u64::try_from(value.integer()).ok());
    let url = get("url").map_or_else(|| "embedded:".to_owned(), |url| url.text().to_owned());
    let certificate = get("caCertificate");
    if let Some(certificate) = &certificate {
        check_certificate(certificate, get("url").as_ref(), report);
    }
    TransportConfig {
        url: TransportUrl::new(url),
        topology: get("topology").and_then(|value| Topology::from_name(value.text())).unwrap_or_default(),
        queue_type: get("queueType").and_then(|value| QueueType::from_name(value.text())).unwrap_or_default(),
        connect_timeout: duration("connectTimeout"),
        call_timeout: duration("callTimeout"),
        publish_timeout: duration("publishTimeout"),
        heartbeat: duration("heartbeat"),
        consumer_timeout: Some(duration("consumerTimeout")).filter(|timeout| !timeout.is_zero()),
        ca_certificate: certificate.as_ref().map(beside),
        max_message_bytes: bytes("maxMessageBytes").unwrap_or(u64::MAX),
        max_queue_bytes: bytes("maxQueueBytes").unwrap_or(u64::MAX),
        max_queue_messages: bytes("maxQueueMessages"),
    }
}

/// A relative path is one from the file that names it.
fn beside(path: &Effective) -> PathBuf {
    match path.spot.source() {
        Source::File { path: file, .. } | Source::Profile { path: file, .. } => {
            Path::new(&file).parent().unwrap_or(Path::new("")).join(path.text())
        }
        _ => PathBuf::from(path.text()),
    }
}

fn check_certificate(certificate: &Effective, url: Option<&Effective>, report: &mut Report) {
    let path = dotted(&[Table::Transport.word(), "caCertificate"]);
    // The embedded broker, chosen by a profile or a variable, leaves the rest of the table as it is.
    if let Some(url) = url.filter(|url| url.text().starts_with("amqp:")) {
        let given = match &url.spot {
            Spot::BuiltIn => String::new(),
            spot => format!(" given at {}", spot.source()),
        };
        let message = format!("contradicts the url{given}: amqp:// knows no certificates");
        let problem = Problem::error(&certificate.key, path, message);
        report.add(problem.help("write amqps:// in the url, or remove caCertificate".to_owned()));
        return;
    }
    let file = beside(certificate);
    let fault = match std::fs::read(&file) {
        Err(error) => reason(&error),
        Ok(bytes) if is_pem(&bytes) => return,
        Ok(_) => "has no certificate in PEM form (-----BEGIN CERTIFICATE-----)".to_owned(),
    };
    report.add(Problem::error(&certificate.spot, path, format!("{} {fault}", file.display())));
}

fn is_pem(bytes: &[u8]) -> bool {
    let begin = b"-----BEGIN CERTIFICATE-----";
    bytes.windows(begin.len()).any(|window| window == begin)
}
