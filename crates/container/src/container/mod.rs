//! The container of one listener: a task that keeps as many invokers as are wanted, and nothing else.

mod breaker;
mod command;
mod crewing;
mod leaving;
mod opening;
mod suspects;

pub(crate) use command::{Command, Refusal};

use crate::concurrency::Concurrency;
use crate::crew::Signal;
use crate::epoch::{Connection, Connections, Epoch};
use crate::event::EventKind;
use crate::invoker::{End, Lane, Order};
use crate::listener::ListenerRuntime;
use crate::pace::Pace;
use crate::running::StopReport;
use crate::scaling;
use crate::state::{Aim, Trouble};
use breaker::Breaker;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use hearken_core::BoxFuture;
use hearken_core::transport::TransportError;
use opening::Found;
use std::collections::HashMap;
use std::future::pending;
use std::sync::Arc;
use suspects::Suspects;
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tokio::task::{Id, JoinSet};
use tokio::time::{Instant, sleep_until};

/// What a container is made of.
pub(crate) struct Founding {
    pub(crate) listener: Arc<ListenerRuntime>,
    pub(crate) connections: Connections,
    /// How many consumers are opened at the same time, over all listeners.
    pub(crate) openings: Arc<Semaphore>,
    pub(crate) commands: mpsc::Receiver<Command>,
    pub(crate) signals: mpsc::Receiver<Signal>,
}

struct Member {
    number: u64,
    lane: Lane,
    epoch: u64,
    orders: watch::Sender<Order>,
}

pub(crate) struct Container {
    listener: Arc<ListenerRuntime>,
    connections: Connections,
    openings: Arc<Semaphore>,
    commands: mpsc::Receiver<Command>,
    signals: mpsc::Receiver<Signal>,
    aim: Aim,
    bounds: Concurrency,
    /// How many invokers are wanted, within the bounds.
    target: u32,
    pace: Pace,
    /// The epoch that was last seen, living or not.
    epoch: Option<Epoch>,
    blocked: Option<watch::Receiver<Option<String>>>,
    members: HashMap<Id, Member>,
    tasks: JoinSet<End>,
    hired: u64,
    opening: FuturesUnordered<BoxFuture<'static, Found>>,
    /// How many of them are for the listener's own queue.
    opening_main: usize,
    /// Whether the last consumer that was opened could be, and none was lost since.
    healthy: bool,
    /// Whether consumers of the current connection failed because it is dying.
    dying: bool,
    /// Whether the connection alone was at fault: the supervisor has paced that already.
    connection_lost: bool,
    /// When the next attempt to open a consumer begins.
    attempt_at: Option<Instant>,
    suspects: Suspects,
    breaker: Breaker,
    /// Told how the first attempts to open consumers ended.
    first: Option<oneshot::Sender<Result<(), TransportError>>>,
    /// When the patience with running calls ends.
    deadline: Option<Instant>,
    report: StopReport,
    /// Told when all invokers have left.
    waiting: Vec<oneshot::Sender<Result<StopReport, Refusal>>>,
    /// Whether to begin anew once all have left.
    restart: bool,
    /// The count of deliveries when the listener was last found idle.
    idle_at: Option<u64>,
}

impl Container {
    pub(crate) fn new(founding: Founding) -> Self {
        let Founding { listener, connections, openings, commands, signals } = founding;
        let bounds = listener.settings.concurrency;
        listener.crew.set_bounds(bounds.min(), bounds.max());
        Self {
            pace: Pace::new(listener.settings.back_off),
            suspects: Suspects::new(&listener),
            listener,
            connections,
            openings,
            commands,
            signals,
            aim: Aim::Stop,
            bounds,
            target: bounds.min(),
            epoch: None,
            blocked: None,
            members: HashMap::new(),
            tasks: JoinSet::new(),
            hired: 0,
            opening: FuturesUnordered::new(),
            opening_main: 0,
            healthy: false,
            dying: false,
            connection_lost: false,
            attempt_at: None,
            breaker: Breaker::Closed,
            first: None,
            deadline: None,
            report: StopReport::default(),
            waiting: Vec::new(),
            restart: false,
            idle_at: None,
        }
    }

    /// Runs until nobody can command it any more.
    pub(crate) async fn run(mut self) {
        self.connection_changed();
        loop {
            self.reconcile();
            let suspects_at = self.suspects.attempt_at().filter(|_| self.may_open_suspects());
            tokio::select! {
                biased;
                command = self.commands.recv() => match command {
                    Some(command) => self.command(command),
                    None => return self.abandoned(),
                },
                Ok(()) = self.connections.changed() => self.connection_changed(),
                () = blocked_changed(&mut self.blocked) => self.blocked_changed(),
                Some(ended) = self.tasks.join_next_with_id() => self.ended(ended),
                Some(found) = self.opening.next() => self.found(found),
                Some(signal) = self.signals.recv() => self.signal(signal),
                () = at(self.attempt_at) => self.attempt(),
                () = at(suspects_at) => self.open_suspects(),
                () = at(self.deadline) => self.out_of_patience(),
                () = at(self.breaker.until()) => self.half_open(),
            }
        }
    }

    /// Ends without an order: its invokers end with it.
    fn abandoned(mut self) {
        self.tasks.abort_all();
        self.listener.state.manned(false);
        self.listener.state.aim(Aim::Stop);
    }

    /// Makes what is what is wanted, as far as that can be done at once.
    fn reconcile(&mut self) {
        if self.aim != Aim::Run {
            self.reconcile_leaving();
        }
        // What waited for the end may be a new beginning.
        if self.aim != Aim::Run {
            return;
        }
        let (wanted, working) = (self.wanted(), self.working());
        let manned = working + self.opening_main;
        if working >= wanted {
            // One that is being opened is not there yet: nobody leaves for it.
            if working > wanted {
                self.retire(working - wanted);
            }
            self.listener.state.no_trouble(Trouble::Consumers);
            self.report_first(Ok(()));
        } else if manned < wanted && self.living().is_some() && !self.must_wait_for_leaving() {
            if self.healthy {
                self.open(wanted - manned);
            } else if self.attempt_at.is_none() && self.opening_main == 0 {
                self.schedule();
            }
        }
    }

    /// Invokers of the listener's own queue that are to go on working. One that still runs a call of a lost epoch keeps
    /// its place until the call ends: there are never more calls than invokers.
    fn working(&self) -> usize {
        let works = |member: &&Member| member.lane == Lane::Main && *member.orders.borrow() == Order::Work;
        self.members.values().filter(works).count()
    }

    fn living(&self) -> Option<&Epoch> {
        self.epoch.as_ref().filter(|epoch| epoch.is_alive())
    }

    fn schedule(&mut self) {
        if std::mem::take(&mut self.connection_lost) {
            self.attempt_at = Some(Instant::now());
            return;
        }
        if self.listener.crew.take_proof() {
            self.pace.succeeded();
        }
        match self.pace.next(Instant::now(), fastrand::f64()) {
            Some(at) => self.attempt_at = Some(at),
            None => {
                self.fail("no consumer could be opened and kept in all attempts of the back-off".to_owned());
            }
        }
    }

    fn attempt(&mut self) {
        self.attempt_at = None;
        if self.living().is_some() {
            // One finds out whether it works; the others follow.
            self.open(1);
        }
    }

    fn connection_changed(&mut self) {
        let connection = self.connections.borrow_and_update().clone();
        let number = |epoch: &Epoch| epoch.number;
        if let Some(old) = &self.epoch
            && connection.living().map(number) != Some(old.number)
        {
            self.listener.state.epoch_lost(old.number);
            self.epoch = None;
            self.blocked = None;
            let (healthy, dying) = (std::mem::take(&mut self.healthy), std::mem::take(&mut self.dying));
            self.connection_lost = healthy || dying;
            for trouble in [Trouble::Blocked, Trouble::Consumers] {
                self.listener.state.no_trouble(trouble);
            }
            self.abandon_openings();
        }
        match connection {
            Connection::Up(epoch) if epoch.is_alive() && self.epoch.is_none() => {
                self.blocked = Some(epoch.blocked());
                self.epoch = Some(epoch);
                self.blocked_changed();
            }
            Connection::GivenUp(reason) if self.aim == Aim::Run => self.fail(reason.to_string()),
            _ => {}
        }
    }

    fn blocked_changed(&mut self) {
        let Some(blocked) = &mut self.blocked else { return };
        let word = blocked.borrow_and_update().clone();
        let state = &self.listener.state;
        match word {
            Some(reason) => {
                state.trouble(Trouble::Blocked, || format!("the broker takes no messages: {reason}"));
                self.listener.event(|| EventKind::Blocked { reason });
            }
            None => {
                if state.no_trouble(Trouble::Blocked) {
                    self.listener.event(|| EventKind::Unblocked);
                }
            }
        }
    }

    fn signal(&mut self, signal: Signal) {
        let crew = Arc::clone(&self.listener.crew);
        match signal {
            Signal::Grow if self.aim == Aim::Run && self.breaker == Breaker::Closed => {
                if scaling::grows(crew.bounds(), self.target, crew.busy()) {
                    self.set_target(self.target + 1);
                } else {
                    crew.set_size(self.target);
                }
            }
            Signal::Idle { invoker, ticks } if self.aim == Aim::Run => {
                if crew.busy() == 0 && self.idle_at.replace(crew.received()) != Some(crew.received()) {
                    self.listener.event(|| EventKind::Idle);
                }
                let limit = self.listener.settings.idle_receives_per_task_limit;
                let works =
                    |member: &&Member| member.number == invoker && *member.orders.borrow() == Order::Work;
                if scaling::shrinks(crew.bounds(), self.target, crew.busy(), ticks, limit)
                    && let Some(member) = self.members.values().find(works)
                {
                    // While some are missing one of these is not wanted any more, and nobody has to leave.
                    if self.working() >= self.target as usize {
                        member.orders.send_replace(Order::Retire);
                    }
                    self.set_target(self.target - 1);
                }
            }
            Signal::Suspect => self.suspects.want(),
            Signal::Trip { pause, reason } => self.trip(pause, reason),
            Signal::Probed => self.probed(),
            Signal::Grow | Signal::Idle { .. } => {}
        }
    }

    fn set_target(&mut self, target: u32) {
        let from = std::mem::replace(&mut self.target, target);
        self.listener.crew.set_size(target);
        if from != target {
            tracing::debug!(hearken.listener = &*self.listener.id, from, to = target, "scaled");
            self.listener.event(|| EventKind::Scaled { from, to: target });
        }
    }

    /// Tells surplus invokers to leave when they have handled what they were handed.
    fn retire(&mut self, surplus: usize) {
        let mut working: Vec<_> = self
            .members
            .values()
            .filter(|member| member.lane == Lane::Main && *member.orders.borrow() == Order::Work)
            .collect();
        // First those whose connection is gone: they only finish a call. Then the newest.
        let lives = |member: &Member| self.living().is_some_and(|epoch| epoch.number == member.epoch);
        working.sort_by_key(|member| (lives(member), std::cmp::Reverse(member.number)));
        for member in working.into_iter().take(surplus) {
            member.orders.send_replace(Order::Retire);
        }
    }
}

async fn at(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant).await,
        None => pending().await,
    }
}

async fn blocked_changed(blocked: &mut Option<watch::Receiver<Option<String>>>) {
    match blocked {
        Some(blocked) => {
            if blocked.changed().await.is_err() {
                pending::<()>().await;
            }
        }
        None => pending().await,
    }
}
