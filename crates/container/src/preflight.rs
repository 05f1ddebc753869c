//! Everything that can be wrong before anything is opened, reported together.

use crate::application::Application;
use crate::blocking::BlockingThreads;
use crate::builder::{Adapter, Builder};
use crate::clock::Clock;
use crate::config::{ConfigFile, Configuration, Loaded, Problem, Problems, RedeliveryMode, Sources, Spot};
use crate::epoch::Connection;
use crate::error::Error;
use crate::event::EventSender;
use crate::foundry::Foundry;
use crate::handle::Handle;
use crate::hooks::FailurePredicates;
use crate::publisher::LinkPublisher;
use crate::shared::Shared;
use hearken_core::call::States;
use hearken_core::listener::{ListenerDescriptor, Requirements, linked};
use hearken_core::session::{Publish, Publisher};
use hearken_core::transport::{Transport, TransportError, TransportErrorKind};
use std::any::TypeId;
use std::sync::Arc;
use tokio::sync::watch;

/// No transaction.
const NONE: &str = "none";

pub(crate) fn check(mut builder: Builder) -> Result<Application, Error> {
    let Loaded { configuration, warnings, .. } = examine(&builder, builder.file.clone())?;
    for warning in warnings {
        tracing::warn!("{warning}");
    }
    let transport = transport(&mut builder, &configuration)?;
    Ok(assemble(builder, configuration, transport))
}

/// Everything that can be told without opening anything.
pub(crate) fn examine(builder: &Builder, file: ConfigFile) -> Result<Loaded, Problems> {
    let mut problems = guards(builder);
    let loaded = match load(builder, file) {
        Ok(loaded) => loaded,
        Err(found) => return Err(found.and(problems)),
    };
    problems.extend(contradictions(builder, &loaded.configuration));
    if problems.is_empty() { Ok(loaded) } else { Err(problems.into_iter().collect()) }
}

/// What is wrong with the listeners themselves.
fn guards(builder: &Builder) -> Vec<Problem> {
    let mut problems = Vec::new();
    if builder.listeners.is_empty() {
        let message = "there is no listener in this application";
        let help = "annotate a function with #[listener(queue = \"…\")]; if it is in a crate that nothing refers to, \
                    add hearken::link!(that_crate); or name it: Hearken::builder().listen::<on_order>()";
        problems.push(Problem::error(&Spot::Builder, "", message).help(help.to_owned()));
    }
    if builder.registered {
        problems.extend(linked().into_iter().filter_map(|link| {
            let registered = builder.listeners.iter().any(|listener| is_in(listener, link.name));
            let message = format!(
                "{}:{}: hearken::link! names the crate `{}`, which registered no listener",
                link.file, link.line, link.name
            );
            (!registered).then(|| Problem::error(&Spot::Builder, "", message))
        }));
    }
    for listener in &builder.listeners {
        if listener.core_version != hearken_core::VERSION {
            let message = format!(
                "was compiled against hearken-core {}, this application against {}",
                listener.core_version,
                hearken_core::VERSION
            );
            problems.push(Problem::error(&Spot::Attribute(listener), "", message));
        }
        problems.extend(unmet(listener, &builder.states));
    }
    problems
}

/// The values that a handler takes and nobody gave.
pub(crate) fn unmet(listener: &'static ListenerDescriptor, states: &States) -> Vec<Problem> {
    let mut needs = Requirements::default();
    (listener.requirements)(&mut needs);
    needs
        .states()
        .iter()
        // The application gives its own handle.
        .filter(|state| !states.contains(state.id) && state.id != TypeId::of::<Handle>())
        .map(|state| {
            let message = format!("takes State<{0}>, and no value of that type was given", state.name);
            let help = format!("give it: Hearken::builder().state::<{}>(…)", state.name);
            Problem::error(&Spot::Attribute(listener), "", message).help(help)
        })
        .collect()
}

fn is_in(listener: &ListenerDescriptor, name: &str) -> bool {
    listener.module_path.split("::").next() == Some(name)
}

fn load(builder: &Builder, file: ConfigFile) -> Result<Loaded, Problems> {
    let keys = builder.keys();
    let mut sources = Sources::new(&builder.environment, &keys);
    sources.file = file;
    let managers: Vec<_> = builder.transactions.keys().map(String::as_str).chain([NONE]).collect();
    sources.transaction_managers = Some(&managers);
    let error_handlers: Vec<_> = builder.error_handlers.keys().map(String::as_str).collect();
    sources.error_handlers = Some(&error_handlers);
    let exception_listeners: Vec<_> = builder.exception_listeners.keys().map(String::as_str).collect();
    sources.exception_listeners = Some(&exception_listeners);
    let predicates: Vec<_> = builder.failure_predicates.keys().map(String::as_str).collect();
    sources.failure_predicates = Some(&predicates);
    Configuration::load(&sources, Some(&builder.listeners), &builder.overrides)
}

/// Settings that are legal one by one.
fn contradictions(builder: &Builder, configuration: &Configuration) -> Vec<Problem> {
    let contradicts = |listener: &&&'static ListenerDescriptor| {
        configuration.listeners().get(listener.id).is_some_and(|settings| {
            settings.redelivery_mode == RedeliveryMode::Broker && !settings.non_blocking
        })
    };
    let found = builder.listeners.iter().filter(contradicts).map(|listener| {
        let message =
            "redeliveryMode = \"broker\" cannot keep the order that nonBlockingRedelivery = false asks for";
        let help =
            "a message that waits at the broker is overtaken: use redeliveryMode = \"client\"".to_owned();
        Problem::error(&Spot::Attribute(listener), "", message).help(help)
    });
    found.collect()
}

fn transport(
    builder: &mut Builder,
    configuration: &Configuration,
) -> Result<Arc<dyn Transport>, TransportError> {
    if let Some(transport) = builder.transport.take() {
        return Ok(transport);
    }
    let settings = configuration.transport();
    let scheme = settings.url.scheme();
    let adapter = builder.adapters.iter().find(|adapter: &&Adapter| adapter.schemes.contains(&scheme));
    let adapter = adapter.ok_or_else(|| {
        let message = format!("no transport of this build takes addresses that begin with `{scheme}:`");
        TransportError::new(TransportErrorKind::InvalidSettings, message)
    })?;
    (adapter.make)(configuration.application(), settings)
}

fn assemble(builder: Builder, configuration: Configuration, transport: Arc<dyn Transport>) -> Application {
    let (connections, current) = watch::channel(Connection::Down);
    let patience = configuration.transport().publish_timeout;
    let publisher: Arc<dyn Publish> = Arc::new(LinkPublisher { connections: current.clone(), patience });
    let events = EventSender::new();
    let shared = Arc::new(Shared::new(current, events.clone(), Publisher::new(Arc::clone(&publisher))));
    let mut states = builder.states;
    states.insert(Handle { shared: Arc::clone(&shared) });
    let host: Arc<str> =
        hostname::get().map_or_else(|_| "unknown".into(), |name| name.to_string_lossy().into());
    let foundry = Foundry {
        configuration,
        transport,
        states: Arc::new(states),
        transactions: builder.transactions,
        error_handlers: builder.error_handlers,
        exception_listeners: builder.exception_listeners,
        failure_predicates: FailurePredicates::new(builder.failure_predicates),
        observer: builder.observer,
        publisher,
        events,
        threads: BlockingThreads::default(),
        clock: Clock::start(),
        host,
    };
    let listeners = builder.listeners.iter().filter_map(|descriptor| {
        let settings = foundry.configuration.listeners().get(descriptor.id)?.clone();
        Some(foundry.found(descriptor, settings))
    });
    let listeners = listeners.collect();
    Application { foundry, listeners, connections, shared }
}
