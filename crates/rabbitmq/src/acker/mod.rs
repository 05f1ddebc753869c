//! Settles the deliveries of one channel, in a task of its own on the transport's runtime.

mod burst;
mod memory;
mod tracker;

pub(crate) use memory::Memory;

use crate::io::Io;

use crate::lost::Lost;
use crate::screen::Repairs;
use burst::Burst;
use futures_util::future::try_join_all;
use hearken_core::delivery::Settlement;
use hearken_core::transport::{TransportError, TransportErrorKind};
use lapin::Channel;
use lapin::options::{BasicAckOptions, BasicCancelOptions, BasicNackOptions, BasicRejectOptions};
use lapin::types::ShortString;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tracker::{Acks, End, Tracker};

/// How many settlements are worked on together at most.
const BATCH: usize = 1_024;
/// How many failures do not keep an acknowledgement behind them from being taken up at once.
const FEW: usize = 16;
/// How many of the last moves go into the memory when a channel ends: their acknowledgements were written, but nothing
/// tells whether they were taken up.
const RECENT: usize = 1_024;

enum Command {
    Settle { tag: u64, settlement: Settlement, identity: Option<u64> },
    Cancelled,
    Doubtful,
    Broken,
    Close(oneshot::Sender<Result<(), TransportError>>),
}

/// The sending side: cheap, never waits.
#[derive(Clone)]
pub(crate) struct Settler {
    commands: mpsc::UnboundedSender<Command>,
    memory: Arc<Memory>,
}

impl Settler {
    pub(crate) fn settle(&self, tag: u64, settlement: Settlement, identity: Option<u64>) {
        let command = Command::Settle { tag, settlement, identity };
        if self.commands.send(command).is_err() && settlement == Settlement::Moved {
            self.memory.remember(identity);
        }
    }

    /// The consumer was cancelled by us.
    pub(crate) fn cancelled(&self) {
        let _ = self.commands.send(Command::Cancelled);
    }

    /// The broker may have taken back what is not settled: a late acknowledgement may mean nothing to it.
    pub(crate) fn doubtful(&self) {
        let _ = self.commands.send(Command::Doubtful);
    }

    /// The channel is gone: what was acknowledged last may come again.
    pub(crate) fn broken(&self) {
        // Without an acker everything was said already.
        let _ = self.commands.send(Command::Broken);
    }

    /// Sends what is left and closes the channel.
    pub(crate) async fn close(self) -> Result<(), TransportError> {
        let (reply, closed) = oneshot::channel();
        let _ = self.commands.send(Command::Close(reply));
        closed.await.unwrap_or(Ok(()))
    }
}

/// Starts the acker of `channel`. The second part resolves if it cannot go on.
pub(crate) fn start(
    io: &Arc<Io>,
    channel: Channel,
    stream: lapin::Consumer,
    limit: Duration,
    memory: Arc<Memory>,
    repairs: Arc<Repairs>,
    lost: Lost,
) -> (Settler, oneshot::Receiver<TransportError>) {
    let (commands, receiver) = mpsc::unbounded_channel();
    let (fault, faulty) = oneshot::channel();
    let task = Task {
        // Keeps the runtime alive until the last acknowledgement is out.
        _io: io.clone(),
        stream,
        channel,
        limit,
        memory: memory.clone(),
        repairs,
        tracker: Tracker::new(),
        recent: VecDeque::new(),
        burst: Burst::default(),
        state: State::Sound(fault),
        doubtful: false,
        cancelled: false,
    };
    io.spawn(task.run(receiver, lost));
    (Settler { commands, memory }, faulty)
}

enum State {
    Sound(oneshot::Sender<TransportError>),
    Broken,
}

struct Task {
    _io: Arc<Io>,
    // lapin cancels a consumer when its last clone is dropped, on its own time: behind a closed channel that would end
    // the whole connection. This one lives until the channel is closed.
    stream: lapin::Consumer,
    channel: Channel,
    limit: Duration,
    memory: Arc<Memory>,
    repairs: Arc<Repairs>,
    tracker: Tracker,
    recent: VecDeque<u64>,
    burst: Burst,
    state: State,
    doubtful: bool,
    cancelled: bool,
}

impl Task {
    async fn run(mut self, mut commands: mpsc::UnboundedReceiver<Command>, lost: Lost) {
        let mut batch = Vec::new();
        let mut reply = None;
        let mut lost = Some(Box::pin(lost.wait()));
        while reply.is_none() {
            tokio::select! {
                // A busy invoker may not look at its consumer for long, while the next link delivers already.
                error = async { lost.as_mut()?.await }, if lost.is_some() => {
                    lost = None;
                    if let Some(error) = error {
                        self.give_up(error);
                    }
                }
                count = commands.recv_many(&mut batch, BATCH) => match count {
                    0 => break,
                    _ => reply = self.work(&mut batch).await,
                }
            }
        }
        // From here on a settler remembers its moves itself.
        drop(commands);
        let result = self.close().await;
        if let Some(reply) = reply {
            // Nobody may be waiting any more.
            let _ = reply.send(result);
        }
    }

    async fn work(
        &mut self,
        batch: &mut Vec<Command>,
    ) -> Option<oneshot::Sender<Result<(), TransportError>>> {
        let (mut failures, mut broken, mut close) = (Vec::new(), false, None);
        for command in batch.drain(..) {
            match command {
                Command::Settle { tag, settlement, identity } => {
                    self.note(tag, settlement, identity, &mut failures);
                }
                Command::Cancelled => self.cancelled = true,
                Command::Doubtful => {
                    self.doubtful = true;
                    self.memory.remember(self.recent.drain(..));
                }
                Command::Broken => broken = true,
                Command::Close(reply) => close = Some(reply),
            }
        }
        if broken {
            self.give_up(gone());
        }
        if matches!(self.state, State::Sound(_))
            && let Err(error) = self.send(failures).await
        {
            self.give_up(error);
        }
        close
    }

    fn note(
        &mut self,
        tag: u64,
        settlement: Settlement,
        identity: Option<u64>,
        failures: &mut Vec<(u64, Settlement)>,
    ) {
        match settlement {
            Settlement::Requeue | Settlement::HandBack => return failures.push((tag, settlement)),
            // A reject without requeue would send what was discarded to the dead letter queue.
            Settlement::Acknowledge | Settlement::Moved | Settlement::Discard => {}
        }
        if !self.end(tag, End::Success) || settlement != Settlement::Moved {
            return;
        }
        match self.state {
            _ if self.doubtful => self.memory.remember(identity),
            State::Broken => self.memory.remember(identity),
            State::Sound(_) => {
                self.recent.extend(identity);
                if self.recent.len() > RECENT {
                    self.recent.pop_front();
                }
            }
        }
    }

    async fn send(&mut self, failures: Vec<(u64, Settlement)>) -> Result<(), TransportError> {
        // Few failures: written first, they let one acknowledgement cover what is above them. Many, as at a stop: behind
        // them an acknowledgement could be one of those that a quorum queue takes up too late.
        if failures.len() <= FEW {
            self.fail(failures).await?;
            self.acknowledge().await
        } else {
            self.acknowledge().await?;
            self.fail(failures).await
        }
    }

    /// Written when it returns: an acknowledgement with `multiple` covers every tag below it that the broker still waits
    /// for, so the tracker hears of a failure only then.
    async fn fail(&mut self, failures: Vec<(u64, Settlement)>) -> Result<(), TransportError> {
        let channel = &self.channel;
        let frames = failures.iter().map(|(tag, settlement)| async move {
            match settlement {
                Settlement::Requeue => channel.basic_reject(*tag, BasicRejectOptions { requeue: true }).await,
                _ => channel.basic_nack(*tag, BasicNackOptions { multiple: false, requeue: true }).await,
            }
        });
        written(self.limit, try_join_all(frames)).await?;
        self.burst.frames(failures.len());
        for (tag, _) in failures {
            self.end(tag, End::Settled);
        }
        Ok(())
    }

    async fn acknowledge(&mut self) -> Result<(), TransportError> {
        let Acks { up_to, single } = self.tracker.drain();
        let acks = up_to.map(|tag| (tag, true)).into_iter().chain(single.into_iter().map(|tag| (tag, false)));
        let acks: Vec<_> =
            acks.map(|(tag, multiple)| self.channel.basic_ack(tag, BasicAckOptions { multiple })).collect();
        self.burst.frames(acks.len());
        written(self.limit, try_join_all(acks)).await
    }

    fn end(&mut self, tag: u64, end: End) -> bool {
        let first = self.tracker.end(tag, end);
        if !first {
            tracing::error!(target: "hearken::rabbitmq", tag, "a delivery was settled twice");
        }
        first
    }

    fn give_up(&mut self, error: TransportError) {
        if let State::Sound(fault) = std::mem::replace(&mut self.state, State::Broken) {
            self.memory.remember(self.recent.drain(..));
            // The consumer may have seen it first.
            let _ = fault.send(error);
        }
    }

    async fn close(&mut self) -> Result<(), TransportError> {
        if matches!(self.state, State::Sound(_)) {
            // A quorum queue answers a cancel only after what it was told before. A consumer that was not cancelled stays
            // until the channel closes: another one of the queue would be served what follows before it was served what
            // this one gives back.
            if self.cancelled {
                let cancel = self.channel.basic_cancel(self.stream.tag(), BasicCancelOptions::default());
                if let Err(error) = written(self.limit, cancel).await {
                    tracing::debug!(target: "hearken::rabbitmq", %error, "before closing a channel");
                }
            }
            self.burst.settled().await;
        }
        let number = self.channel.id();
        let closing = self.channel.close(200, ShortString::from("OK"));
        let result = written(self.limit, closing).await;
        self.repairs.forget(number);
        // Even a channel that was closed in order may have lost them.
        self.memory.remember(self.recent.drain(..));
        result
    }
}

fn gone() -> TransportError {
    TransportError::new(TransportErrorKind::ChannelClosed, "settling: the channel is closed")
}

async fn written<T>(
    limit: Duration,
    work: impl Future<Output = lapin::Result<T>>,
) -> Result<(), TransportError> {
    crate::io::within(limit, "settling", work).await.map(drop)
}
