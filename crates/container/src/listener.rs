//! What the container and every invoker of one listener share.

use crate::blocking::BlockingThreads;
use crate::burned::BurnedAttempts;
use crate::clock::Clock;
use crate::config::ListenerSettings;
use crate::crew::Crew;
use crate::event::{EventKind, EventSender};
use crate::hooks::{FailurePredicates, Hooks};
use crate::invoker::Rule;
use crate::observer::Observer;
use crate::patience::longest_wait;
use crate::state::StateCell;
use hearken_core::call::States;
use hearken_core::listener::Handler;
use hearken_core::redelivery::RedeliveryPolicy;
use hearken_core::session::{Publish, Session};
use hearken_core::transaction::TransactionManager;
use hearken_core::transport::{QueueLifetime, Subscription};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// A listener, ready to run. Settings are immutable: running invokers keep what they were started with.
pub(crate) struct ListenerRuntime {
    pub(crate) id: Arc<str>,
    pub(crate) handler: Handler,
    pub(crate) settings: ListenerSettings,
    pub(crate) subscription: Subscription,
    /// The queue for deliveries that may have ended the process, if there can be one.
    pub(crate) suspects: Option<Subscription>,
    /// The longest time of all client holds of one delivery together, as far as the broker has patience for it.
    pub(crate) hold_limit: Duration,
    /// Why nothing ends a message that ends the process each time, if so.
    pub(crate) crash_loops: Option<&'static str>,
    pub(crate) states: Arc<States>,
    /// `None` for the manager `none`: no transaction, sends leave at once.
    pub(crate) transactions: Option<Arc<dyn TransactionManager>>,
    pub(crate) publisher: Arc<dyn Publish>,
    pub(crate) state: Arc<StateCell>,
    pub(crate) crew: Arc<Crew>,
    pub(crate) burned: BurnedAttempts,
    pub(crate) hooks: Hooks,
    pub(crate) predicates: FailurePredicates,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    /// The redelivery policy of now. Each invoker keeps a snapshot, which it renews between deliveries.
    pub(crate) policy: watch::Sender<Arc<RedeliveryPolicy>>,
    pub(crate) events: EventSender,
    pub(crate) threads: BlockingThreads,
    pub(crate) clock: Clock,
    pub(crate) host: Arc<str>,
    /// The value of `messaging.system`.
    pub(crate) system: &'static str,
}

impl ListenerRuntime {
    pub(crate) fn rule(&self) -> Rule {
        Rule {
            mode: self.settings.redelivery_mode,
            non_blocking: self.settings.non_blocking,
            hold_limit: self.hold_limit,
            // A temporary queue is gone before a copy could come back to it.
            may_move: self.settings.lifetime != QueueLifetime::Temporary,
        }
    }

    /// Whether the broker serves one consumer only, so that order spans the life of consumers.
    pub(crate) fn hands_over_in_order(&self) -> bool {
        self.subscription.single_active || self.subscription.exclusive
    }

    pub(crate) fn session(&self) -> Session {
        let publisher = Arc::clone(&self.publisher);
        if self.transactions.is_some() { Session::transacted(publisher) } else { Session::direct(publisher) }
    }

    pub(crate) fn event(&self, kind: impl FnOnce() -> EventKind) {
        self.events.send(&self.id, kind);
    }

    /// The longest wait this listener's policy may send to the broker.
    pub(crate) fn longest_broker_wait(&self) -> Duration {
        let longest = longest_wait(&self.policy.borrow());
        if longest > Duration::ZERO && self.rule().may_use_broker(longest) { longest } else { Duration::ZERO }
    }

    /// Says in the log what starts here, and what to be careful of.
    pub(crate) fn announce(&self) {
        let settings = &self.settings;
        tracing::info!(
            hearken.listener = &*self.id,
            messaging.system = self.system,
            messaging.destination.name = settings.queue,
            concurrency = %settings.concurrency,
            prefetch = settings.prefetch,
            redelivery = &*settings.policy.name,
            auto_startup = settings.auto_startup,
            "listener"
        );
        if let Some(reason) = self.crash_loops {
            tracing::warn!(
                hearken.listener = &*self.id,
                messaging.destination.name = settings.queue,
                "a message that ends the process is handed out again without end: {reason}"
            );
            self.event(|| EventKind::CrashLoopsUnbounded { reason: reason.to_owned() });
        }
    }
}
