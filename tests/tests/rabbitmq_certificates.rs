//! Certificates that do not hold: each is told apart, in time, before anything is sent. B12's certificate rows.

mod rabbitmq_support;

use hearken_core::transport::TransportErrorKind as Kind;
use hearken_rabbitmq::Settings;
use rabbitmq_support::no_link;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};

const AUTHORITY: &str = "\
[ca]
default_ca = test
[test]
new_certs_dir = .
database = index
serial = serial
default_md = sha256
policy = any
[any]
commonName = supplied
";

fn openssl(folder: &Path, words: &str) {
    let output =
        Command::new("openssl").args(words.split(' ')).current_dir(folder).stdin(Stdio::null()).output();
    let output = output.unwrap_or_else(|error| panic!("openssl: {error}"));
    assert!(output.status.success(), "openssl {words}: {}", String::from_utf8_lossy(&output.stderr));
}

/// An authority, and a certificate of it for `localhost` that is valid until then.
fn issue(folder: &Path, until: &str) {
    for (file, content) in [
        ("index", ""),
        ("serial", "01"),
        ("authority.conf", AUTHORITY),
        ("names", "subjectAltName=DNS:localhost"),
    ] {
        std::fs::write(folder.join(file), content).unwrap();
    }
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
    openssl(folder, &format!("req -x509 {key} -keyout ca.key -out ca.pem -days 3650 -subj /CN=authority"));
    openssl(folder, &format!("req {key} -keyout server.key -out server.csr -subj /CN=localhost"));
    let files =
        "-config authority.conf -in server.csr -out server.pem -cert ca.pem -keyfile ca.key -extfile names";
    openssl(folder, &format!("ca -batch -notext -startdate 20200101000000Z -enddate {until} {files}"));
}

/// A server that shows this certificate, ended when it is dropped.
struct Server(Child);

impl Server {
    async fn start(folder: &Path, port: u16) -> Self {
        let words = format!("s_server -accept {port} -cert server.pem -key server.key -quiet");
        let mut command = Command::new("openssl");
        command.args(words.split(' ')).current_dir(folder);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let server = Self(command.spawn().unwrap());
        while TcpStream::connect(("localhost", port)).await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        server
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What connecting to `host` says of such a certificate.
async fn refused(until: &str, host: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    issue(folder.path(), until);
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let _server = Server::start(folder.path(), port).await;
    let url = format!("amqps://guest:hunter2@{host}:{port}");
    let mut settings = Settings::new(url.parse().unwrap(), "certificates");
    settings.ca_certificate = Some(folder.path().join("ca.pem"));
    let begin = Instant::now();
    let error = no_link(settings).await;
    println!("B12 {host} until {until}: {:?}, {error}", begin.elapsed());
    assert_eq!(*error.kind(), Kind::Tls, "{error}");
    let text = format!("{error} {error:?}");
    assert!(text.contains(&format!("{host}:{port}")) && !text.contains("hunter2"), "{text}");
    text
}

#[tokio::test]
async fn an_expired_certificate_is_told() {
    let text = refused("20200201000000Z", "localhost").await;
    assert!(text.to_lowercase().contains("expired"), "{text}");
}

#[tokio::test]
async fn a_certificate_for_another_host_is_told() {
    let text = refused("20990101000000Z", "127.0.0.1").await;
    assert!(text.contains("127.0.0.1") && text.to_lowercase().contains("name"), "{text}");
}
