use crate::acker::{self, Memory};
use crate::connection::Connection;
use crate::consumer::Consumer;
use crate::delay::{Wait, routing_key};
use crate::hop;
use crate::identity::Identities;
use crate::io::{Io, timed_out, within};
use crate::lost::Lost;
use crate::notices::Notices;
use crate::publisher::{Group, HEADROOM, HEADROOM_ON_LEVELS, Job, Publisher};
use crate::settings::Settings;
use crate::topology::{self, Declared, Declarer, Names};
use hearken_core::BoxFuture;
use hearken_core::message::Message;
use hearken_core::session::Destination;
use hearken_core::transport::Topology;
use hearken_core::transport::{
    self, Notice, Outgoing, PublishError, QueueLifetime, Subscription, TransportError, TransportErrorKind,
};
use lapin::options::{BasicConsumeOptions, BasicQosOptions};
use lapin::types::{AMQPValue, FieldTable, ShortString};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use uuid::Uuid;

/// What a link and its consumers share.
pub(crate) struct Core {
    pub(crate) io: Arc<Io>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) names: Names,
    pub(crate) memory: Arc<Memory>,
    pub(crate) identities: Identities,
    pub(crate) consume: Arc<Connection>,
    pub(crate) publisher: Arc<Publisher>,
    pub(crate) notices: Arc<Notices>,
    pub(crate) lost: Lost,
    pub(crate) deliver: Declared,
    pub(crate) levels: Declared,
}

/// One connection epoch.
pub(crate) struct Link {
    core: Arc<Core>,
    // Dropped to end the watch over the connection.
    watched: std::sync::Mutex<Option<oneshot::Sender<()>>>,
}

impl Link {
    pub(crate) fn new(core: Arc<Core>, watched: oneshot::Sender<()>) -> Self {
        Self { core, watched: std::sync::Mutex::new(Some(watched)) }
    }
}

impl Core {
    async fn declarer(&self) -> Result<Declarer, TransportError> {
        Ok(Declarer::new(self.consume.channel().await?, self.settings.call_timeout))
    }

    async fn ensure_deliver(&self) -> Result<(), TransportError> {
        let declaring = async {
            let declarer = self.declarer().await?;
            topology::declare_deliver(&declarer, &self.names).await?;
            declarer.close().await;
            Ok(())
        };
        self.deliver.ensure(declaring).await
    }

    /// Declares the delay levels unless that was done on this link; tried again at the next call when it failed, or when
    /// somebody has deleted one.
    pub(crate) async fn ensure_levels(&self) -> Result<(), TransportError> {
        let declaring = async {
            self.ensure_deliver().await?;
            let declarer = self.declarer().await?;
            topology::declare_levels(&declarer, &self.names).await?;
            declarer.close().await;
            Ok(())
        };
        self.levels.ensure(declaring).await
    }

    async fn levels_ready(self: &Arc<Self>) -> Result<(), PublishError> {
        if self.settings.topology != Topology::Declare || self.levels.is_done() {
            return Ok(());
        }
        let (core, limit) = (self.clone(), self.settings.publish_timeout);
        let declaring = self.io.run(async move {
            let declaring = tokio::time::timeout(limit, core.ensure_levels());
            declaring.await.unwrap_or_else(|_| Err(timed_out("declaring the delay levels", limit)))
        });
        declaring.await.map_err(|error| PublishError::Refused { reason: error.to_string() })
    }

    async fn subscribe(self: Arc<Self>, subscription: Subscription) -> Result<Consumer, TransportError> {
        topology::check(&subscription, self.consume.release())?;
        if self.settings.topology == Topology::Declare {
            self.ensure_deliver().await?;
        }
        if subscription.lifetime != QueueLifetime::Temporary {
            let declarer = match self.settings.topology {
                Topology::Assume => None,
                Topology::Declare | Topology::Check => Some(self.declarer().await?),
            };
            return self.clone().consume(declarer, &subscription, &subscription.queue).await;
        }
        let declarer = self.declarer().await?;
        let queue = topology::declare_temporary(&declarer, &subscription).await?;
        let result = self.clone().consume(Some(declarer), &subscription, &queue).await;
        if result.is_err() {
            // It would fill until the end of the link.
            self.delete(&queue).await.unwrap_or_else(|error| {
                tracing::debug!(target: "hearken::rabbitmq", %error, "a temporary queue without a consumer stays");
            });
        }
        result
    }

    async fn consume(
        self: Arc<Self>,
        declarer: Option<Declarer>,
        subscription: &Subscription,
        queue: &str,
    ) -> Result<Consumer, TransportError> {
        let (limit, topology) = (self.settings.call_timeout, self.settings.topology);
        if let Some(declarer) = declarer {
            topology::prepare(&declarer, &self.names, topology, subscription, queue).await?;
            declarer.close().await;
        }
        let name = topology::short("queue", queue)?;
        let channel = self.consume.channel().await?;
        let qos = channel.basic_qos(subscription.prefetch, BasicQosOptions::default());
        within(limit, "setting the prefetch", qos).await?;
        let tag = ShortString::from(format!("hearken-{}", Uuid::new_v4()));
        let options = BasicConsumeOptions { exclusive: subscription.exclusive, ..Default::default() };
        let mut arguments = FieldTable::default();
        if let Some(priority) = subscription.priority {
            arguments.insert("x-priority".into(), AMQPValue::LongInt(priority));
        }
        let consuming = channel.basic_consume(name, tag, options, arguments);
        let stream = within(limit, &format!("consuming from `{queue}`"), consuming).await?;
        let (listener, prefetch) = (&*subscription.listener, subscription.prefetch);
        tracing::debug!(target: "hearken::rabbitmq", listener, queue, prefetch, "consuming");
        let (memory, repairs) = (self.memory.clone(), self.consume.repairs().clone());
        let acker = acker::start(
            &self.io,
            channel.clone(),
            stream.clone(),
            limit,
            memory,
            repairs,
            self.lost.clone(),
        );
        Ok(Consumer::new(self.clone(), channel, stream, acker, queue))
    }

    async fn delete(&self, queue: &str) -> Result<(), TransportError> {
        let declarer = self.declarer().await?;
        let result = declarer.delete(queue).await;
        declarer.close().await;
        result
    }

    /// Whether the queue is there.
    pub(crate) async fn exists(&self, queue: &str) -> Result<bool, TransportError> {
        let declarer = self.declarer().await?;
        match declarer.queue_exists(queue).await {
            Ok(()) => {
                declarer.close().await;
                Ok(true)
            }
            // The broker closed the channel with its answer.
            Err(error) if *error.kind() == TransportErrorKind::QueueMissing => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Checks and queues at once; the future only waits.
    fn publish(&self, outgoing: Outgoing) -> BoxFuture<'static, Result<(), PublishError>> {
        let Outgoing { destination, mut message, relayed, .. } = outgoing;
        if relayed {
            hop::strip(&mut message);
        } else if let Some(limit) = self.settings.max_message_bytes
            && message.body().len() as u64 > limit
        {
            let reason = format!("the body has {} bytes; the limit is {limit}", message.body().len());
            return Box::pin(std::future::ready(Err(PublishError::Invalid { reason })));
        }
        match Job::new(&destination, &message, self.consume.frame_max(), HEADROOM) {
            Ok(job) => self.publisher.publish(job.group(), job),
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }

    pub(crate) async fn redeliver(
        self: Arc<Self>,
        queue: &str,
        mut copy: Message,
        after: Duration,
    ) -> Result<(), PublishError> {
        let wait = Wait::new(after);
        if wait.level().is_some() {
            self.levels_ready().await?;
        }
        hop::pack(&mut copy, queue, wait.hold, wait.rest);
        // So that a move whose acknowledgement is lost can be told when it comes again.
        copy.properties_mut().message_id.get_or_insert_with(|| Uuid::new_v4().to_string());
        let entrance = self.names.entrance(wait.level());
        let destination = Destination::exchange(&*entrance, routing_key(wait.seconds, queue));
        let job = Job::new(&destination, &copy, self.consume.frame_max(), HEADROOM_ON_LEVELS)?;
        // Everything on one level waits in one queue, wherever it goes then.
        let group = if wait.level().is_some() { Group(entrance, "".into()) } else { job.group() };
        let published = self.publisher.publish(group, job).await;
        if wait.level().is_some() && published.as_ref().is_err_and(is_gone) {
            self.levels.forget();
        }
        published
    }
}

/// Whether the way into the levels is not there.
fn is_gone(error: &PublishError) -> bool {
    match error {
        PublishError::Returned { .. } => true,
        PublishError::Refused { reason } => reason.contains("NOT_FOUND"),
        _ => false,
    }
}

impl transport::Link for Link {
    fn subscribe<'a>(
        &'a self,
        subscription: &'a Subscription,
    ) -> BoxFuture<'a, Result<Box<dyn transport::Consumer>, TransportError>> {
        let subscribing = self.core.clone().subscribe(subscription.clone());
        Box::pin(async { Ok(Box::new(self.core.io.run(subscribing).await?) as Box<dyn transport::Consumer>) })
    }

    fn publish(&self, outgoing: Outgoing) -> BoxFuture<'_, Result<(), PublishError>> {
        self.core.publish(outgoing)
    }

    fn redeliver<'a>(
        &'a self,
        queue: &'a str,
        copy: Message,
        after: Duration,
    ) -> BoxFuture<'a, Result<(), PublishError>> {
        Box::pin(self.core.clone().redeliver(queue, copy, after))
    }

    fn queue_exists<'a>(&'a self, queue: &'a str) -> BoxFuture<'a, Result<bool, TransportError>> {
        let (core, queue) = (self.core.clone(), queue.to_owned());
        Box::pin(self.core.io.run(async move { core.exists(&queue).await }))
    }

    fn delete_queue<'a>(&'a self, queue: &'a str) -> BoxFuture<'a, Result<(), TransportError>> {
        let (core, queue) = (self.core.clone(), queue.to_owned());
        Box::pin(self.core.io.run(async move { core.delete(&queue).await }))
    }

    fn lost(&self) -> BoxFuture<'static, TransportError> {
        let lost = self.core.lost.clone();
        Box::pin(async {
            match lost.wait().await {
                Some(error) => error,
                None => std::future::pending().await,
            }
        })
    }

    fn notice(&self) -> BoxFuture<'_, Notice> {
        Box::pin(self.core.notices.next())
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        drop(self.watched.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take());
        let core = self.core.clone();
        Box::pin(async {
            let closing = self.core.io.run(async move {
                core.publisher.close().await;
                core.consume.close().await;
                Ok(())
            });
            // Fails only when the runtime is gone, and the connections with it.
            let _ = closing.await;
        })
    }
}
