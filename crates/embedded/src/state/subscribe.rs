use super::consumer::Open;
use super::links::LinkId;
use super::{State, names};
use hearken_core::transport::Topology;
use hearken_core::transport::{Subscription, TransportError};
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
        check_names(subscription)?;
        match topology {
            Topology::Declare => self.declare(subscription)?,
            Topology::Check => self.check(subscription)?,
            Topology::Assume => {}
        }
        self.consume(link, &subscription.queue, subscription.into(), now)
    }

    fn declare(&mut self, subscription: &Subscription) -> Result<(), TransportError> {
        let queue = &subscription.queue;
        if let Some(dead_letters) = &subscription.dead_letter_queue {
            self.check_dead_letters(queue, dead_letters)?;
        }
        if let Some(binding) = &subscription.binding {
            self.declare_exchange(&binding.exchange, binding.kind)?;
        }
        self.declare_queue(queue, subscription.dead_letter_queue.as_deref())?;
        match &subscription.binding {
            Some(binding) => self.bind(queue, &binding.exchange, &binding.key),
            None => Ok(()),
        }
    }

    // As on RabbitMQ, a binding cannot be looked up: only its two ends are checked.
    fn check(&self, subscription: &Subscription) -> Result<(), TransportError> {
        for queue in
            [Some(&subscription.queue), subscription.dead_letter_queue.as_ref()].into_iter().flatten()
        {
            if self.find(queue).is_none() {
                return Err(names::queue_missing(queue));
            }
        }
        let Some(binding) = &subscription.binding else { return Ok(()) };
        if !self.exchanges.contains_key(binding.exchange.as_str()) {
            return Err(names::exchange_missing(&binding.exchange));
        }
        self.check_exchange_kind(&binding.exchange, binding.kind)
    }
}

fn check_names(subscription: &Subscription) -> Result<(), TransportError> {
    names::check("queue", &subscription.queue)?;
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
