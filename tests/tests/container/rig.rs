//! The embedded broker as a transport that fails as a test wants it, and as if it outlived the process: it has suspect
//! queues.

use super::*;
use hearken::transport::{
    Capabilities, Consumer, Link, Notice, Outgoing, Plan, PublishError, Subscription, Transport,
    TransportError, TransportErrorKind,
};
use hearken_core::BoxFuture;
use std::sync::Mutex;
use tokio::sync::mpsc;

/// What goes wrong at the embedded broker, as a test wants it.
#[derive(Default)]
pub(super) struct Faults {
    /// How long opening a consumer takes.
    pub(super) slow: Duration,
    /// How many consumers may be opened; the next ones time out.
    pub(super) consumers: Option<usize>,
    /// Whether consumers of suspect queues cannot be opened.
    pub(super) no_suspects: bool,
    /// Whether no copy is taken.
    pub(super) no_copies: bool,
}

#[derive(Clone)]
pub(super) struct Rig {
    inner: Arc<EmbeddedTransport>,
    faults: Arc<Mutex<Faults>>,
    notices: Arc<tokio::sync::Mutex<mpsc::UnboundedReceiver<Notice>>>,
    pub(super) say: mpsc::UnboundedSender<Notice>,
}

impl Rig {
    pub(super) fn new(broker: &Broker) -> Self {
        let (say, notices) = mpsc::unbounded_channel();
        let notices = Arc::new(tokio::sync::Mutex::new(notices));
        Self { inner: Arc::new(EmbeddedTransport::new(broker.clone())), faults: Arc::default(), notices, say }
    }

    pub(super) fn set(&self, set: impl FnOnce(&mut Faults)) {
        set(&mut self.faults.lock().unwrap());
    }

    pub(super) fn builder(&self) -> Builder {
        Hearken::builder().transport(Arc::new(self.clone()))
    }
}

impl Transport for Rig {
    fn system(&self) -> &'static str {
        self.inner.system()
    }

    fn address(&self) -> String {
        self.inner.address()
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn suspect_queue(&self, subscription: &Subscription) -> Option<String> {
        Some(format!("suspects.{}", subscription.listener))
    }

    fn connect<'a>(&'a self, plan: &'a Plan) -> BoxFuture<'a, Result<Arc<dyn Link>, TransportError>> {
        Box::pin(async move {
            let link: Arc<dyn Link> =
                Arc::new(RigLink { link: self.inner.connect(plan).await?, rig: self.clone() });
            Ok(link)
        })
    }
}

struct RigLink {
    link: Arc<dyn Link>,
    rig: Rig,
}

impl Link for RigLink {
    fn subscribe<'a>(
        &'a self,
        subscription: &'a Subscription,
    ) -> BoxFuture<'a, Result<Box<dyn Consumer>, TransportError>> {
        Box::pin(async move {
            let slow = self.rig.faults.lock().unwrap().slow;
            if !slow.is_zero() {
                tokio::time::sleep(slow).await;
            }
            let full = {
                let mut faults = self.rig.faults.lock().unwrap();
                let suspects = subscription.queue.starts_with("suspects.");
                let full = faults.consumers == Some(0) || (suspects && faults.no_suspects);
                if !full && let Some(left) = &mut faults.consumers {
                    *left -= 1;
                }
                full
            };
            if full {
                return Err(TransportError::new(TransportErrorKind::Timeout, "no answer, as told"));
            }
            self.link.subscribe(subscription).await
        })
    }

    fn publish(&self, outgoing: Outgoing) -> BoxFuture<'_, Result<(), PublishError>> {
        self.link.publish(outgoing)
    }

    fn redeliver<'a>(
        &'a self,
        queue: &'a str,
        copy: Message,
        after: Duration,
    ) -> BoxFuture<'a, Result<(), PublishError>> {
        if self.rig.faults.lock().unwrap().no_copies {
            return Box::pin(async { Err(PublishError::Refused { reason: "as told".into() }) });
        }
        self.link.redeliver(queue, copy, after)
    }

    fn queue_exists<'a>(&'a self, queue: &'a str) -> BoxFuture<'a, Result<bool, TransportError>> {
        self.link.queue_exists(queue)
    }

    fn delete_queue<'a>(&'a self, queue: &'a str) -> BoxFuture<'a, Result<(), TransportError>> {
        self.link.delete_queue(queue)
    }

    fn lost(&self) -> BoxFuture<'static, TransportError> {
        self.link.lost()
    }

    fn notice(&self) -> BoxFuture<'_, Notice> {
        Box::pin(async {
            match self.rig.notices.lock().await.recv().await {
                Some(notice) => notice,
                None => std::future::pending().await,
            }
        })
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.link.close()
    }
}
