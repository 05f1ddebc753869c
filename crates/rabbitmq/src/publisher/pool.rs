use crate::connection::Connection;
use crate::io::{Io, within};
use crate::lost;
use crate::settings::Settings;
use hearken_core::transport::{TransportError, TransportErrorKind};
use lapin::Channel;
use lapin::options::ConfirmSelectOptions;
use std::sync::{Arc, Mutex, PoisonError};

/// The publish connection, opened when it is first needed and again after it was lost, and its confirm channels.
pub(super) struct Pool {
    io: Arc<Io>,
    settings: Arc<Settings>,
    state: tokio::sync::Mutex<State>,
}

enum State {
    Unopened,
    Open(Arc<Shared>),
    Closed,
}

struct Shared {
    connection: Connection,
    idle: Mutex<Vec<Channel>>,
}

/// A channel with nothing in flight.
pub(super) struct Lease {
    channel: Channel,
    shared: Arc<Shared>,
}

impl Pool {
    pub(super) fn new(io: Arc<Io>, settings: Arc<Settings>) -> Self {
        Self { io, settings, state: tokio::sync::Mutex::new(State::Unopened) }
    }

    pub(super) async fn channel(&self) -> Result<Lease, TransportError> {
        let shared = self.connection().await?;
        while let Some(channel) = shared.pop() {
            if channel.status().connected() {
                return Ok(Lease { channel, shared });
            }
        }
        let channel = shared.connection.channel().await?;
        let selecting = channel.confirm_select(ConfirmSelectOptions::default());
        within(self.settings.call_timeout, "selecting confirms", selecting).await?;
        Ok(Lease { channel, shared })
    }

    async fn connection(&self) -> Result<Arc<Shared>, TransportError> {
        let mut state = self.state.lock().await;
        match &*state {
            State::Open(shared) if shared.connection.is_open() => return Ok(shared.clone()),
            State::Closed => {
                return Err(TransportError::new(TransportErrorKind::ConnectionLost, "the link was closed"));
            }
            State::Open(_) | State::Unopened => {}
        }
        let connection = Connection::open(&self.io, &self.settings, "publish").await?;
        self.io.spawn(lost::listen(connection.lapin().events_listener(), "publish"));
        let shared = Arc::new(Shared { connection, idle: Mutex::default() });
        *state = State::Open(shared.clone());
        Ok(shared)
    }

    pub(super) async fn close(&self) {
        if let State::Open(shared) = std::mem::replace(&mut *self.state.lock().await, State::Closed) {
            shared.connection.close().await;
        }
    }
}

impl Shared {
    fn pop(&self) -> Option<Channel> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
}

impl Lease {
    pub(super) fn lapin(&self) -> &Channel {
        &self.channel
    }

    /// To be called only when nothing is in flight; dropped instead, the channel closes.
    pub(super) fn give_back(self) {
        self.shared.idle.lock().unwrap_or_else(PoisonError::into_inner).push(self.channel);
    }
}
