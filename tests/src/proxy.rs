//! A TCP proxy that can be told to misbehave.

use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Pass,
    /// What the client sends is swallowed.
    Mute,
    /// Nothing arrives in either direction.
    Freeze,
    Cut,
}

/// Passes connections on to one address.
pub struct Proxy {
    address: SocketAddr,
    mode: Arc<watch::Sender<Mode>>,
}

impl Proxy {
    /// A proxy before `target`.
    ///
    /// # Panics
    /// When there is no free port.
    pub async fn start(target: String) -> Self {
        let listener =
            TcpListener::bind("127.0.0.1:0").await.unwrap_or_else(|error| panic!("no free port: {error}"));
        let address = listener.local_addr().unwrap_or_else(|error| panic!("{error}"));
        let mode = Arc::new(watch::channel(Mode::Pass).0);
        let modes = mode.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (target, modes) = (target.clone(), modes.subscribe());
                tokio::spawn(async move {
                    if let Ok(server) = TcpStream::connect(&target).await {
                        pass(client, server, modes).await;
                    }
                });
            }
        });
        Self { address, mode }
    }

    /// Where clients are to connect.
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// From now on nothing that clients send arrives; what they are sent still does.
    pub fn mute(&self) {
        self.mode.send_replace(Mode::Mute);
    }

    /// From now on nothing arrives in either direction, while all connections stay open.
    pub fn freeze(&self) {
        self.mode.send_replace(Mode::Freeze);
    }

    /// Ends all connections; new ones pass.
    pub async fn cut(&self) {
        self.mode.send_replace(Mode::Cut);
        // Every connection has seen it when none watches any more.
        self.mode.closed().await;
        self.mode.send_replace(Mode::Pass);
    }
}

async fn pass(client: TcpStream, server: TcpStream, mut modes: watch::Receiver<Mode>) {
    let (client_in, client_out) = client.into_split();
    let (server_in, server_out) = server.into_split();
    tokio::select! {
        () = copy(client_in, server_out, modes.clone(), |mode| mode == Mode::Pass) => {}
        () = copy(server_in, client_out, modes.clone(), |mode| mode != Mode::Freeze) => {}
        _ = modes.wait_for(|mode| *mode == Mode::Cut) => {}
    }
}

async fn copy(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    modes: watch::Receiver<Mode>,
    passes: fn(Mode) -> bool,
) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        let passes = passes(*modes.borrow());
        if passes && to.write_all(&buffer[..count]).await.is_err() {
            break;
        }
    }
}
