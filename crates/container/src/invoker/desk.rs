//! What lies on an invoker's desk, and what goes on there beside the running call.

use super::holds::Holds;
use super::job::{Held, Relocated};
use super::{Lane, Order, Post};
use crate::crew::SuspectLane;
use crate::epoch::{Epoch, chain};
use crate::listener::ListenerRuntime;
use crate::running::StopReport;
use crate::state::LiveConsumer;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use hearken_core::BoxFuture;
use hearken_core::delivery::Delivery;
use hearken_core::redelivery::RedeliveryPolicy;
use hearken_core::transport::{Consumer, TransportError, TransportErrorKind};
use std::collections::VecDeque;
use std::future::{pending, poll_fn};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

type Cancel = BoxFuture<'static, Result<(), TransportError>>;

pub(super) struct Desk {
    pub(super) id: u64,
    pub(super) lane: Lane,
    /// Where the copies of this invoker's deliveries come back to.
    pub(super) home: String,
    pub(super) listener: Arc<ListenerRuntime>,
    pub(super) epoch: Epoch,
    pub(super) consumer: Box<dyn Consumer>,
    live: Option<LiveConsumer>,
    pub(super) orders: watch::Receiver<Order>,
    pub(super) suspects: watch::Receiver<SuspectLane>,
    /// Deliveries that no handler has seen. Bounded by the prefetch.
    pub(super) buffer: VecDeque<Delivery>,
    /// Unacknowledged deliveries that wait for their time.
    pub(super) holds: Holds<Held>,
    /// Copies on their way to the broker; each settles its original once it is confirmed.
    pub(super) relocating: FuturesUnordered<BoxFuture<'static, Relocated>>,
    /// The redelivery policy of the delivery in hand. A newer one takes effect with the next.
    pub(super) policy: Arc<RedeliveryPolicy>,
    policies: watch::Receiver<Arc<RedeliveryPolicy>>,
    pub(super) random: fastrand::Rng,
    /// What happened since the order to leave.
    pub(super) report: StopReport,
    pub(super) probes: bool,
    /// Until when nothing is taken up because the listener is to pause.
    halt: Option<Instant>,
    /// Whether a call runs.
    pub(super) calling: bool,
    /// Whether the broker was asked for no more.
    pub(super) leaving: bool,
    cancelling: Option<Cancel>,
    /// Whether nothing more comes.
    pub(super) ended: bool,
    lost: Option<TransportError>,
    /// Ticks of `receiveTimeout` since the last delivery.
    ticks: u32,
    /// Whether this consumer has received something, or waited for it in peace.
    proved: bool,
}

impl Desk {
    pub(super) fn new(post: Post) -> Self {
        let Post { id, lane, listener, epoch, consumer, live, probes, orders, suspects } = post;
        let home = match (lane, &listener.suspects) {
            (Lane::Suspects, Some(suspects)) => suspects.queue.clone(),
            _ => listener.settings.queue.clone(),
        };
        let policies = listener.policy.subscribe();
        let policy = Arc::clone(&policies.borrow());
        Self {
            id,
            lane,
            home,
            listener,
            epoch,
            consumer,
            live,
            orders,
            suspects,
            buffer: VecDeque::new(),
            holds: Holds::default(),
            relocating: FuturesUnordered::new(),
            policy,
            policies,
            random: fastrand::Rng::new(),
            report: StopReport::default(),
            probes,
            halt: None,
            calling: false,
            leaving: false,
            cancelling: None,
            ended: false,
            lost: None,
            ticks: 0,
            proved: false,
        }
    }

    /// Whether a copy may take the place of a delivery: it would lose its place in the order.
    pub(super) fn may_move(&self) -> bool {
        self.listener.settings.non_blocking && self.listener.rule().may_move
    }

    /// Takes nothing up for this time. The order to leave is expected long before.
    pub(super) fn halt(&mut self, pause: Duration) {
        self.halt = Instant::now().checked_add(pause);
    }

    /// Until when nothing is taken up, if so.
    pub(super) fn halted(&self, now: Instant) -> Option<Instant> {
        self.halt.filter(|until| now < *until)
    }

    /// Takes the newest policy, between two deliveries. Without a newer one this costs an atomic load.
    pub(super) fn renew_policy(&mut self) {
        if self.policies.has_changed().unwrap_or(false) {
            self.policy = Arc::clone(&self.policies.borrow_and_update());
        }
    }

    /// What the container wants. A consumer that the broker serves alone hands over in one step: what it buffered must
    /// not be handled while its successor is at work already.
    pub(super) fn order(&self) -> Order {
        match *self.orders.borrow() {
            Order::Retire if self.listener.hands_over_in_order() => Order::HandBack,
            order => order,
        }
    }

    /// Whether the broker may still hand out something, or what it handed out is not given back yet.
    pub(super) fn is_ending(&self) -> bool {
        !self.ended || self.cancelling.is_some()
    }

    /// One step of what goes on beside a call. Dropping the future loses nothing.
    pub(super) async fn step(&mut self) {
        let Self { relocating, consumer, cancelling, orders, .. } = self;
        let receiving = !self.ended && self.lost.is_none();
        tokio::select! {
            biased;
            Some(relocated) = relocating.next(), if !relocating.is_empty() => self.relocated(relocated),
            cancelled = poll_cancel(cancelling), if cancelling.is_some() => {
                *cancelling = None;
                if let Err(error) = cancelled {
                    tracing::debug!(hearken.listener = &*self.listener.id, error = %chain(&error), "cancel failed");
                    self.ended = true;
                }
                self.give_back();
            }
            // After the cancel, which a queue that never runs dry would put off for ever.
            received = poll_fn(|context| consumer.poll_receive(context)), if receiving => match received {
                Some(Ok(delivery)) => self.take(delivery),
                Some(Err(error)) => self.lose(error),
                None if self.leaving => self.ended = true,
                None => self.lose(consumer_ended()),
            },
            Ok(()) = orders.changed() => self.obey(),
            else => pending().await,
        }
    }

    fn take(&mut self, delivery: Delivery) {
        self.buffer.push_back(delivery);
        self.give_back();
    }

    /// Gives back what no call needs, if that is the order. Not before the broker has cancelled the consumer: it would
    /// hand out again at once what it is given. A quorum queue hands out again in the order in which it is given: what
    /// waits is older than what is buffered, and where order counts nothing goes back before the running call's message.
    fn give_back(&mut self) {
        let follows = self.calling && !self.listener.settings.non_blocking;
        if self.leaving && self.cancelling.is_none() && self.order() == Order::HandBack && !follows {
            self.give_up_holds();
            while let Some(delivery) = self.buffer.pop_front() {
                self.hand_back(delivery);
            }
        }
    }

    /// Reacts to a new order at once, also while a call runs.
    pub(super) fn obey(&mut self) {
        let order = self.order();
        if order == Order::Work || (order == Order::HandBack && self.listener.hands_over_in_order()) {
            return;
        }
        if !self.leaving {
            self.leaving = true;
            // What was cancelled is no live consumer.
            self.live = None;
            self.cancelling = Some(self.consumer.cancel());
        }
        self.give_back();
    }

    pub(super) fn lose(&mut self, error: TransportError) {
        // Before anybody can receive what goes back.
        self.listener.crew.returned();
        self.live = None;
        self.lost = Some(error);
    }

    /// Why nothing can be settled any more, if so.
    pub(super) fn loss(&self) -> Option<&TransportError> {
        self.lost.as_ref()
    }

    pub(super) fn take_loss(&mut self) -> Option<TransportError> {
        self.lost.take()
    }

    /// Whether the broker took everything back because a call takes too long for it.
    pub(super) fn is_timed_out(&self) -> bool {
        self.lost.as_ref().is_some_and(|error| *error.kind() == TransportErrorKind::ConsumerTimeout)
    }

    /// Whether nothing is left to do but to leave.
    pub(super) fn must_leave(&mut self) -> bool {
        match self.order() {
            Order::Work => false,
            Order::Retire => {
                self.obey();
                self.ended && self.buffer.is_empty()
            }
            Order::HandBack => true,
        }
    }

    pub(super) fn received(&mut self) {
        self.ticks = 0;
        self.prove();
    }

    fn prove(&mut self) {
        if !std::mem::replace(&mut self.proved, true) {
            self.epoch.prove();
            self.listener.crew.prove();
        }
    }

    /// Whether idle time is measured: until it is known, and while it may lead to fewer invokers.
    pub(super) fn ticks_on(&self) -> bool {
        self.lane == Lane::Main && !self.leaving && (self.ticks == 0 || self.listener.crew.is_elastic())
    }

    pub(super) fn tick(&mut self) -> u32 {
        self.prove();
        self.ticks = self.ticks.saturating_add(1);
        self.ticks
    }
}

async fn poll_cancel(cancelling: &mut Option<Cancel>) -> Result<(), TransportError> {
    match cancelling {
        Some(cancel) => cancel.await,
        None => pending().await,
    }
}

pub(super) fn connection_lost() -> TransportError {
    TransportError::new(TransportErrorKind::ConnectionLost, "the connection was lost")
}

fn consumer_ended() -> TransportError {
    TransportError::new(TransportErrorKind::ConsumerCancelled, "the consumer ended")
}
