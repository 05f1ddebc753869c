use crate::connection::Connection;
use crate::io::{Io, within};
use crate::lost;
use crate::notices::{Blocked, Ear, Notices};
use crate::settings::Settings;
use hearken_core::transport::{TransportError, TransportErrorKind};
use lapin::Channel;
use lapin::options::ConfirmSelectOptions;
use std::sync::{Arc, Mutex, PoisonError};

/// The publish connection, opened when it is first needed and again after it was lost, and its confirm channels.
pub(super) struct Pool {
    io: Arc<Io>,
    settings: Arc<Settings>,
    notices: Arc<Notices>,
    state: tokio::sync::Mutex<State>,
}

enum State {
    Unopened,
    Open(Arc<Shared>),
    Closed,
}

struct Shared {
    connection: Connection,
    blocked: Blocked,
    idle: Mutex<Vec<Channel>>,
}

/// A channel with nothing in flight.
pub(super) struct Lease {
    channel: Channel,
    shared: Arc<Shared>,
}

impl Pool {
    pub(super) fn new(io: Arc<Io>, settings: Arc<Settings>, notices: Arc<Notices>) -> Self {
        Self { io, settings, notices, state: tokio::sync::Mutex::new(State::Unopened) }
    }

    /// A channel to write to; `None` if the broker has blocked the connection for long. What is given to lapin then waits
    /// inside, and is sent in the end, however long ago everybody gave up.
    pub(super) async fn channel(&self) -> Result<Option<Lease>, TransportError> {
        let shared = loop {
            let shared = self.connection().await?;
            let mut blocked = shared.blocked.clone();
            let unblocked = blocked.wait_for(Option::is_none);
            match tokio::time::timeout(self.settings.publish_timeout, unblocked).await {
                Err(_) => return Ok(None),
                // Nobody watches it any more: it is lost.
                Ok(Err(_)) if !shared.connection.is_open() => {}
                Ok(_) => break shared,
            }
        };
        while let Some(channel) = shared.pop() {
            if channel.status().connected() {
                return Ok(Some(Lease { channel, shared }));
            }
        }
        let channel = shared.connection.channel().await?;
        let selecting = channel.confirm_select(ConfirmSelectOptions::default());
        within(self.settings.call_timeout, "selecting confirms", selecting).await?;
        Ok(Some(Lease { channel, shared }))
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
        let (ear, blocked) = Ear::new("publish", self.notices.clone());
        let (events, status) = (connection.lapin().events_listener(), connection.lapin().status().clone());
        self.io.spawn(async {
            let error = lost::ended(events, status, ear).await;
            tracing::debug!(target: "hearken::rabbitmq", role = "publish", %error);
        });
        let shared = Arc::new(Shared { connection, blocked, idle: Mutex::default() });
        *state = State::Open(shared.clone());
        Ok(shared)
    }

    /// Why the broker takes no messages, if it takes none.
    pub(super) fn blocked(&self) -> Option<Arc<str>> {
        // Locked only while a connection is being opened, which is not blocked.
        match &*self.state.try_lock().ok()? {
            State::Open(shared) => shared.blocked.borrow().clone(),
            State::Unopened | State::Closed => None,
        }
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
