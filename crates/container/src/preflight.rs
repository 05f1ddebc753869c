//! Everything that can be wrong before anything is opened, reported together.

use crate::application::Application;
use crate::blocking::BlockingThreads;
use crate::builder::{Adapter, Builder};
use crate::clock::Clock;
use crate::config::{
    ConfigFile, Configuration, ListenerSettings, Loaded, Problem, Problems, RedeliveryMode, Sources, Spot,
};
use crate::error::Error;
use crate::listener::ListenerRuntime;
use crate::publisher::LinkPublisher;
use crate::state::StateCell;
use hearken_core::listener::{ListenerDescriptor, Requirements, linked};
use hearken_core::session::{Publish, Publisher};
use hearken_core::transaction::TransactionManager;
use hearken_core::transport::{Subscription, Transport, TransportError, TransportErrorKind};
use std::collections::BTreeMap;
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
        let mut needs = Requirements::default();
        (listener.requirements)(&mut needs);
        for missing in needs.states().iter().filter(|state| !builder.states.contains(state.id)) {
            let message = format!("takes State<{0}>, and no value of that type was given", missing.name);
            let help = format!("give it: Hearken::builder().state::<{}>(…)", missing.name);
            problems.push(Problem::error(&Spot::Attribute(listener), "", message).help(help));
        }
    }
    problems
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
    let (epochs, current) = watch::channel(None);
    let patience = configuration.transport().publish_timeout;
    let publisher: Arc<dyn Publish> = Arc::new(LinkPublisher { epochs: current, patience });
    let states = Arc::new(builder.states);
    let threads = BlockingThreads::default();
    let clock = Clock::start();
    let host: Arc<str> =
        hostname::get().map_or_else(|_| "unknown".into(), |name| name.to_string_lossy().into());
    let listeners = builder.listeners.iter().filter_map(|descriptor| {
        let settings = configuration.listeners().get(descriptor.id)?.clone();
        let id: Arc<str> = descriptor.id.into();
        Some(Arc::new(ListenerRuntime {
            state: StateCell::new(Arc::clone(&id)),
            id,
            handler: descriptor.handler,
            subscription: subscription(&settings, &configuration),
            transactions: manager(&builder.transactions, &settings.transaction_manager),
            settings,
            states: Arc::clone(&states),
            publisher: Arc::clone(&publisher),
            threads: threads.clone(),
            clock,
            host: Arc::clone(&host),
            system: transport.system(),
        }))
    });
    let listeners = listeners.collect();
    Application { configuration, transport, listeners, epochs, publisher: Publisher::new(publisher) }
}

fn manager(
    managers: &BTreeMap<String, Arc<dyn TransactionManager>>,
    name: &str,
) -> Option<Arc<dyn TransactionManager>> {
    managers.get(name).cloned()
}

fn subscription(settings: &ListenerSettings, configuration: &Configuration) -> Subscription {
    let mut subscription = Subscription::new(&*settings.id, &*settings.queue);
    subscription.queue_type = settings.queue_type;
    subscription.binding = settings.binding.clone();
    subscription.dead_letter_queue = settings.dead_letter.queue().map(str::to_owned);
    // A queue is declared by one owner only: its listener knows its type and where its own dead letters go.
    let owned =
        configuration.listeners().values().any(|other| Some(&*other.queue) == settings.dead_letter.queue());
    subscription.dead_letter_queue_type = (!owned).then_some(configuration.transport().queue_type);
    subscription.prefetch = settings.prefetch;
    subscription
}
