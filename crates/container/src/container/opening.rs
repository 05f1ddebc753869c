//! Opens consumers, and puts invokers to work on them.

use super::breaker::Breaker;
use super::{Container, Member};
use crate::config::MissingQueue;
use crate::epoch::{Epoch, chain};
use crate::event::EventKind;
use crate::invoker::{Invoker, Lane, Order, Post};
use crate::state::Trouble;
use futures_util::stream::FuturesUnordered;
use hearken_core::transport::{Consumer, Subscription, TransportError, TransportErrorKind as Kind};
use std::borrow::Cow;
use std::sync::Arc;
use tokio::sync::watch;

/// What an attempt came to.
pub(super) enum Found {
    Consumer { lane: Lane, epoch: Epoch, result: Result<Box<dyn Consumer>, TransportError> },
    SuspectQueue { epoch: u64, exists: Result<bool, TransportError> },
}

impl Container {
    pub(super) fn open(&mut self, count: usize) {
        for _ in 0..count {
            self.open_consumer(Lane::Main);
        }
    }

    pub(super) fn open_consumer(&mut self, lane: Lane) {
        let Some(epoch) = self.living().cloned() else { return };
        let (listener, openings) = (Arc::clone(&self.listener), Arc::clone(&self.openings));
        let probes = self.breaker == Breaker::HalfOpen;
        if lane == Lane::Main {
            self.opening_main += 1;
        }
        self.opening.push(Box::pin(async move {
            // The semaphore is never closed.
            let _permit = openings.acquire().await;
            let subscription = match (lane, &listener.suspects) {
                (Lane::Suspects, Some(suspects)) => Cow::Borrowed(suspects),
                _ if probes => Cow::Owned(one_at_a_time(&listener.subscription)),
                _ => Cow::Borrowed(&listener.subscription),
            };
            let result = epoch.link.subscribe(&subscription).await;
            Found::Consumer { lane, epoch, result }
        }));
    }

    /// Nothing is being opened any more, nor about to be.
    pub(super) fn abandon_openings(&mut self) {
        self.opening = FuturesUnordered::new();
        self.opening_main = 0;
        self.attempt_at = None;
        self.suspects.closed();
        // What a start waited for will not come.
        self.report_first(Ok(()));
    }

    pub(super) fn found(&mut self, found: Found) {
        match found {
            Found::Consumer { lane: Lane::Main, epoch, result } => {
                self.opening_main -= 1;
                match result {
                    Ok(consumer) => self.opened(epoch, consumer),
                    Err(error) => self.not_opened(error),
                }
            }
            Found::Consumer { lane: Lane::Suspects, epoch, result } => self.suspects_opened(epoch, result),
            Found::SuspectQueue { epoch, exists } => {
                if self.epoch.as_ref().is_some_and(|now| now.number == epoch) {
                    self.suspects.checked(exists, &self.listener);
                }
            }
        }
    }

    fn opened(&mut self, epoch: Epoch, consumer: Box<dyn Consumer>) {
        (self.healthy, self.dying) = (true, false);
        self.listener.event(|| EventKind::ConsumerStarted);
        self.hire(Lane::Main, epoch, consumer);
        if self.working() >= self.target as usize {
            self.report_first(Ok(()));
        }
        self.check_suspects();
    }

    fn not_opened(&mut self, error: TransportError) {
        self.healthy = false;
        if *error.kind() == Kind::ConnectionLost {
            // The supervisor's to tell, once for all.
            self.dying = true;
            self.report_first(Ok(()));
            return;
        }
        let listener = &self.listener;
        let text = chain(&error);
        tracing::warn!(
            hearken.listener = &*listener.id,
            messaging.destination.name = listener.settings.queue,
            error = %text,
            "no consumer; trying again"
        );
        listener.hooks.infrastructure_failed(Some(&listener.id), &error);
        let missing = *error.kind() == Kind::QueueMissing;
        if missing {
            let queue = listener.settings.queue.clone();
            listener.event(|| EventKind::QueueMissing { queue });
        }
        let fatal = (self.first.is_some() && error.is_fatal_at_start())
            || (missing && listener.settings.missing_queue == MissingQueue::Fail);
        if fatal {
            self.report_first(Err(error));
            self.fail(text);
        } else {
            listener.state.trouble(Trouble::Consumers, || format!("a consumer is missing: {text}"));
            self.report_first(Ok(()));
        }
    }

    /// Puts an invoker to work.
    pub(super) fn hire(&mut self, lane: Lane, epoch: Epoch, consumer: Box<dyn Consumer>) {
        self.hired += 1;
        let (orders, ordered) = watch::channel(Order::Work);
        let live = (lane == Lane::Main).then(|| self.listener.state.consumer_opened(epoch.number));
        let member = Member { number: self.hired, lane, epoch: epoch.number, orders };
        let post = Post {
            id: self.hired,
            lane,
            listener: Arc::clone(&self.listener),
            epoch,
            consumer,
            live,
            probes: lane == Lane::Main && self.breaker == Breaker::HalfOpen,
            orders: ordered,
            suspects: self.suspects.lane(),
        };
        let task = self.tasks.spawn(Invoker::new(post).run());
        self.members.insert(task.id(), member);
        self.listener.state.manned(true);
    }

    pub(super) fn report_first(&mut self, result: Result<(), TransportError>) {
        if let Some(first) = self.first.take() {
            let _ = first.send(result);
        }
    }

    fn suspects_opened(&mut self, epoch: Epoch, result: Result<Box<dyn Consumer>, TransportError>) {
        match result {
            Ok(consumer) => {
                self.hire(Lane::Suspects, epoch, consumer);
                self.suspects.opened();
            }
            Err(error) => {
                tracing::warn!(
                    hearken.listener = &*self.listener.id,
                    error = %chain(&error),
                    "the suspect queue cannot be consumed"
                );
                let passing = matches!(
                    error.kind(),
                    Kind::Timeout | Kind::ConnectionLost | Kind::ChannelClosed | Kind::Unreachable
                );
                self.suspects.failed(passing, self.listener.settings.recovery_interval);
            }
        }
    }
}

fn one_at_a_time(subscription: &Subscription) -> Subscription {
    let mut subscription = subscription.clone();
    subscription.prefetch = 1;
    subscription
}
