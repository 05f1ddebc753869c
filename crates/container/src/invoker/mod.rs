//! One invoker: one channel, one consumer, one handler call at a time.

mod admit;
mod burn;
mod call;
mod desk;
mod holds;
mod invoke;
mod job;
mod leave;
mod placement;
mod relocate;
mod settle;

pub(crate) use call::is_inside;
pub(crate) use job::{Job, Relocation};
pub(crate) use placement::Rule;

use crate::crew::{Signal, SuspectLane};
use crate::epoch::Epoch;
use crate::listener::ListenerRuntime;
use crate::running::StopReport;
use crate::state::LiveConsumer;
use desk::Desk;
use hearken_core::delivery::Delivery;
use hearken_core::transport::{Consumer, TransportError};
use job::Held;
use std::sync::Arc;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// What an invoker is to do. It only ever rises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Order {
    /// Go on.
    Work,
    /// Take no more from the broker, handle what is buffered, and leave.
    Retire,
    /// Finish the running call, hand back everything else, and leave.
    HandBack,
}

/// Which queue an invoker serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// The listener's own.
    Main,
    /// The one for deliveries that may have ended the process. One invoker, prefetch 1: blame is exact.
    Suspects,
}

/// How an invoker ended.
pub(crate) enum End {
    /// It was told to leave.
    Left(StopReport),
    /// Its channel or connection is gone; the broker takes back what was unsettled.
    Lost(TransportError),
}

enum Next {
    Delivery(Delivery),
    Due(Held),
    Leave,
    Lost(TransportError),
}

/// What an invoker is made of.
pub(crate) struct Post {
    pub(crate) id: u64,
    pub(crate) lane: Lane,
    pub(crate) listener: Arc<ListenerRuntime>,
    pub(crate) epoch: Epoch,
    pub(crate) consumer: Box<dyn Consumer>,
    /// That the consumer is live; `None` for one that the listener's state does not depend on.
    pub(crate) live: Option<LiveConsumer>,
    /// Whether it is to find out if the listener can go on after a pause of its circuit breaker.
    pub(crate) probes: bool,
    pub(crate) orders: watch::Receiver<Order>,
    pub(crate) suspects: watch::Receiver<SuspectLane>,
}

pub(crate) struct Invoker {
    listener: Arc<ListenerRuntime>,
    epoch: Epoch,
    desk: Desk,
}

impl Invoker {
    pub(crate) fn new(post: Post) -> Self {
        let (listener, epoch) = (Arc::clone(&post.listener), post.epoch.clone());
        Self { listener, epoch, desk: Desk::new(post) }
    }

    pub(crate) async fn run(mut self) -> End {
        loop {
            let lost = match self.next().await {
                Next::Delivery(delivery) => self.admit(delivery).await,
                Next::Due(Held::Call(job)) => self.take_up(job).await,
                Next::Due(Held::Relocation(job, relocation)) => {
                    self.desk.relocate(job, relocation);
                    None
                }
                Next::Leave => return self.desk.leave().await,
                Next::Lost(error) => Some(error),
            };
            if let Some(error) = lost {
                self.desk.confirm_copies().await;
                return End::Lost(error);
            }
        }
    }

    async fn next(&mut self) -> Next {
        let Self { listener, epoch, desk } = self;
        // An ordered listener takes nothing new while a failed message waits.
        let blocking = !listener.settings.non_blocking;
        let mut idle_since = Instant::now();
        loop {
            if let Some(error) = desk.take_loss() {
                return Next::Lost(error);
            }
            if desk.must_leave() {
                return Next::Leave;
            }
            let now = Instant::now();
            let halted = desk.halted(now);
            if halted.is_none()
                && epoch.is_alive()
                && let Some(held) = desk.holds.take_due(now)
            {
                return Next::Due(held);
            }
            if halted.is_none()
                && !(blocking && desk.holds.len() > 0)
                && let Some(delivery) = desk.buffer.pop_front()
            {
                desk.received();
                return Next::Delivery(delivery);
            }
            let due = halted.or_else(|| desk.holds.next_due());
            let tick = desk.ticks_on().then(|| idle_since + listener.settings.receive_timeout);
            tokio::select! {
                biased;
                // Nothing that is held is called or moved once the broker has taken it back.
                () = epoch.lost(), if due.is_some() => desk.lose(desk::connection_lost()),
                () = sleep_until(due.unwrap_or(now)), if due.is_some() => {}
                () = desk.step() => {}
                () = sleep_until(tick.unwrap_or(now)), if tick.is_some() => {
                    idle_since = Instant::now();
                    let ticks = desk.tick();
                    listener.crew.signal(Signal::Idle { invoker: desk.id, ticks });
                }
            }
        }
    }
}
