//! `amqps`: rustls, with the system's certificate authorities or a given one.

use crate::screen::Inner;
use crate::settings::Settings;
use hearken_core::transport::{TransportError, TransportErrorKind as Kind};
use lapin::tcp::{RustlsConnector, RustlsConnectorConfig};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use std::fmt::Display;
use std::path::Path;

pub(crate) async fn encrypt(socket: Inner, settings: &Settings) -> Result<Inner, TransportError> {
    let url = &settings.url;
    let connector = connector(settings).await?;
    socket
        .into_rustls(&connector, url.host())
        .await
        .map_err(|error| TransportError::new(Kind::Tls, format!("no TLS with {}: {error}", url.authority())))
}

async fn connector(settings: &Settings) -> Result<RustlsConnector, TransportError> {
    let ca = settings.ca_certificate.clone();
    // Reads files: once per connection, so that a renewed certificate is taken up by a reconnect.
    let reading = tokio::task::spawn_blocking(move || match ca {
        Some(path) => given(&path),
        None => RustlsConnectorConfig::new_with_native_certs()
            .map_err(|error| tls(&format!("no certificate authorities of the system: {error}"))),
    });
    let config = reading.await.map_err(|error| tls(&error))??;
    config.connector_with_no_client_auth().map_err(|error| tls(&error))
}

fn given(path: &Path) -> Result<RustlsConnectorConfig, TransportError> {
    let wrong = |reason: &dyn Display| {
        let message = format!("the certificate authority {}: {reason}", path.display());
        TransportError::new(Kind::InvalidSettings, message)
    };
    let pem = std::fs::read(path).map_err(|error| wrong(&error))?;
    let certificates: Vec<_> =
        CertificateDer::pem_slice_iter(&pem).collect::<Result<_, _>>().map_err(|error| wrong(&error))?;
    if certificates.is_empty() {
        return Err(wrong(&"no certificate in PEM form is in it"));
    }
    Ok(RustlsConnectorConfig::default().with_parsable_certificates(certificates))
}

fn tls(reason: &dyn Display) -> TransportError {
    TransportError::new(Kind::Tls, format!("no TLS: {reason}"))
}
