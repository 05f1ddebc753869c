use super::declare::mismatch;
use super::links::LinkId;
use super::slab::QueueId;
use super::{State, names};
use hearken_core::transport::{QueueLifetime, Subscription, TransportError, TransportErrorKind};

/// How long a queue lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Lifetime {
    #[default]
    Durable,
    /// Until its last consumer is gone.
    AutoDelete,
    /// The same, for one link only; named by the broker.
    Temporary(LinkId),
}

/// What is settled about a queue when it is declared first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) lifetime: Lifetime,
    /// Whether it serves one consumer at a time.
    pub(crate) single_active: bool,
}

impl Shape {
    pub(crate) fn of(subscription: &Subscription, link: LinkId) -> Self {
        let lifetime = match subscription.lifetime {
            QueueLifetime::AutoDelete => Lifetime::AutoDelete,
            QueueLifetime::Temporary => Lifetime::Temporary(link),
            _ => Lifetime::Durable,
        };
        Self { lifetime, single_active: subscription.single_active }
    }
}

impl State {
    /// Refuses a queue that exists with another shape, in RabbitMQ's words.
    pub(super) fn check_shape(&self, name: &str, ours: Shape) -> Result<(), TransportError> {
        let place = self.find(name).and_then(|id| self.queues.get(id));
        let Some(theirs) = place.and_then(|place| place.shape) else { return Ok(()) };
        let thing = format!("queue `{name}`");
        if ours.lifetime != theirs.lifetime {
            let [ours, theirs] = [ours, theirs].map(|shape| match shape.lifetime {
                Lifetime::Durable => "false",
                _ => "true",
            });
            return Err(mismatch(&thing, "auto_delete", ours, theirs));
        }
        if ours.single_active != theirs.single_active {
            let [ours, theirs] =
                [ours, theirs].map(|shape| if shape.single_active { "true" } else { "none" });
            return Err(mismatch(&thing, "x-single-active-consumer", ours, theirs));
        }
        Ok(())
    }

    /// The queue of this name, as far as this link may see it; `None` is the broker's own interface.
    pub(crate) fn find_for(&self, link: LinkId, name: &str) -> Result<Option<QueueId>, TransportError> {
        let Some(id) = self.find(name) else { return Ok(None) };
        match self.queues.get(id).map(|queue| queue.shape().lifetime) {
            Some(Lifetime::Temporary(owner)) if owner != link => {
                let text = format!("the queue `{name}` belongs to another connection");
                Err(TransportError::new(TransportErrorKind::QueueInUse, text))
            }
            _ => Ok(Some(id)),
        }
    }

    /// A name for a temporary queue that no queue had before.
    pub(super) fn temporary_name(&mut self) -> String {
        self.named += 1;
        format!("{}gen-{}", names::RESERVED, self.named)
    }
}
