//! Puts an application together.

use crate::application::Application;
use crate::config::{
    ApplicationConfig, ConfigFile, Environment, KeyTable, Loaded, Overrides, Problems, Row, TransportConfig,
    Value,
};
use crate::error::Error;
use crate::hooks::{
    ErrorHandler, ExceptionListener, FailedDelivery, FailurePredicate, InfrastructureFailure,
};
use crate::observer::Observer;
use hearken_core::call::States;
use hearken_core::failure::Failure;
use hearken_core::listener::{Listener, ListenerDescriptor, registered};
use hearken_core::redelivery::RedeliveryPolicy;
use hearken_core::transaction::{SessionTransactions, TransactionManager};
use hearken_core::transport::{Transport, TransportError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The manager of every listener that names no other.
const SESSION: &str = "session";

/// Makes a transport of its configuration. Opens nothing.
pub type MakeTransport =
    fn(&ApplicationConfig, &TransportConfig) -> Result<Arc<dyn Transport>, TransportError>;

/// A transport that an application can be configured to use.
#[derive(Debug)]
pub struct Adapter {
    /// The schemes of the addresses it takes.
    pub schemes: &'static [&'static str],
    /// The configuration keys it reads.
    pub rows: &'static [Row],
    /// Makes it.
    pub make: MakeTransport,
}

/// Puts an application together: listeners, state, transaction managers, configuration.
///
/// A fresh builder takes nothing from its surroundings: no file, no environment, no registered listener.
#[must_use]
pub struct Builder {
    pub(crate) adapters: &'static [Adapter],
    pub(crate) listeners: Vec<&'static ListenerDescriptor>,
    pub(crate) registered: bool,
    pub(crate) file: ConfigFile,
    pub(crate) environment: Environment,
    pub(crate) overrides: Overrides,
    pub(crate) states: States,
    pub(crate) transactions: BTreeMap<String, Arc<dyn TransactionManager>>,
    pub(crate) error_handlers: BTreeMap<String, ErrorHandler>,
    pub(crate) exception_listeners: BTreeMap<String, ExceptionListener>,
    pub(crate) failure_predicates: BTreeMap<String, FailurePredicate>,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) transport: Option<Arc<dyn Transport>>,
}

impl Builder {
    /// A builder for applications that can use these transports.
    pub fn new(adapters: &'static [Adapter]) -> Self {
        Self {
            adapters,
            listeners: Vec::new(),
            registered: false,
            file: ConfigFile::None,
            environment: Environment::default(),
            overrides: Overrides::new(),
            states: States::default(),
            transactions: BTreeMap::from([(
                SESSION.to_owned(),
                Arc::new(SessionTransactions) as Arc<dyn TransactionManager>,
            )]),
            error_handlers: BTreeMap::new(),
            exception_listeners: BTreeMap::new(),
            failure_predicates: BTreeMap::new(),
            observer: None,
            transport: None,
        }
    }

    /// Adds the listener named like its function: `listen::<orders::on_order>()`.
    pub fn listen<L: Listener>(mut self) -> Self {
        self.listeners.push(L::descriptor());
        self
    }

    /// Adds every `#[listener]` linked into this binary.
    pub fn registered(mut self) -> Self {
        self.registered = true;
        self.listeners.extend(registered());
        self
    }

    /// Reads `$HEARKEN_CONFIG`, otherwise `hearken.toml` if there is one, its profile file, and the environment.
    pub fn configured(mut self) -> Self {
        self.file = ConfigFile::Search(None);
        self.environment = Environment::of_process();
        self
    }

    /// The same with `file` in the place of `hearken.toml`; here it must exist.
    pub fn configured_or(mut self, file: impl Into<PathBuf>) -> Self {
        self.file = ConfigFile::Search(Some(file.into()));
        self.environment = Environment::of_process();
        self
    }

    /// Reads this file, its profile file, and the environment.
    pub fn config_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.file = ConfigFile::Named(file.into());
        self.environment = Environment::of_process();
        self
    }

    /// Reads this text in the place of a file, and nothing else: no profile, no environment. A mistake in it is told by
    /// its line in `inline`.
    pub fn config_text(mut self, toml: impl Into<String>) -> Self {
        self.file = ConfigFile::Text(toml.into());
        self.without_environment()
    }

    /// Reads no environment variables and no profile's file, whatever was asked for before.
    pub fn without_environment(mut self) -> Self {
        self.environment = Environment::default();
        self
    }

    /// Sets one key by its path, above every other source: `set("listeners.on_order.prefetch", 10)`. A text may spell a
    /// value of any type, as in an environment variable.
    pub fn set(mut self, path: impl Into<String>, value: impl Into<Value>) -> Self {
        self.overrides.set(path, value);
        self
    }

    /// Adds a redelivery policy, in the place of a configured one of the same name.
    pub fn policy(mut self, policy: RedeliveryPolicy) -> Self {
        self.overrides.policy(policy);
        self
    }

    /// Shares a value with handlers, which take it by `State<T>`. One value per type; the last one wins.
    pub fn state<T: Clone + Send + Sync + 'static>(mut self, value: T) -> Self {
        self.states.insert(value);
        self
    }

    /// Registers a transaction manager under the name that `transactionManager` chooses it by. One called `session`
    /// takes the place of the built-in one; `none` stands for no manager.
    pub fn transaction_manager(mut self, name: impl Into<String>, manager: impl TransactionManager) -> Self {
        self.transactions.insert(name.into(), Arc::new(manager));
        self
    }

    /// Registers a hook under the name that `errorHandler` chooses it by. It hears of each failed delivery after its
    /// settlement was decided, and cannot change that; its panic breaks nothing. It runs in the invoker, which waits for
    /// it: what takes long belongs into a task of its own.
    pub fn error_handler(
        mut self,
        name: impl Into<String>,
        hook: impl Fn(&FailedDelivery<'_>) + Send + Sync + 'static,
    ) -> Self {
        self.error_handlers.insert(name.into(), Arc::new(hook));
        self
    }

    /// Registers a hook under the name that `exceptionListener` chooses it by. It hears of each failure of the
    /// infrastructure: the connection, a consumer, a copy that the broker did not take. Its panic breaks nothing; what
    /// takes long belongs into a task of its own.
    pub fn exception_listener(
        mut self,
        name: impl Into<String>,
        hook: impl Fn(&InfrastructureFailure<'_>) + Send + Sync + 'static,
    ) -> Self {
        self.exception_listeners.insert(name.into(), Arc::new(hook));
        self
    }

    /// Registers a predicate under the name that rules of redelivery policies choose it by. It is asked about a failed
    /// call in the invoker, which waits for it, and once for each rule that names it; one that panics accepts nothing.
    pub fn failure_predicate(
        mut self,
        name: impl Into<String>,
        predicate: impl Fn(&Failure) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.failure_predicates.insert(name.into(), Arc::new(predicate));
        self
    }

    #[doc(hidden)]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Uses this transport, whatever the configured address says.
    pub fn transport(mut self, transport: Arc<dyn Transport>) -> Self {
        self.transport = Some(transport);
        self
    }

    /// Checks everything and builds the application. Opens nothing.
    ///
    /// # Errors
    /// [`Error::Problems`] with all that is wrong: configuration, no listener, two listeners of one id, a crate named by
    /// `link!` without a listener, a configured listener that is not linked, unknown policies and transaction managers,
    /// missing state. [`Error::Transport`] when the transport's settings contradict each other.
    pub fn build(self) -> Result<Application, Error> {
        crate::preflight::check(self)
    }

    /// The listeners added so far.
    pub fn descriptors(&self) -> &[&'static ListenerDescriptor] {
        &self.listeners
    }

    /// Checks everything without building anything, with this file in the place of the builder's, if given.
    ///
    /// # Errors
    /// All that [`build`](Self::build) would report.
    pub fn examine(&self, file: Option<&Path>) -> Result<Loaded, Problems> {
        let file = file.map_or_else(|| self.file.clone(), |file| ConfigFile::Named(file.to_owned()));
        crate::preflight::examine(self, file)
    }

    /// The configuration keys that applications of these transports know.
    pub fn keys(&self) -> KeyTable {
        let rows: Vec<_> = self.adapters.iter().map(|adapter| adapter.rows).collect();
        if rows.is_empty() { KeyTable::standard() } else { KeyTable::with_adapters(&rows) }
    }
}
