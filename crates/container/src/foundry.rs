//! Makes listeners ready to run, at start and later.

use crate::blocking::BlockingThreads;
use crate::burned::BurnedAttempts;
use crate::clock::Clock;
use crate::config::{Configuration, ListenerSettings, RedeliveryMode};
use crate::crew::{Crew, Signal};
use crate::event::EventSender;
use crate::hooks::{ErrorHandler, ExceptionListener, FailurePredicates, Hooks};
use crate::listener::ListenerRuntime;
use crate::observer::Observer;
use crate::patience::hold_limit;
use crate::state::StateCell;
use hearken_core::call::States;
use hearken_core::listener::ListenerDescriptor;
use hearken_core::session::Publish;
use hearken_core::transaction::TransactionManager;
use hearken_core::transport::{Capabilities, QueueLifetime, QueueType, Subscription, Transport};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};

/// How many signals of invokers may wait for their container.
const SIGNALS: usize = 64;

/// What listeners are made of.
pub(crate) struct Foundry {
    pub(crate) configuration: Configuration,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) states: Arc<States>,
    pub(crate) transactions: BTreeMap<String, Arc<dyn TransactionManager>>,
    pub(crate) error_handlers: BTreeMap<String, ErrorHandler>,
    pub(crate) exception_listeners: BTreeMap<String, ExceptionListener>,
    pub(crate) failure_predicates: FailurePredicates,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) publisher: Arc<dyn Publish>,
    pub(crate) events: EventSender,
    pub(crate) threads: BlockingThreads,
    pub(crate) clock: Clock,
    pub(crate) host: Arc<str>,
}

/// A listener, and what its invokers will tell its container.
pub(crate) struct Founded {
    pub(crate) listener: Arc<ListenerRuntime>,
    pub(crate) signals: mpsc::Receiver<Signal>,
}

impl Foundry {
    pub(crate) fn found(&self, descriptor: &ListenerDescriptor, settings: ListenerSettings) -> Founded {
        let id: Arc<str> = descriptor.id.into();
        let (told, signals) = mpsc::channel(SIGNALS);
        let subscription = self.subscription(&settings);
        let suspects = self.suspects(&settings, &subscription);
        let capabilities = self.transport.capabilities();
        let crash_loops = crash_loops(capabilities, &subscription, suspects.as_ref());
        let listener = ListenerRuntime {
            hold_limit: hold_limit(settings.hold_limit, capabilities.longest_unacknowledged),
            crash_loops,
            state: StateCell::new(Arc::clone(&id), self.clock, self.events.clone()),
            crew: Arc::new(Crew::new(settings.idle_consumer_limit, told)),
            id,
            handler: descriptor.handler,
            transactions: self.transactions.get(&settings.transaction_manager).cloned(),
            hooks: self.hooks(&settings),
            predicates: self.failure_predicates.clone(),
            observer: self.observer.clone(),
            policy: watch::Sender::new(Arc::clone(&settings.policy)),
            subscription,
            suspects,
            settings,
            states: Arc::clone(&self.states),
            publisher: Arc::clone(&self.publisher),
            burned: BurnedAttempts::default(),
            events: self.events.clone(),
            threads: self.threads.clone(),
            clock: self.clock,
            host: Arc::clone(&self.host),
            system: self.transport.system(),
        };
        Founded { listener: Arc::new(listener), signals }
    }

    fn hooks(&self, settings: &ListenerSettings) -> Hooks {
        let ListenerSettings { error_handler, exception_listener, .. } = settings;
        Hooks {
            error_handler: error_handler.as_ref().and_then(|name| self.error_handlers.get(name)).cloned(),
            exception_listener: exception_listener
                .as_ref()
                .and_then(|name| self.exception_listeners.get(name))
                .cloned(),
        }
    }

    fn subscription(&self, settings: &ListenerSettings) -> Subscription {
        let mut subscription = Subscription::new(&*settings.id, &*settings.queue);
        subscription.queue_type = settings.queue_type;
        subscription.lifetime = settings.lifetime;
        subscription.binding = settings.binding.clone();
        subscription.dead_letter_queue = settings.dead_letter.queue().map(str::to_owned);
        // A queue is declared by one owner only: its listener knows its type and where its own dead letters go.
        let configured = self.configuration.listeners();
        let owned = configured.values().any(|other| Some(&*other.queue) == settings.dead_letter.queue());
        subscription.dead_letter_queue_type = (!owned).then_some(self.configuration.transport().queue_type);
        subscription.prefetch = settings.prefetch;
        subscription.single_active = settings.single_active_consumer;
        subscription.exclusive = settings.exclusive;
        subscription.priority = settings.consumer_priority;
        if settings.redelivery_mode == RedeliveryMode::Native {
            subscription.delayed_retry = settings.policy.linear_waits().ok();
        }
        subscription
    }

    /// An ordered listener has none: a message that is taken aside is taken out of the order. Nor has one whose queue
    /// counts the attempts: there a death is one.
    fn suspects(&self, settings: &ListenerSettings, subscription: &Subscription) -> Option<Subscription> {
        if subscription.delayed_retry.is_some() {
            return None;
        }
        if !settings.non_blocking || settings.exclusive || settings.single_active_consumer {
            return None;
        }
        let mut suspects = subscription.clone();
        suspects.queue = self.transport.suspect_queue(subscription)?;
        (suspects.binding, suspects.prefetch) = (None, 1);
        // Nothing there expires or is limited: it needs no dead letters of the broker's, whose settings may change.
        suspects.dead_letter_queue = None;
        Some(suspects)
    }
}

/// Why a message that ends the process each time it is handled is never set aside. Without a durable queue it is gone
/// with the process, or with the last of them.
fn crash_loops(
    capabilities: Capabilities,
    subscription: &Subscription,
    suspects: Option<&Subscription>,
) -> Option<&'static str> {
    let counted = suspects.is_some() || subscription.delayed_retry.is_some();
    if counted || !capabilities.durable || subscription.lifetime != QueueLifetime::Durable {
        return None;
    }
    Some(match subscription.queue_type {
        QueueType::Classic => {
            "a classic queue does not count how often a message came back; a quorum queue does"
        }
        QueueType::Quorum => "a listener that keeps the order takes no message aside",
    })
}
