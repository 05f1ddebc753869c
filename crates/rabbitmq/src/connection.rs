//! One AMQP connection behind the frame screen.

use crate::error::{self, broker_word, say};
use crate::io::{Io, timed_out, within};
use crate::screen::{Cut, Inner, Release, Repairs, Screen, runtime};
use crate::settings::Settings;
use crate::url::Url;
use async_rs::traits::Reactor;
use async_rs::{Runtime, Tokio};
use hearken_core::transport::{TransportError, TransportErrorKind as Kind};
use lapin::tcp::AsyncTcpStream;
use lapin::types::ShortString;
use lapin::uri::{AMQPAuthority, AMQPQueryString, AMQPScheme, AMQPUri, AMQPUserInfo};
use lapin::{Channel, ConnectionProperties, ErrorKind};
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A connection, and what the screen noticed on it. Used on the transport's own runtime only.
pub(crate) struct Connection {
    lapin: lapin::Connection,
    repairs: Arc<Repairs>,
    release: Arc<Release>,
    cut: Arc<Cut>,
    call_timeout: Duration,
}

impl Connection {
    /// Opens a connection; `role` shows in the broker's list of connections.
    pub(crate) async fn open(io: &Io, settings: &Settings, role: &str) -> Result<Self, TransportError> {
        let cut = Arc::new(Cut::default());
        let opening = handshake(io, settings, role, cut.clone());
        match tokio::time::timeout(settings.connect_timeout, opening).await {
            Ok(result) => result.inspect_err(|_| cut.cut()),
            Err(_) => {
                cut.cut();
                let what = format!("connecting to {}", settings.url.authority());
                Err(timed_out(&what, settings.connect_timeout))
            }
        }
    }

    pub(crate) fn lapin(&self) -> &lapin::Connection {
        &self.lapin
    }

    pub(crate) fn repairs(&self) -> &Arc<Repairs> {
        &self.repairs
    }

    /// What the broker says it is.
    pub(crate) fn release(&self) -> &Release {
        &self.release
    }

    pub(crate) fn is_open(&self) -> bool {
        self.lapin.status().connected()
    }

    pub(crate) fn frame_max(&self) -> usize {
        self.lapin.configuration().frame_max() as usize
    }

    pub(crate) async fn channel(&self) -> Result<Channel, TransportError> {
        within(self.call_timeout, "opening a channel", self.lapin.create_channel()).await
    }

    /// Closes in order if the broker answers, and anyway. A broker that blocks the connection does not: it reads nothing
    /// from it, and lapin writes nothing.
    pub(crate) async fn close(&self) {
        if self.is_open() && !self.lapin.status().blocked() {
            let closing = self.lapin.close(200, ShortString::from("OK"));
            if let Err(error) = within(self.call_timeout, "closing the connection", closing).await {
                tracing::debug!(target: "hearken::rabbitmq", %error, "the connection was not closed in order");
            }
        }
        self.cut.cut();
    }
}

async fn handshake(
    io: &Io,
    settings: &Settings,
    role: &str,
    cut: Arc<Cut>,
) -> Result<Connection, TransportError> {
    let url = &settings.url;
    let socket = secured(settings, tcp(io, url).await?).await?;
    let (repairs, release) = (Arc::new(Repairs::default()), Arc::new(Release::default()));
    let screen = Screen::new(socket, repairs.clone(), release.clone(), cut.clone());
    // lapin asks a closure for the stream, which may be called again only under its recovery, which stays off.
    let once = Mutex::new(Some(screen));
    let connect = async move |_, _| {
        hush();
        match once.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(screen) => Ok(AsyncTcpStream::Plain(screen)),
            None => Err(std::io::Error::from(std::io::ErrorKind::ConnectionAborted).into()),
        }
    };
    let properties = ConnectionProperties::default()
        .with_connection_name(format!("hearken {} {role}", settings.application).into());
    let lapin = lapin::Connection::connector(uri(settings), runtime(io.handle()), connect, properties)
        .await
        .map_err(|error| refused(url, &error))?;
    tracing::debug!(target: "hearken::rabbitmq", role, address = %url, "connected");
    Ok(Connection { lapin, repairs, release, cut, call_timeout: settings.call_timeout })
}

/// Keeps lapin's own thread, which this runs on, out of the log for good: it writes every frame at the level TRACE, the
/// password among them, and the payload of returned messages at WARN. What matters is told by our own events.
fn hush() {
    std::mem::forget(tracing::dispatcher::set_default(&tracing::Dispatch::none()));
}

/// For lapin: made of parts, because its own parser turns an IPv6 address into `localhost`. Never printed, since both
/// `Debug` and `Display` show the password.
fn uri(settings: &Settings) -> AMQPUri {
    let url = &settings.url;
    let heartbeat = u16::try_from(settings.heartbeat.as_secs()).unwrap_or(u16::MAX).max(1);
    AMQPUri {
        scheme: if url.tls() { AMQPScheme::AMQPS } else { AMQPScheme::AMQP },
        authority: AMQPAuthority {
            userinfo: AMQPUserInfo { username: url.user().to_owned(), password: url.password().to_owned() },
            host: url.host().to_owned(),
            port: url.port(),
        },
        vhost: url.vhost().to_owned(),
        query: AMQPQueryString { heartbeat: Some(heartbeat), ..AMQPQueryString::default() },
    }
}

async fn tcp(io: &Io, url: &Url) -> Result<Inner, TransportError> {
    let unreachable = |reason: &dyn std::fmt::Display| {
        TransportError::new(Kind::Unreachable, format!("cannot reach {}: {reason}", url.authority()))
    };
    let (host, port) = (url.host().to_owned(), url.port());
    let resolving = tokio::task::spawn_blocking(move || {
        (host.as_str(), port).to_socket_addrs().map(Iterator::collect::<Vec<SocketAddr>>)
    });
    let addresses =
        resolving.await.map_err(|error| unreachable(&error))?.map_err(|error| unreachable(&error))?;
    let reactor = Runtime::new(Tokio::default().with_handle(io.handle().clone()));
    let mut last = unreachable(&"the name has no address");
    for address in addresses {
        match reactor.tcp_connect_addr(address).await {
            Ok(stream) => return Ok(AsyncTcpStream::Plain(stream)),
            Err(error) => last = unreachable(&error),
        }
    }
    Err(last)
}

#[cfg(feature = "tls")]
async fn secured(settings: &Settings, socket: Inner) -> Result<Inner, TransportError> {
    match settings.url.tls() {
        true => crate::tls::encrypt(socket, settings).await,
        false => Ok(socket),
    }
}

// A URL that asks for TLS was refused with the settings.
#[cfg(not(feature = "tls"))]
async fn secured(_: &Settings, socket: Inner) -> Result<Inner, TransportError> {
    Ok(socket)
}

/// A connection that was reached but not opened.
fn refused(url: &Url, error: &lapin::Error) -> TransportError {
    let (user, vhost, at) = (url.user(), url.vhost(), url.authority());
    let (kind, message) = match (broker_word(error), error.kind()) {
        (Some((error::ACCESS_REFUSED, _)), _) => {
            (Kind::AccessRefused, format!("{at} refuses user `{user}`: {}", say(error)))
        }
        (Some((error::NOT_ALLOWED, _)), _) => (
            Kind::VirtualHost,
            format!("{at} refuses virtual host `{vhost}` to user `{user}`: {}", say(error)),
        ),
        (None, ErrorKind::IOError(_) | ErrorKind::MissingHeartbeatError) => {
            (Kind::Unreachable, format!("{at} does not finish the AMQP handshake: {}", say(error)))
        }
        (None, ErrorKind::ParsingError(_) | ErrorKind::InvalidProtocolVersion(_)) => {
            (Kind::Other, format!("{at} does not speak AMQP 0-9-1"))
        }
        _ => return error::transport_error(&format!("connecting to {at}"), error),
    };
    TransportError::new(kind, message)
}
