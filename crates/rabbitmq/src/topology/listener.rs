use super::arguments::Arguments;
use super::{Declarer, Names};
use crate::delay::deliver_pattern;
use hearken_core::transport::Topology;
use hearken_core::transport::{BindingKind, Subscription, TransportError};
use lapin::ExchangeKind;

/// Makes sure of a listener's queues, as far as the setting allows.
pub(crate) async fn prepare(
    declarer: &Declarer,
    names: &Names,
    topology: Topology,
    subscription: &Subscription,
) -> Result<(), TransportError> {
    match topology {
        Topology::Declare => declare(declarer, names, subscription).await,
        Topology::Check => {
            declarer.queue_exists(&subscription.queue).await?;
            match &subscription.dead_letter_queue {
                Some(queue) => declarer.queue_exists(queue).await,
                None => Ok(()),
            }
        }
        Topology::Assume => Ok(()),
    }
}

async fn declare(
    declarer: &Declarer,
    names: &Names,
    subscription: &Subscription,
) -> Result<(), TransportError> {
    let mut arguments = Arguments::queue(subscription.queue_type);
    if let Some(dead_letters) = &subscription.dead_letter_queue {
        // Without a DLX of its own: nothing is dropped there but by its owner.
        if let Some(queue_type) = subscription.dead_letter_queue_type {
            declarer.queue(dead_letters, Arguments::queue(queue_type)).await?;
        }
        // Whatever the broker itself would drop goes there; what hearken gives up is published with its story.
        arguments =
            arguments.text("x-dead-letter-exchange", "").text("x-dead-letter-routing-key", dead_letters);
    }
    declarer.queue(&subscription.queue, arguments).await?;
    if let Some(binding) = &subscription.binding {
        let kind = match binding.kind {
            BindingKind::Direct => ExchangeKind::Direct,
            BindingKind::Topic => ExchangeKind::Topic,
            BindingKind::Fanout => ExchangeKind::Fanout,
        };
        declarer.exchange(&binding.exchange, kind, Arguments::new()).await?;
        declarer.bind(&subscription.queue, &binding.exchange, &binding.key).await?;
    }
    declarer.bind(&subscription.queue, names.deliver(), &deliver_pattern(&subscription.queue)).await
}
