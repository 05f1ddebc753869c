use super::Screen;
use async_rs::util::RuntimeParts;
use async_rs::{Runtime, Tokio, traits::Reactor};
use futures_core::Stream;
use futures_io::{AsyncRead, AsyncWrite};
use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;

/// The runtime kit lapin runs on: tokio, with screened sockets.
pub(crate) type Kit = RuntimeParts<Tokio, Screened>;

pub(crate) fn runtime(handle: &Handle) -> Runtime<Kit> {
    let tokio = Tokio::default().with_handle(handle.clone());
    Runtime::new(RuntimeParts::new(tokio.clone(), Screened(tokio)))
}

/// tokio's reactor with [`Screen`] as its socket, which is what makes lapin take one.
#[derive(Clone, Debug)]
pub(crate) struct Screened(Tokio);

impl Reactor for Screened {
    type TcpStream = Screen;
    type Sleep = <Tokio as Reactor>::Sleep;

    fn register<H: Read + Write + AsFd + AsRawFd + Send + 'static>(
        &self,
        socket: H,
    ) -> io::Result<impl AsyncRead + AsyncWrite + Send + Unpin + 'static> {
        self.0.register(socket)
    }

    fn sleep(&self, duration: Duration) -> Self::Sleep {
        self.0.sleep(duration)
    }

    fn interval(&self, period: Duration) -> impl Stream<Item = Instant> + Send + 'static {
        self.0.interval(period)
    }

    fn tcp_connect_addr(&self, _: SocketAddr) -> impl Future<Output = io::Result<Screen>> + Send + 'static {
        // The connection is opened outside, with errors that tell name, port and certificate apart.
        std::future::ready(Err(io::Error::from(io::ErrorKind::Unsupported)))
    }
}
