//! One call: begin → extract → handler → outcome → commit or roll back.

use super::job::Job;
use crate::epoch::{Epoch, chain};
use crate::listener::ListenerRuntime;
use futures_util::FutureExt;
use hearken_core::call::Call;
use hearken_core::failure::{Failure, FailureKind};
use hearken_core::listener::{BlockingCall, Handler};
use hearken_core::outcome::Outcome;
use hearken_core::session::Session;
use hearken_core::transaction::{Transaction, TransactionContext, TransactionError};
use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use tokio::sync::oneshot;
use tracing::{Instrument, Span};

tokio::task_local! {
    /// The listener whose handler runs: a stop that it awaits of itself would never end.
    static CALLING: Arc<str>;
}

/// Whether this is called from a handler of this listener.
pub(crate) fn is_inside(listener: &str) -> bool {
    CALLING.try_with(|calling| **calling == *listener).unwrap_or(false)
}

const REVOKED: &str =
    "the handler took longer than the broker leaves a delivery unacknowledged (consumer_timeout)";

/// What became of the delivery while its call runs.
#[derive(Default)]
pub(super) struct Fate {
    /// Its channel is gone: it cannot be settled any more.
    pub(super) lost: AtomicBool,
    /// The broker took it back because the call takes too long for it.
    pub(super) revoked: AtomicBool,
}

impl Fate {
    pub(super) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    pub(super) fn is_revoked(&self) -> bool {
        self.revoked.load(Ordering::Relaxed)
    }
}

pub(super) async fn call(
    listener: &ListenerRuntime,
    epoch: &Epoch,
    mut job: Job,
    limit: Option<u64>,
    span: &Span,
    fate: &Fate,
) -> (Job, Outcome) {
    let session = listener.session();
    let call = Call {
        listener: Arc::clone(&listener.id),
        attempt: job.attempt(),
        message: std::mem::take(&mut job.message),
        origin: job.origin.clone(),
        history: job.history.clone(),
        redelivered: job.redelivered || job.attempts() > 0,
        maximum_redeliveries: limit,
        session: session.clone(),
        states: Arc::clone(&listener.states),
    };
    // A panic of the handler is caught in `handle`; this one is for managers and destructors.
    let outcome = AssertUnwindSafe(async {
        match begin(listener, &call).await {
            Ok(transaction) => {
                let outcome = handle(listener, &call, fate).await;
                let settleable = epoch.is_alive() && !fate.is_lost();
                end(transaction, &session, outcome, settleable).await
            }
            Err(error) => failed(error),
        }
    })
    .catch_unwind()
    .instrument(span.clone());
    let outcome =
        CALLING.scope(Arc::clone(&listener.id), outcome).await.unwrap_or_else(|panic| panicked(&*panic));
    session.close();
    job.message = call.message;
    (job, outcome)
}

async fn begin(
    listener: &ListenerRuntime,
    call: &Call,
) -> Result<Option<Box<dyn Transaction>>, TransactionError> {
    let Some(manager) = &listener.transactions else { return Ok(None) };
    let id = call.message.id().map(str::to_owned);
    let context = TransactionContext::new(Arc::clone(&listener.id), id, call.session.clone());
    manager.begin(context).await.map(Some)
}

/// Takes the arguments and runs the handler. Panics and time-outs are failures of their own kind.
async fn handle(listener: &ListenerRuntime, call: &Call, fate: &Fate) -> Outcome {
    let handling = AssertUnwindSafe(async {
        match listener.handler {
            Handler::Async(handler) => handler(call).await,
            Handler::Blocking(handler) => match handler(call).await {
                Ok(ready) => on_thread(listener, ready).await,
                Err(outcome) => outcome,
            },
        }
    })
    .catch_unwind();
    let handling = unless_revoked(fate, handling);
    let handled = match listener.settings.handler_timeout {
        None => handling.await,
        Some(limit) => match tokio::time::timeout(limit, handling).await {
            Ok(handled) => handled,
            Err(_elapsed) => {
                let error = format!("the handler did not end within {limit:?}");
                return Failure::new(FailureKind::Timeout, error).into();
            }
        },
    };
    match handled {
        Some(handled) => handled.unwrap_or_else(|panic| panicked(&*panic)),
        None => Failure::new(FailureKind::Timeout, REVOKED).into(),
    }
}

/// The result of `handling`, or `None` once it is revoked. Whoever revokes polls the call again.
async fn unless_revoked<F: Future>(fate: &Fate, handling: F) -> Option<F::Output> {
    let mut handling = pin!(handling);
    poll_fn(|context| {
        if fate.is_revoked() {
            return Poll::Ready(None);
        }
        handling.as_mut().poll(context).map(Some)
    })
    .await
}

async fn on_thread(listener: &ListenerRuntime, ready: BlockingCall) -> Outcome {
    let (done, outcome) = oneshot::channel();
    let span = Span::current();
    let id = Arc::clone(&listener.id);
    let started = listener.threads.run(move || {
        let _in_span = span.enter();
        let ready = || CALLING.sync_scope(Arc::clone(&id), ready);
        let outcome = catch_unwind(AssertUnwindSafe(ready)).unwrap_or_else(|panic| panicked(&*panic));
        if done.send(outcome).is_err() {
            tracing::warn!(hearken.listener = &*id, "a late result of the handler is dropped");
        }
    });
    if let Err(error) = started {
        return Failure::new(FailureKind::Error, format!("no thread for the handler: {error}")).into();
    }
    outcome.await.unwrap_or_else(|_| {
        Failure::new(FailureKind::Panic, "the thread of the handler ended without a result").into()
    })
}

fn panicked(panic: &(dyn Any + Send)) -> Outcome {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a text");
    Failure::new(FailureKind::Panic, text).into()
}

/// Commits what was handled, rolls back what was not. A lost channel rolls back: the message comes again.
async fn end(
    transaction: Option<Box<dyn Transaction>>,
    session: &Session,
    outcome: Outcome,
    settleable: bool,
) -> Outcome {
    let Some(transaction) = transaction else { return outcome };
    let commits = matches!(outcome, Outcome::Acknowledge | Outcome::Discard { .. });
    if commits && settleable {
        match commit(transaction, session).await {
            Ok(()) => outcome,
            Err(error) => failed(error),
        }
    } else {
        if let Err(error) = transaction.rollback().await {
            tracing::warn!(error = %chain(&error), "rollback failed");
        }
        outcome
    }
}

async fn commit(transaction: Box<dyn Transaction>, session: &Session) -> Result<(), TransactionError> {
    transaction.commit().await?;
    for outgoing in session.close() {
        let publish = session.publish_now(outgoing).await;
        publish.map_err(|error| TransactionError::caused_by("a publish of the call failed", error))?;
    }
    Ok(())
}

fn failed(error: TransactionError) -> Outcome {
    Failure::new(FailureKind::Transaction, error).into()
}
