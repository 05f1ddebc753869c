//! What happened, in order: told by the container and by the transport.

use super::attempt::{TestAttempt, TestOutcome};
use super::blocking::Realtime;
use super::published::Published;
use hearken_container::{Observed, Observer};
use hearken_core::session::Destination;
use hearken_core::transport::Outgoing;
use hearken_core::verdict::Verdict;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::time::Instant;

/// The id of a message, as far as it has one.
pub(super) type Id = Option<Arc<str>>;

/// Something that happened to a message.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) id: Id,
    pub(super) what: What,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    /// It was accepted, for these.
    Published { destination: Destination, at: Duration },
    /// A listener was called.
    Called { queue: Arc<str>, attempt: TestAttempt },
    /// It is a dead letter in this queue.
    DeadLetter { queue: String, at: Duration },
}

#[derive(Debug, Default)]
struct Books {
    facts: Vec<Fact>,
    /// What the test sends itself, until it is seen.
    own: Vec<(Id, Destination)>,
    published: Vec<Published>,
    dead_letters: Vec<Published>,
    calls: u64,
}

/// Everything that happened. Shared by the container's observer, the transport and the test.
#[derive(Debug)]
pub(super) struct Record {
    books: Mutex<Books>,
    changed: Notify,
    start: Instant,
    names: AtomicU64,
    realtime: Realtime,
}

impl Record {
    pub(super) fn new(realtime: Realtime) -> Self {
        Self {
            books: Mutex::default(),
            changed: Notify::new(),
            start: Instant::now(),
            names: AtomicU64::new(1),
            realtime,
        }
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    /// Resolves when something happens after it was first polled or enabled.
    pub(super) fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }

    pub(super) fn change(&self) {
        self.changed.notify_waiters();
    }

    /// A message without an id gets one, so that its story can be followed.
    pub(super) fn name(&self, outgoing: &mut Outgoing) {
        let properties = outgoing.message.properties_mut();
        if properties.message_id.is_none() {
            properties.message_id = Some(format!("test-{}", self.names.fetch_add(1, Ordering::Relaxed)));
        }
    }

    /// The test itself is about to send this.
    pub(super) fn expect(&self, outgoing: &Outgoing) {
        self.books().own.push((id_of(outgoing), outgoing.destination.clone()));
    }

    /// Whether the test itself sends this.
    pub(super) fn expects(&self, outgoing: &Outgoing) -> bool {
        self.books().own.contains(&(id_of(outgoing), outgoing.destination.clone()))
    }

    /// The test's own message was not accepted.
    pub(super) fn forget(&self, outgoing: &Outgoing) {
        let key = (id_of(outgoing), outgoing.destination.clone());
        take(&mut self.books().own, &key);
    }

    pub(super) fn published(&self, outgoing: &Outgoing) {
        let (at, id) = (self.now(), id_of(outgoing));
        let destination = outgoing.destination.clone();
        let mut books = self.books();
        if !take(&mut books.own, &(id.clone(), destination.clone())) {
            books.published.push(Published::new(outgoing, at));
        }
        books.facts.push(Fact { id, what: What::Published { destination, at } });
        drop(books);
        self.change();
    }

    pub(super) fn dead_letter(&self, outgoing: &Outgoing) {
        let at = self.now();
        let queue = outgoing.destination.routing_key.clone();
        let mut books = self.books();
        books.dead_letters.push(Published::new(outgoing, at));
        books.facts.push(Fact { id: id_of(outgoing), what: What::DeadLetter { queue, at } });
        drop(books);
        self.change();
    }

    pub(super) fn all_published(&self) -> Vec<Published> {
        self.books().published.clone()
    }

    pub(super) fn all_dead_letters(&self) -> Vec<Published> {
        self.books().dead_letters.clone()
    }

    /// Calls so far, of all listeners.
    pub(super) fn calls(&self) -> u64 {
        self.books().calls
    }

    pub(super) fn facts(&self) -> Vec<Fact> {
        self.books().facts.clone()
    }

    fn end(&self, call: &Observed<'_>, outcome: TestOutcome) {
        let ended = self.now();
        self.realtime.end(call.listener);
        let id = call.message.id().map(Arc::from);
        let mut books = self.books();
        let running = books.facts.iter_mut().rev().find_map(|fact| match &mut fact.what {
            What::Called { queue, attempt }
                if fact.id == id
                    && **queue == *call.origin.queue
                    && attempt.listener == *call.listener
                    && attempt.ended.is_none() =>
            {
                Some(attempt)
            }
            _ => None,
        });
        if let Some(attempt) = running {
            (attempt.ended, attempt.outcome) = (Some(ended), outcome);
        } else {
            // Decided without a call: its payload is broken, for example.
            let what = called(call, ended, Some(ended), outcome);
            books.facts.push(Fact { id, what });
        }
        drop(books);
        self.change();
    }
}

fn called(call: &Observed<'_>, began: Duration, ended: Option<Duration>, outcome: TestOutcome) -> What {
    What::Called {
        queue: Arc::clone(&call.origin.queue),
        attempt: TestAttempt {
            listener: Arc::clone(call.listener),
            number: call.attempt,
            began,
            ended,
            outcome,
        },
    }
}

fn id_of(outgoing: &Outgoing) -> Id {
    outgoing.message.id().map(Arc::from)
}

fn take<T: PartialEq>(all: &mut Vec<T>, one: &T) -> bool {
    let place = all.iter().position(|other| other == one);
    place.map(|place| all.remove(place)).is_some()
}

impl Observer for Record {
    fn called(&self, call: &Observed<'_>) {
        self.realtime.begin(call.listener);
        let id = call.message.id().map(Arc::from);
        let what = called(call, self.now(), None, TestOutcome::Running);
        let mut books = self.books();
        books.calls += 1;
        books.facts.push(Fact { id, what });
        drop(books);
        self.change();
    }

    fn decided(&self, call: &Observed<'_>, verdict: &Verdict) {
        self.end(call, verdict.into());
    }

    fn lost(&self, call: &Observed<'_>) {
        self.end(call, TestOutcome::Lost);
    }
}
