//! Publishes with confirms, fast and with the right answer for each message.
//!
//! lapin pairs a returned message with whichever confirm it handles next, so answers can be told apart only where
//! nothing else is in flight on the channel. Messages to the same destination therefore share a channel in batches of at
//! most [`batch::MOST`]: a batch is sent, all its confirms are awaited, its returns are matched by content, and only then
//! does the next one follow. Destinations run beside each other, each in order, so that a queue that does not confirm
//! holds up nobody else.
//!
//! A missing exchange closes the channel, and lapin then still sends what it has queued for it, which the broker answers
//! by closing the connection, under everybody. The first message to an exchange therefore travels alone ([`Proven`]).

mod batch;
mod job;
mod pool;
mod proven;
mod returns;

pub(crate) use job::{HEADROOM, HEADROOM_ON_LEVELS, Job};

use crate::io::Io;
use crate::notices::Notices;
use crate::settings::Settings;
use batch::{Aftermath, Batch};
use hearken_core::BoxFuture;
use hearken_core::transport::PublishError;
use pool::Pool;
use proven::Proven;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, oneshot};

/// How many destinations are published to at the same time.
const CHANNELS: usize = 32;

/// Messages of one group are sent in order and share their fate: they go to the same queues.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Group(pub(crate) Arc<str>, pub(crate) Arc<str>);

struct Waiting {
    job: Job,
    answer: oneshot::Sender<Result<(), PublishError>>,
    taken: Arc<Taken>,
}

/// Who has a message: its sender, who may withdraw it, or the wire.
#[derive(Default)]
struct Taken(AtomicBool);

impl Taken {
    /// Takes it, for either; `false` if the other has done so.
    fn take(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }

    fn is_taken(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// The publishing side of a link.
pub(crate) struct Publisher {
    io: Arc<Io>,
    settings: Arc<Settings>,
    pool: Pool,
    // A group is in the map while a task works on it.
    groups: Mutex<HashMap<Group, VecDeque<Waiting>>>,
    proven: Proven,
    permits: Semaphore,
}

impl Publisher {
    pub(crate) fn new(io: Arc<Io>, settings: Arc<Settings>, notices: Arc<Notices>) -> Self {
        let pool = Pool::new(io.clone(), settings.clone(), notices);
        let permits = Semaphore::new(CHANNELS);
        Self { io, settings, pool, groups: Mutex::default(), proven: Proven::default(), permits }
    }

    /// Takes its place in the order of its group before the future is first polled. Dropping the future withdraws what
    /// was not sent yet.
    pub(crate) fn publish(
        self: &Arc<Self>,
        group: Group,
        job: Job,
    ) -> BoxFuture<'static, Result<(), PublishError>> {
        let (answer, answered) = oneshot::channel();
        let taken = Arc::<Taken>::default();
        self.enqueue(group.clone(), Waiting { job, answer, taken: taken.clone() });
        let publisher = self.clone();
        let limit = self.settings.publish_timeout;
        // On our own runtime's timer, whoever polls it.
        let _entered = self.io.handle().enter();
        let answered = tokio::time::timeout(limit, answered);
        Box::pin(async move {
            match answered.await {
                Ok(Ok(result)) => result,
                Ok(Err(_)) => {
                    Err(PublishError::unknown("the connection was closed before the broker answered"))
                }
                Err(_) if taken.take() => Err(publisher.withdrawn(&group, limit)),
                Err(_) => Err(PublishError::unknown(format!("no confirm within {limit:?}"))),
            }
        })
    }

    /// A message that was not sent in time, and will not be.
    fn withdrawn(&self, group: &Group, limit: Duration) -> PublishError {
        if let Some(queue) = self.groups().get_mut(group) {
            forget_withdrawn(queue);
        }
        let reason = match self.pool.blocked() {
            Some(reason) => format!("not sent within {limit:?}: the broker takes no messages: {reason}"),
            None => format!("not sent within {limit:?}: too much waits before it"),
        };
        PublishError::Refused { reason }
    }

    pub(crate) async fn close(&self) {
        self.pool.close().await;
    }

    fn enqueue(self: &Arc<Self>, group: Group, waiting: Waiting) {
        let mut groups = self.groups();
        if let Some(queue) = groups.get_mut(&group) {
            queue.push_back(waiting);
            return;
        }
        groups.insert(group.clone(), VecDeque::from([waiting]));
        drop(groups);
        self.io.spawn(self.clone().work(group));
    }

    async fn work(self: Arc<Self>, group: Group) {
        // Never closed.
        while let Ok(_permit) = self.permits.acquire().await {
            if self.is_done(&group) {
                return;
            }
            match self.pool.channel().await {
                Ok(None) => {}
                Ok(Some(channel)) => {
                    let Some(batch) = self.next(&group) else {
                        channel.give_back();
                        return;
                    };
                    let aftermath = batch.run(channel.lapin(), self.settings.publish_timeout).await;
                    self.proven.learn(&group.0, aftermath != Aftermath::Unanswered);
                    if aftermath == Aftermath::Clean {
                        channel.give_back();
                    }
                }
                Err(error) => {
                    for waiting in self.rest(&group) {
                        waiting.fail(&error);
                    }
                }
            }
        }
    }

    /// Whether nothing waits any more; takes the group off the map then.
    fn is_done(&self, group: &Group) -> bool {
        let mut groups = self.groups();
        let done = groups.get_mut(group).is_none_or(|queue| {
            forget_withdrawn(queue);
            queue.is_empty()
        });
        if done {
            groups.remove(group);
        }
        done
    }

    /// The next batch of a group; takes the group off the map when there is nothing more.
    fn next(&self, group: &Group) -> Option<Batch> {
        let most = if self.proven.has(&group.0) { batch::MOST } else { 1 };
        let mut groups = self.groups();
        let batch = groups.get_mut(group).and_then(|queue| Batch::take(queue, most));
        if batch.is_none() {
            groups.remove(group);
        }
        batch
    }

    fn rest(&self, group: &Group) -> VecDeque<Waiting> {
        self.groups().get_mut(group).map(std::mem::take).unwrap_or_default()
    }

    fn groups(&self) -> MutexGuard<'_, HashMap<Group, VecDeque<Waiting>>> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The oldest are withdrawn first: a long block leaves none behind.
fn forget_withdrawn(queue: &mut VecDeque<Waiting>) {
    while queue.front().is_some_and(Waiting::is_withdrawn) {
        queue.pop_front();
    }
}
