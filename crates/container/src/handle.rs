//! Steers a running application: from outside, and from inside of handlers.

use crate::concurrency::Concurrency;
use crate::config::{Problem, Problems, Spot, did_you_mean};
use crate::container::{Command, Refusal};
use crate::epoch::Connection;
use crate::error::Error;
use crate::event::{EventKind, Events};
use crate::invoker::is_inside;
use crate::preflight::unmet;
use crate::running::StopReport;
use crate::shared::{Remote, Shared};
use crate::state::ListenerState;
use hearken_core::listener::{Listener, ListenerDescriptor};
use hearken_core::redelivery::{Condition, LinearWaits, RedeliveryPolicy};
use hearken_core::session::Publisher;
use hearken_core::transport::TransportError;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Steers a running application: pause, resume, scale, stop and start listeners, register and unregister them, watch
/// what happens.
///
/// Cheap to clone. A handler has it by `State<Handle>`. What it orders survives a reconnect, not a restart of the
/// process. Every call is idempotent, and bounded: a stop or a pause by the listener's `shutdownTimeout`.
#[derive(Clone)]
pub struct Handle {
    pub(crate) shared: Arc<Shared>,
}

/// What a listener is doing now.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ListenerStatus {
    /// Its id.
    pub id: Arc<str>,
    /// Its queue; empty for a temporary one.
    pub queue: Arc<str>,
    /// Its state.
    pub state: ListenerState,
    /// Live consumers.
    pub consumers: u32,
    /// Handler calls that are running.
    pub busy: u32,
    /// How many invokers the container keeps, within the bounds.
    pub invokers: u32,
    /// The bounds: how few and how many invokers.
    pub bounds: (u32, u32),
    /// Its redelivery policy.
    pub policy: Arc<RedeliveryPolicy>,
    /// Deliveries handled or being handled since the application started.
    pub received: u64,
}

/// Why an order was not carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HandleError {
    /// There is no such listener.
    #[error("there is no listener `{id}`{}", hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default())]
    UnknownListener {
        /// The id that was given.
        id: String,
        /// The nearest id there is.
        hint: Option<String>,
    },
    /// The listener is stopped or failed: it must be started first.
    #[error("listener `{id}` is not running: start it first")]
    NotRunning {
        /// The listener.
        id: String,
    },
    /// The listener's queue is exclusive or temporary: it has one consumer.
    #[error("listener `{id}` has its queue for itself: its concurrency is 1")]
    OneConsumer {
        /// The listener.
        id: String,
    },
    /// A rule of the policy names a predicate that was not registered.
    #[error(
        "the policy `{policy}` cannot be given to listener `{id}`: there is no predicate `{predicate}`{}",
        hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default()
    )]
    UnknownPredicate {
        /// The listener.
        id: String,
        /// The policy.
        policy: String,
        /// The predicate.
        predicate: String,
        /// The nearest one there is.
        hint: Option<String>,
    },
    /// The listener's queue keeps the waits (`redeliveryMode = "native"`), and was declared with others.
    #[error(
        "the policy `{policy}` cannot be given to listener `{id}`, whose queue keeps the waits: {reason}"
    )]
    NativeWaits {
        /// The listener.
        id: String,
        /// The policy.
        policy: String,
        /// In which way they are others.
        reason: String,
    },
    /// The broker refuses in a way that waiting cannot mend.
    #[error("listener `{id}` cannot start")]
    Transport {
        /// The listener.
        id: String,
        /// What the broker said.
        source: Box<TransportError>,
    },
}

impl Handle {
    /// All listeners, by id.
    pub fn listeners(&self) -> Vec<ListenerStatus> {
        self.shared.remotes().into_iter().map(|(id, remote)| status(id, &remote)).collect()
    }

    /// What the listener `id` is doing; `None` if there is no such listener.
    pub fn listener(&self, id: &str) -> Option<ListenerStatus> {
        self.shared.remote(id).map(|remote| status(id.into(), &remote))
    }

    /// The state of the listener `id`; `None` if there is no such listener.
    pub fn state(&self, id: &str) -> Option<ListenerState> {
        self.shared.remote(id).map(|remote| remote.state.state())
    }

    /// Resolves when the state of the listener `id` is one that `wanted` accepts; at once if there is no such listener.
    pub async fn wait_for_state(&self, id: &str, wanted: impl FnMut(&ListenerState) -> bool) {
        // The state alone: who waits must not keep the container alive.
        let state = self.shared.remote(id).map(|remote| remote.state);
        if let Some(state) = state {
            state.wait_for(wanted).await;
        }
    }

    /// What happens to all listeners from now on.
    pub fn events(&self) -> Events {
        self.shared.events.subscribe()
    }

    /// Publishes outside of any call.
    pub fn publisher(&self) -> Publisher {
        self.shared.publisher.clone()
    }

    /// Stops consuming until [`resume`](Self::resume): running calls end, what is buffered or held goes back to its
    /// queue. Resolves when that is done.
    ///
    /// # Errors
    /// [`HandleError::UnknownListener`]; [`HandleError::NotRunning`] for a listener that is stopped or failed.
    pub async fn pause(&self, id: &str) -> Result<StopReport, HandleError> {
        self.ask(id, Command::Pause).await
    }

    /// Consumes again after a [`pause`](Self::pause), with as many invokers as the lower bound says.
    ///
    /// # Errors
    /// [`HandleError::UnknownListener`]; [`HandleError::NotRunning`] for a listener that is stopped or failed.
    pub async fn resume(&self, id: &str) -> Result<(), HandleError> {
        self.remote(id)?;
        self.reconnect().await;
        self.ask(id, Command::Resume).await
    }

    /// Changes the bounds of the number of invokers. Surplus ones handle what they were handed already, and leave.
    ///
    /// # Errors
    /// [`HandleError::UnknownListener`]; [`HandleError::OneConsumer`] for more than one invoker of an exclusive or
    /// temporary queue.
    pub async fn scale(&self, id: &str, concurrency: Concurrency) -> Result<(), HandleError> {
        self.ask(id, |reply| Command::Scale(concurrency, reply)).await
    }

    /// Gives the listener another redelivery policy. It holds for deliveries that are taken up from now on; running
    /// calls are judged by the policy they began with, and waits that have begun are waited out. Kept across a restart
    /// of the listener, not of the process. `redeliveryMode` and `nonBlockingRedelivery` stay as they are.
    ///
    /// # Errors
    /// [`HandleError::UnknownListener`]; [`HandleError::UnknownPredicate`] for a rule with a predicate that was not
    /// registered; [`HandleError::NativeWaits`] for other waits than the queue of a listener with
    /// `redeliveryMode = "native"` keeps.
    pub fn set_policy(&self, id: &str, policy: RedeliveryPolicy) -> Result<(), HandleError> {
        let remote = self.remote(id)?;
        self.check_predicates(id, &policy)?;
        check_waits(id, &policy, remote.delayed_retry)?;
        tracing::info!(
            hearken.listener = id,
            policy = &*policy.name,
            "the listener has another redelivery policy"
        );
        let name = policy.name.to_string();
        remote.policy.send_replace(Arc::new(policy));
        self.shared.events.send(&id.into(), || EventKind::RedeliveryChanged { policy: name });
        Ok(())
    }

    /// Stops one listener in order, and resolves when it has stopped. Awaited in one of the listener's own handlers it
    /// only asks for the stop, since the stop waits for that handler; its report is empty then.
    ///
    /// # Errors
    /// [`HandleError::UnknownListener`].
    pub async fn stop(&self, id: &str) -> Result<StopReport, HandleError> {
        self.ask(id, Command::Stop).await
    }

    /// Starts a listener that is stopped or failed, also one whose `autoStartup` is off. Resolves when it has its
    /// consumers, or at once when there is no connection.
    ///
    /// # Errors
    /// [`HandleError::UnknownListener`]; [`HandleError::Transport`] when the broker refuses in a way that waiting
    /// cannot mend: then the listener is failed.
    pub async fn start(&self, id: &str) -> Result<(), HandleError> {
        let remote = self.remote(id)?;
        self.reconnect().await;
        let (first, started) = oneshot::channel();
        let _ = remote.commands.send(Command::Start(first)).await;
        let started = started.await.unwrap_or(Ok(()));
        started.map_err(|source| HandleError::Transport { id: id.to_owned(), source: Box::new(source) })
    }

    /// Adds a listener to the running application, with the settings that attribute and configuration give it, and
    /// starts it unless its `autoStartup` is off.
    ///
    /// # Errors
    /// [`Error::Problems`] as for a listener of the builder, or when there is one of that id;
    /// [`Error::Transport`] when the broker refuses in a way that waiting cannot mend: then it is not added.
    pub async fn register<L: Listener>(&self) -> Result<(), Error> {
        let descriptor = L::descriptor();
        let Some(foundry) = self.shared.foundry() else {
            return Err(problem(descriptor, "the application does not run"));
        };
        let unmet = unmet(descriptor, &foundry.states);
        if !unmet.is_empty() {
            return Err(unmet.into_iter().collect::<Problems>().into());
        }
        let settings = foundry.configuration.listener(descriptor, &[])?;
        let auto_startup = settings.auto_startup;
        let founded = foundry.found(descriptor, settings);
        let listener = Arc::clone(&founded.listener);
        if !self.shared.add(founded) {
            return Err(problem(descriptor, "there is a listener of that id already"));
        }
        listener.announce();
        if auto_startup && let Err(HandleError::Transport { source, .. }) = self.start(descriptor.id).await {
            self.shared.remove(descriptor.id);
            return Err((*source).into());
        }
        Ok(())
    }

    /// Stops a listener in order and takes it out of the application; its id is free then.
    ///
    /// # Errors
    /// [`HandleError::UnknownListener`].
    pub async fn unregister(&self, id: &str) -> Result<StopReport, HandleError> {
        let (remote, shared, name) = (self.remote(id)?, Arc::clone(&self.shared), id.to_owned());
        let leaving = async move {
            let report = remote.stop().await;
            shared.remove(&name);
            report
        };
        if is_inside(id) {
            // The stop waits for this very call, so it cannot be awaited here.
            tokio::spawn(leaving);
            return Ok(StopReport::default());
        }
        Ok(leaving.await)
    }

    /// Asks the application to stop, as SIGTERM does. Returns at once.
    pub fn shut_down(&self) {
        self.shared.shut_down.send_replace(true);
    }

    /// Lets the connection be tried again if its back-off has given up.
    async fn reconnect(&self) {
        let mut connections = self.shared.connections.clone();
        let given_up = matches!(*connections.borrow_and_update(), Connection::GivenUp(_));
        if given_up {
            self.shared.again.notify_one();
            // Not for a certain one: the next round of attempts may have been given up again already.
            let _ = connections.changed().await;
        }
    }

    async fn ask<T: Default>(
        &self,
        id: &str,
        command: impl FnOnce(oneshot::Sender<Result<T, Refusal>>) -> Command,
    ) -> Result<T, HandleError> {
        let (reply, answer) = oneshot::channel();
        // An application that has ended has stopped its listeners.
        let _ = self.remote(id)?.commands.send(command(reply)).await;
        if is_inside(id) {
            return Ok(T::default());
        }
        match answer.await {
            Ok(Err(Refusal::NotRunning)) => Err(HandleError::NotRunning { id: id.to_owned() }),
            Ok(Err(Refusal::OneConsumer)) => Err(HandleError::OneConsumer { id: id.to_owned() }),
            Ok(Ok(answer)) => Ok(answer),
            Err(_ended) => Ok(T::default()),
        }
    }

    fn check_predicates(&self, id: &str, policy: &RedeliveryPolicy) -> Result<(), HandleError> {
        let Some(foundry) = self.shared.foundry() else { return Ok(()) };
        let known = &foundry.failure_predicates;
        let unknown = policy.rules.iter().find_map(|rule| match &rule.when {
            Condition::Predicate(name) if !known.names().any(|known| known == name) => Some(name),
            _ => None,
        });
        unknown.map_or(Ok(()), |predicate| {
            Err(HandleError::UnknownPredicate {
                id: id.to_owned(),
                policy: policy.name.to_string(),
                predicate: predicate.to_string(),
                hint: did_you_mean(predicate, known.names()),
            })
        })
    }

    fn remote(&self, id: &str) -> Result<Remote, HandleError> {
        self.shared.remote(id).ok_or_else(|| {
            let remotes = self.shared.remotes();
            let hint = did_you_mean(id, remotes.iter().map(|(id, _)| &**id));
            HandleError::UnknownListener { id: id.to_owned(), hint }
        })
    }
}

fn status(id: Arc<str>, remote: &Remote) -> ListenerStatus {
    let bounds = remote.crew.bounds();
    ListenerStatus {
        id,
        queue: Arc::clone(&remote.queue),
        state: remote.state.state(),
        consumers: remote.state.live(),
        busy: remote.crew.busy(),
        invokers: remote.crew.size(),
        bounds: (bounds.minimum, bounds.maximum),
        policy: Arc::clone(&remote.policy.borrow()),
        received: remote.crew.received(),
    }
}

fn problem(descriptor: &'static ListenerDescriptor, message: &str) -> Error {
    let problem = Problem::error(&Spot::Attribute(descriptor), "", message.to_owned());
    std::iter::once(problem).collect::<Problems>().into()
}

/// A queue keeps the waits that it was declared with.
fn check_waits(id: &str, policy: &RedeliveryPolicy, kept: Option<LinearWaits>) -> Result<(), HandleError> {
    let Some(kept) = kept else { return Ok(()) };
    let reason = match policy.linear_waits() {
        Ok(waits) if waits == kept => return Ok(()),
        Ok(_) => format!("its waits are {:?} to {:?}", kept.first, kept.longest),
        Err(reason) => reason,
    };
    Err(HandleError::NativeWaits { id: id.to_owned(), policy: policy.name.to_string(), reason })
}
