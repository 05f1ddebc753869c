//! A TCP proxy that can be told to misbehave, at any time and for connections that are open already.

mod carry;
mod flow;

pub use flow::Flow;

use carry::carry;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// How a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Closed in order, both sides.
    Fin,
    /// Reset, both sides.
    Reset,
    /// The client is told that nothing more comes; what it sends still arrives, and the server knows of nothing.
    Half,
}

/// What happens to those who connect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Door {
    /// They get through.
    #[default]
    Open,
    /// They are connected to nobody.
    Silent,
    /// Nobody listens.
    Closed,
}

type Cuts = watch::Sender<Option<Ending>>;

struct Inner {
    address: SocketAddr,
    target: String,
    up: watch::Sender<Flow>,
    down: watch::Sender<Flow>,
    door: watch::Sender<Door>,
    listens: watch::Sender<bool>,
    /// Of the connections that a cut will end; those that come after it watch another one.
    cuts: Mutex<Arc<Cuts>>,
    connections: AtomicUsize,
}

/// Passes connections on to one address.
pub struct Proxy(Arc<Inner>);

impl Proxy {
    /// A proxy before `target`.
    ///
    /// # Panics
    /// When there is no free port.
    pub async fn start(target: String) -> Self {
        let listener =
            TcpListener::bind("127.0.0.1:0").await.unwrap_or_else(|error| panic!("no free port: {error}"));
        let address = listener.local_addr().unwrap_or_else(|error| panic!("{error}"));
        let inner = Arc::new(Inner {
            address,
            target,
            up: watch::Sender::default(),
            down: watch::Sender::default(),
            door: watch::Sender::default(),
            listens: watch::Sender::new(true),
            cuts: Mutex::default(),
            connections: AtomicUsize::new(0),
        });
        tokio::spawn(serve(inner.clone(), listener));
        Self(inner)
    }

    /// Where clients are to connect.
    pub fn address(&self) -> String {
        self.0.address.to_string()
    }

    /// How many connections have been accepted so far.
    pub fn connections(&self) -> usize {
        self.0.connections.load(Ordering::SeqCst)
    }

    /// From now on this is how bytes travel from clients to the server.
    pub fn up(&self, flow: Flow) {
        self.0.up.send_replace(flow);
    }

    /// From now on this is how bytes travel from the server to clients.
    pub fn down(&self, flow: Flow) {
        self.0.down.send_replace(flow);
    }

    /// From now on nothing that clients send arrives; what they are sent still does.
    pub fn mute(&self) {
        self.up(Flow::HOLE);
    }

    /// From now on nothing arrives in either direction, while all connections stay open.
    pub fn freeze(&self) {
        self.up(Flow::HOLE);
        self.down(Flow::HOLE);
    }

    /// From now on everything passes.
    pub async fn heal(&self) {
        self.up(Flow::OPEN);
        self.down(Flow::OPEN);
        self.door(Door::Open).await;
    }

    /// What happens to those who connect from now on. Whoever is connected stays so.
    pub async fn door(&self, door: Door) {
        self.0.door.send_replace(door);
        let done =
            self.0.listens.subscribe().wait_for(|listens| *listens == (door != Door::Closed)).await.is_ok();
        assert!(done, "the proxy has ended");
    }

    /// Closes all connections, whatever fell into a hole with them; new ones pass.
    pub async fn cut(&self) {
        self.end(Ending::Fin).await;
        self.heal().await;
    }

    /// Ends all connections this way; new ones travel as before.
    pub async fn end(&self, ending: Ending) {
        let cuts = std::mem::take(&mut *self.0.cuts());
        cuts.send_replace(Some(ending));
        // Every connection has seen it when none watches any more.
        cuts.closed().await;
    }
}

impl Inner {
    fn cuts(&self) -> std::sync::MutexGuard<'_, Arc<Cuts>> {
        self.cuts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn pass(&self, mut client: TcpStream, mut cuts: watch::Receiver<Option<Ending>>) {
        let mut door = self.door.subscribe();
        let silent = *door.borrow() == Door::Silent;
        let connecting = async {
            if silent {
                // Not passed on late: a caller that had no answer has given up.
                let _ = door.wait_for(|door| *door != Door::Silent).await;
                return None;
            }
            let _ = self.up.subscribe().wait_for(|flow| !flow.hole).await;
            TcpStream::connect(&self.target).await.ok()
        };
        let mut server = tokio::select! {
            server = connecting => match server {
                Some(server) => server,
                None => return,
            },
            _ = cuts.wait_for(Option::is_some) => return,
        };
        // A slice is to leave as a packet of its own.
        let _ = (client.set_nodelay(true), server.set_nodelay(true));
        let ending = {
            let ((from_client, to_client), (from_server, to_server)) = (client.split(), server.split());
            tokio::select! {
                () = carry(from_client, to_server, self.up.subscribe()) => return,
                () = carry(from_server, to_client, self.down.subscribe()) => return,
                ending = cuts.wait_for(Option::is_some) => ending.ok().and_then(|ending| *ending),
            }
        };
        match ending {
            Some(Ending::Reset) => {
                let _ = (client.set_zero_linger(), server.set_zero_linger());
            }
            Some(Ending::Half) => {
                cuts = self.cuts().subscribe();
                let _ = client.shutdown().await;
                let ((from_client, _), (_, to_server)) = (client.split(), server.split());
                tokio::select! {
                    () = carry(from_client, to_server, self.up.subscribe()) => {}
                    _ = cuts.wait_for(Option::is_some) => {}
                }
            }
            Some(Ending::Fin) | None => {
                let _ = (client.shutdown().await, server.shutdown().await);
            }
        }
    }
}

async fn serve(inner: Arc<Inner>, listener: TcpListener) {
    let mut door = inner.door.subscribe();
    let mut listener = Some(listener);
    loop {
        if *door.borrow_and_update() == Door::Closed {
            listener = None;
            inner.listens.send_replace(false);
            let _ = door.changed().await;
            continue;
        }
        let Some(listening) = &listener else {
            // Retried: a connection that is just ending may still have the port.
            listener = TcpListener::bind(inner.address).await.ok();
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        inner.listens.send_replace(true);
        tokio::select! {
            accepted = listening.accept() => if let Ok((client, _)) = accepted {
                inner.connections.fetch_add(1, Ordering::SeqCst);
                // Watched from here on, so that no cut is missed.
                let cuts = inner.cuts().subscribe();
                let inner = inner.clone();
                tokio::spawn(async move { inner.pass(client, cuts).await });
            },
            _ = door.changed() => {}
        }
    }
}
