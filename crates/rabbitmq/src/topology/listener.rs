use super::arguments::Arguments;
use super::{Declarer, Names};
use crate::delay::deliver_pattern;
use crate::screen::Release;
use hearken_core::redelivery::LinearWaits;
use hearken_core::transport::{
    Binding, BindingKind, QueueLifetime, QueueType, Subscription, Topology, TransportError,
    TransportErrorKind,
};
use lapin::ExchangeKind;
use lapin::options::QueueDeclareOptions;
use std::time::Duration;

/// Refuses what RabbitMQ would ignore or answer misleadingly.
pub(crate) fn check(subscription: &Subscription, release: &Release) -> Result<(), TransportError> {
    let queue = &subscription.queue;
    let quorum = queue_type(subscription) == QueueType::Quorum;
    let reason = if subscription.exclusive && subscription.single_active {
        "a consumer for itself excludes a single active one of several: choose one".to_owned()
    } else if subscription.exclusive && quorum {
        "a quorum queue does not keep a consumer for itself: declare it single active, or classic".to_owned()
    } else if subscription.delayed_retry.is_some() && !quorum {
        "only a quorum queue delays what is retried (redeliveryMode = \"native\")".to_owned()
    } else if subscription.delayed_retry.is_some() && !release.is_at_least(4, 3) {
        format!(
            "a queue delays what is retried (redeliveryMode = \"native\") from RabbitMQ 4.3 on, and this is {release}: \
             write redeliveryMode = \"broker\""
        )
    } else {
        return Ok(());
    };
    let message = format!("queue `{queue}`: {reason}");
    Err(TransportError::new(TransportErrorKind::InvalidSettings, message))
}

/// Declares the queue of a temporary subscription, whatever the setting: nobody else can. Returns the broker's name for
/// it.
pub(crate) async fn declare_temporary(
    declarer: &Declarer,
    subscription: &Subscription,
) -> Result<String, TransportError> {
    let options = QueueDeclareOptions { exclusive: true, auto_delete: true, ..Default::default() };
    declarer.declare("", options, arguments(subscription)).await
}

/// Makes sure of a listener's `queue` and all about it, as far as the setting allows.
pub(crate) async fn prepare(
    declarer: &Declarer,
    names: &Names,
    topology: Topology,
    subscription: &Subscription,
    queue: &str,
) -> Result<(), TransportError> {
    let temporary = subscription.lifetime == QueueLifetime::Temporary;
    let (dead_letters, binding) = (&subscription.dead_letter_queue, &subscription.binding);
    match topology {
        Topology::Declare => {
            // Without a DLX of its own: nothing is dropped there but by its owner.
            if let (Some(queue), Some(kind)) = (dead_letters, subscription.dead_letter_queue_type) {
                declarer.queue(queue, Arguments::queue(kind)).await?;
            }
            if !temporary {
                let auto_delete = subscription.lifetime == QueueLifetime::AutoDelete;
                let options = QueueDeclareOptions { durable: true, auto_delete, ..Default::default() };
                declarer.declare(queue, options, arguments(subscription)).await?;
            }
            if let Some(binding) = binding {
                declarer.exchange(&binding.exchange, exchange_kind(binding), Arguments::new()).await?;
                declarer.bind(queue, &binding.exchange, &binding.key).await?;
            }
            return declarer.bind(queue, names.deliver(), &deliver_pattern(queue)).await;
        }
        Topology::Check => {
            declarer.queue_exists(queue).await?;
            if let Some(queue) = dead_letters {
                declarer.queue_exists(queue).await?;
            }
        }
        Topology::Assume => {}
    }
    // Nobody else knows its name.
    if temporary {
        if let Some(binding) = binding {
            declarer.bind(queue, &binding.exchange, &binding.key).await?;
        }
        // Last: a missing exchange ends the channel.
        declarer.bind_if_there(queue, names.deliver(), &deliver_pattern(queue)).await?;
    }
    Ok(())
}

/// RabbitMQ replicates only what lives until it is deleted.
fn queue_type(subscription: &Subscription) -> QueueType {
    match subscription.lifetime {
        QueueLifetime::Durable => subscription.queue_type,
        _ => QueueType::Classic,
    }
}

fn arguments(subscription: &Subscription) -> Arguments {
    let mut arguments = Arguments::queue(queue_type(subscription));
    if let Some(dead_letters) = &subscription.dead_letter_queue {
        // Whatever the broker itself would drop goes there; what hearken gives up is published with its story.
        arguments =
            arguments.text("x-dead-letter-exchange", "").text("x-dead-letter-routing-key", dead_letters);
    }
    if let Some(LinearWaits { first, longest }) = subscription.delayed_retry {
        let millis = |wait: Duration| i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
        arguments = arguments
            .text("x-delayed-retry-type", "failed")
            .number("x-delayed-retry-min", millis(first))
            .number("x-delayed-retry-max", millis(longest));
    }
    if subscription.single_active {
        arguments = arguments.flag("x-single-active-consumer");
    }
    arguments
}

fn exchange_kind(binding: &Binding) -> ExchangeKind {
    match binding.kind {
        BindingKind::Direct => ExchangeKind::Direct,
        BindingKind::Topic => ExchangeKind::Topic,
        BindingKind::Fanout => ExchangeKind::Fanout,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_consumer_for_itself_is_refused_where_the_broker_would_not_keep_it() {
        let release = Release::default();
        let mut subscription = Subscription::new("listener", "orders");
        assert!(check(&subscription, &release).is_ok());
        subscription.exclusive = true;
        let error = check(&subscription, &release).unwrap_err();
        assert_eq!(*error.kind(), TransportErrorKind::InvalidSettings);
        assert!(error.to_string().contains("`orders`"), "{error}");
        subscription.lifetime = QueueLifetime::AutoDelete;
        assert!(check(&subscription, &release).is_ok(), "never replicated, whatever the type says");
        subscription.lifetime = QueueLifetime::Durable;
        subscription.queue_type = QueueType::Classic;
        assert!(check(&subscription, &release).is_ok());
        subscription.single_active = true;
        assert!(check(&subscription, &release).is_err());
    }
}
