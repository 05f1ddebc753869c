use crate::acker::Memory;
use crate::connection::Connection;
use crate::identity::Identities;
use crate::io::Io;
use crate::link::{Core, Link};
use crate::lost;
use crate::notices::{Ear, Notices};
use crate::publisher::Publisher;
use crate::settings::Settings;
use crate::topology::{Declared, Names};
use hearken_core::BoxFuture;
use hearken_core::transport::{
    self, Capabilities, Plan, QueueLifetime, QueueType, Subscription, Topology, Transport, TransportError,
    TransportErrorKind,
};
use std::fmt;
use std::sync::Arc;
use tokio::sync::oneshot;

/// The longest of our names adds 9 bytes to the application's and 11 of our own.
const LONGEST_APPLICATION: usize = 200;

/// A RabbitMQ broker.
///
/// It owns a small runtime, on which lapin, acknowledgements and all time-outs live, so that they go on while handlers
/// block the application's workers. It may be created and dropped anywhere, inside a runtime or not.
#[derive(Clone)]
pub struct RabbitMq {
    io: Arc<Io>,
    settings: Arc<Settings>,
    names: Names,
    memory: Arc<Memory>,
    identities: Identities,
}

impl RabbitMq {
    /// A transport with these settings. Opens no connection.
    ///
    /// # Errors
    /// [`TransportErrorKind::InvalidSettings`] naming the setting.
    pub fn new(settings: Settings) -> Result<Self, TransportError> {
        let invalid = |message: String| TransportError::new(TransportErrorKind::InvalidSettings, message);
        let application = &settings.application;
        if application.is_empty() || application.len() > LONGEST_APPLICATION {
            return Err(invalid(format!(
                "the application's name has {} bytes; it needs 1 to {LONGEST_APPLICATION}, being a part of names at \
                 the broker",
                application.len()
            )));
        }
        if settings.heartbeat.as_secs() == 0 || settings.heartbeat.as_secs() > u16::MAX.into() {
            return Err(invalid(format!("the heartbeat of {:?} is not 1 s to 65535 s", settings.heartbeat)));
        }
        if cfg!(not(feature = "tls")) && settings.url.tls() {
            return Err(invalid(format!("{} needs the feature `tls`, which is off", settings.url)));
        }
        let io = Io::start().map_err(|error| {
            TransportError::new(TransportErrorKind::Other, "no threads for the RabbitMQ transport")
                .caused_by(error)
        })?;
        Ok(Self {
            io: Arc::new(io),
            names: Names::new(application),
            settings: Arc::new(settings),
            memory: Arc::default(),
            identities: Identities::default(),
        })
    }

    async fn open(self, plan: Plan) -> Result<Link, TransportError> {
        let consume = Arc::new(Connection::open(&self.io, &self.settings, "consume").await?);
        let (loss, lost) = lost::channel();
        let (watched, closed) = oneshot::channel::<()>();
        let notices = Arc::new(Notices::default());
        // Never blocked itself: the broker blocks a connection when it publishes.
        let (ear, _) = Ear::new("consume", notices.clone());
        self.io.spawn(lost::watch(consume.clone(), ear, loss, async {
            // Nothing is ever sent: the link drops its end.
            let _ = closed.await;
        }));
        let publisher = Arc::new(Publisher::new(self.io.clone(), self.settings.clone(), notices.clone()));
        let core = Arc::new(Core {
            io: self.io,
            settings: self.settings,
            names: self.names,
            memory: self.memory,
            identities: self.identities,
            consume,
            publisher,
            notices,
            lost,
            deliver: Declared::default(),
            levels: Declared::default(),
        });
        if core.settings.topology == Topology::Declare && !plan.longest_delay.is_zero() {
            let core = core.clone();
            core.io.clone().spawn(async move {
                if let Err(error) = core.ensure_levels().await {
                    tracing::error!(target: "hearken::rabbitmq", %error, "the delay levels could not be declared");
                }
            });
        }
        Ok(Link::new(core, watched))
    }
}

impl Transport for RabbitMq {
    fn system(&self) -> &'static str {
        "rabbitmq"
    }

    fn address(&self) -> String {
        self.settings.url.to_string()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::new(true, self.settings.consumer_timeout)
    }

    fn suspect_queue(&self, subscription: &Subscription) -> Option<String> {
        let counted =
            subscription.lifetime == QueueLifetime::Durable && subscription.queue_type == QueueType::Quorum;
        counted.then(|| self.names.suspects(&subscription.listener))
    }

    fn connect<'a>(
        &'a self,
        plan: &'a Plan,
    ) -> BoxFuture<'a, Result<Arc<dyn transport::Link>, TransportError>> {
        let opening = self.clone().open(*plan);
        Box::pin(async { Ok(Arc::new(self.io.run(opening).await?) as Arc<dyn transport::Link>) })
    }
}

impl fmt::Debug for RabbitMq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RabbitMq").field("settings", &self.settings).finish_non_exhaustive()
    }
}
