//! What the invokers of one listener and their container know of each other.

use crate::scaling::{self, Bounds};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tokio::sync::mpsc;

/// What an invoker tells its container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// All are busy and a message waits.
    Grow,
    /// This invoker has waited this many ticks of `receiveTimeout` in vain.
    Idle { invoker: u64, ticks: u32 },
    /// There is a delivery for the suspect queue.
    Suspect,
    /// A rule asks for a pause of the listener.
    Trip { pause: Duration, reason: String },
    /// The message that was tried after such a pause did not ask for another one.
    Probed,
}

/// Where the suspect queue of a listener stands in the current epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SuspectLane {
    /// Nothing was suspected yet.
    Closed,
    /// It is consumed.
    Open,
    /// There is none, and it may not be declared.
    Unavailable,
}

/// Counters and signals, shared by the invokers of one listener. One addition per message each.
#[derive(Debug)]
pub(crate) struct Crew {
    busy: AtomicU32,
    size: AtomicU32,
    minimum: AtomicU32,
    maximum: AtomicU32,
    idle_limit: u32,
    received: AtomicU64,
    /// Channels of this process that were lost with deliveries in hand, or gave deliveries back.
    returns: AtomicU64,
    growing: AtomicBool,
    /// Whether something was received, or waited for in peace, since this was last asked.
    proved: AtomicBool,
    signals: mpsc::Sender<Signal>,
}

impl Crew {
    pub(crate) fn new(idle_limit: u32, signals: mpsc::Sender<Signal>) -> Self {
        Self {
            busy: AtomicU32::new(0),
            size: AtomicU32::new(0),
            minimum: AtomicU32::new(0),
            maximum: AtomicU32::new(0),
            idle_limit,
            received: AtomicU64::new(0),
            returns: AtomicU64::new(0),
            growing: AtomicBool::new(false),
            proved: AtomicBool::new(false),
            signals,
        }
    }

    pub(crate) fn bounds(&self) -> Bounds {
        Bounds {
            minimum: self.minimum.load(Relaxed),
            maximum: self.maximum.load(Relaxed),
            idle_limit: self.idle_limit,
        }
    }

    pub(crate) fn set_bounds(&self, minimum: u32, maximum: u32) {
        self.minimum.store(minimum, Relaxed);
        self.maximum.store(maximum, Relaxed);
    }

    /// Whether the number of invokers may change by itself.
    pub(crate) fn is_elastic(&self) -> bool {
        let bounds = self.bounds();
        bounds.minimum < bounds.maximum
    }

    pub(crate) fn set_size(&self, size: u32) {
        self.size.store(size, Relaxed);
        self.growing.store(false, Relaxed);
    }

    pub(crate) fn size(&self) -> u32 {
        self.size.load(Relaxed)
    }

    pub(crate) fn busy(&self) -> u32 {
        self.busy.load(Relaxed)
    }

    pub(crate) fn received(&self) -> u64 {
        self.received.load(Relaxed)
    }

    /// How often deliveries of this listener went back to the broker in the life of this process.
    pub(crate) fn returns(&self) -> u64 {
        self.returns.load(Relaxed)
    }

    pub(crate) fn returned(&self) {
        self.returns.fetch_add(1, Relaxed);
    }

    /// A successful receive: what resets the back-off.
    pub(crate) fn prove(&self) {
        self.proved.store(true, Relaxed);
    }

    pub(crate) fn take_proof(&self) -> bool {
        self.proved.swap(false, Relaxed)
    }

    /// A call begins; it ends when the guard is dropped.
    pub(crate) fn begin(&self) -> Busy<'_> {
        self.received.fetch_add(1, Relaxed);
        self.busy.fetch_add(1, Relaxed);
        Busy(self)
    }

    /// A message waits while its invoker is busy: asks for another invoker if that would help.
    pub(crate) fn message_waits(&self) {
        if scaling::grows(self.bounds(), self.size(), self.busy()) && !self.growing.swap(true, Relaxed) {
            self.signal(Signal::Grow);
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        // A full channel: the container has enough to think about, and the signal will be given again.
        if self.signals.try_send(signal).is_err() {
            self.growing.store(false, Relaxed);
        }
    }
}

/// A running call.
pub(crate) struct Busy<'a>(&'a Crew);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Relaxed);
    }
}
