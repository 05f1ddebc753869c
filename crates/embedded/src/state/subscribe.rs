use super::consumer::Open;
use super::links::LinkId;
use super::shape::Shape;
use super::{State, names};
use hearken_core::transport::{QueueLifetime, Subscription, Topology, TransportError, TransportErrorKind};
use tokio::time::Instant;

impl State {
    /// Declares or checks what a subscription names, and opens its consumer. Changes nothing where it fails.
    pub(crate) fn subscribe(
        &mut self,
        link: LinkId,
        subscription: &Subscription,
        topology: Topology,
        now: Instant,
    ) -> Result<Open, TransportError> {
        self.links.consumers(link)?;
        check_names(subscription, topology)?;
        check_terms(subscription)?;
        if let Some(id) = self.find_for(link, &subscription.queue)? {
            self.check_use(id, subscription.into())?;
        }
        if subscription.lifetime == QueueLifetime::Temporary {
            let queue = self.declare_temporary(link, subscription, topology)?;
            return self.consume(link, &queue, subscription.into(), now);
        }
        match topology {
            Topology::Declare => self.declare(link, subscription)?,
            Topology::Check => self.check(subscription)?,
            Topology::Assume => {}
        }
        self.consume(link, &subscription.queue, subscription.into(), now)
    }

    fn declare(&mut self, link: LinkId, subscription: &Subscription) -> Result<(), TransportError> {
        let queue = &subscription.queue;
        if let Some(dead_letters) = &subscription.dead_letter_queue {
            self.check_dead_letters(queue, dead_letters)?;
        }
        self.check_shape(queue, Shape::of(subscription, link))?;
        self.declare_around(subscription)?;
        self.declare_itself(link, queue, subscription)
    }

    /// Declares a queue of the broker's own naming, whatever the setting: nobody else can.
    fn declare_temporary(
        &mut self,
        link: LinkId,
        subscription: &Subscription,
        topology: Topology,
    ) -> Result<String, TransportError> {
        if topology == Topology::Declare {
            self.declare_around(subscription)?;
        }
        if topology == Topology::Check {
            self.check_queue(subscription.dead_letter_queue.as_deref())?;
        }
        self.check_exchange(subscription)?;
        let queue = self.temporary_name();
        self.declare_itself(link, &queue, subscription)?;
        Ok(queue)
    }

    /// Declares what a queue leads to and what leads to it.
    fn declare_around(&mut self, subscription: &Subscription) -> Result<(), TransportError> {
        let dead_letters = subscription.dead_letter_queue.as_deref();
        let own = dead_letters.filter(|_| subscription.dead_letter_queue_type.is_some());
        if let Some(queue) = own {
            self.check_shape(queue, Shape::default())?;
        }
        if let Some(binding) = &subscription.binding {
            self.declare_exchange(&binding.exchange, binding.kind)?;
        }
        if let Some(queue) = dead_letters {
            let id = self.ensure_queue(queue);
            // Otherwise it is another listener's, which settles what it is.
            if own.is_some() {
                self.set_shape(id, Shape::default());
            }
        }
        Ok(())
    }

    fn declare_itself(
        &mut self,
        link: LinkId,
        queue: &str,
        subscription: &Subscription,
    ) -> Result<(), TransportError> {
        let id = self.ensure_queue(queue);
        self.set_shape(id, Shape::of(subscription, link));
        self.set_dead_letters(id, subscription.dead_letter_queue.as_deref());
        match &subscription.binding {
            Some(binding) => self.bind(queue, &binding.exchange, &binding.key),
            None => Ok(()),
        }
    }

    // As on RabbitMQ, a binding cannot be looked up: only its two ends are checked.
    fn check(&self, subscription: &Subscription) -> Result<(), TransportError> {
        self.check_queue(Some(&subscription.queue))?;
        self.check_queue(subscription.dead_letter_queue.as_deref())?;
        self.check_exchange(subscription)
    }

    fn check_queue(&self, queue: Option<&str>) -> Result<(), TransportError> {
        match queue.filter(|queue| self.find(queue).is_none()) {
            Some(missing) => Err(names::queue_missing(missing)),
            None => Ok(()),
        }
    }

    fn check_exchange(&self, subscription: &Subscription) -> Result<(), TransportError> {
        let Some(binding) = &subscription.binding else { return Ok(()) };
        if !self.exchanges.contains_key(binding.exchange.as_str()) {
            return Err(names::exchange_missing(&binding.exchange));
        }
        self.check_exchange_kind(&binding.exchange, binding.kind)
    }
}

fn check_terms(subscription: &Subscription) -> Result<(), TransportError> {
    if !(subscription.exclusive && subscription.single_active) {
        return Ok(());
    }
    let queue = &subscription.queue;
    let text = format!("queue `{queue}`: an exclusive consumer excludes a single active one of several");
    Err(TransportError::new(TransportErrorKind::InvalidSettings, text))
}

fn check_names(subscription: &Subscription, topology: Topology) -> Result<(), TransportError> {
    let queue = &subscription.queue;
    match (subscription.lifetime, topology) {
        (QueueLifetime::Temporary, _) if queue.is_empty() => {}
        (QueueLifetime::Temporary, _) => {
            return names::invalid(format!("a temporary queue is named by the broker, not `{queue}`"));
        }
        (_, Topology::Declare) => names::check("queue", queue)?,
        _ => names::check_known("queue", queue)?,
    }
    if let Some(queue) = &subscription.dead_letter_queue {
        names::check("dead letter queue", queue)?;
    }
    match &subscription.binding {
        Some(binding) => {
            names::check("exchange", &binding.exchange)?;
            names::check_length("binding key", &binding.key)
        }
        None => Ok(()),
    }
}
