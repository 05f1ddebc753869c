use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use hearken_core::listener::ListenerDescriptor;
use hearken_core::redelivery::RedeliveryPolicy;

use super::effective::Scope;
use super::environment::Environment;
use super::key::Table;
use super::layer::{KeyPath, Layer, List};
use super::listener::{Reader, no_policy};
use super::names::{self, did_you_mean, dotted};
use super::overrides::{Overrides, Value, known_key};
use super::place::Place;
use super::policies::{self, DEFAULT, Policies};
use super::problem::{Problem, Problems, Report};
use super::registered::Registered;
use super::resolve::Resolver;
use super::settings::{ApplicationConfig, ContainerConfig, ListenerSettings, TransportConfig};
use super::sources::Sources;
use super::spot::Spot;
use super::structure::{self, VALUES};
use super::table::KeyTable;
use super::variables::{self, Known};
use super::{dead_letter, document, inline, loader, map, scaling, transport};

/// A checked configuration: typed settings, and for every value where it is from.
#[derive(Clone)]
pub struct Configuration {
    pub(crate) resolver: Arc<Resolver>,
    registered: Registered,
    /// The listeners it was loaded with.
    pub(crate) linked: Option<Vec<&'static ListenerDescriptor>>,
    application: ApplicationConfig,
    transport: TransportConfig,
    container: ContainerConfig,
    policies: Policies,
    listeners: BTreeMap<String, ListenerSettings>,
}

/// What loading brings.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// The configuration.
    pub configuration: Configuration,
    /// What is legal, but probably not meant.
    pub warnings: Vec<Problem>,
}

/// Without what was read, which holds secrets.
impl fmt::Debug for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Configuration")
            .field("application", &self.application)
            .field("transport", &self.transport)
            .field("container", &self.container)
            .field("policies", &self.policies)
            .field("listeners", &self.listeners)
            .finish_non_exhaustive()
    }
}

impl Configuration {
    /// Reads and checks everything. Opens no socket.
    ///
    /// `listeners` are those linked into the binary; `None` when that is not known, as in the `hearken` command alone:
    /// then what files say of listeners is checked as far as possible.
    ///
    /// # Errors
    /// All that is wrong, in one go.
    pub fn load(
        sources: &Sources<'_>,
        listeners: Option<&[&'static ListenerDescriptor]>,
        overrides: &Overrides,
    ) -> Result<Loaded, Problems> {
        let mut report = Report::default();
        // What a broken or missing file would have said is not known: more would only be guesses.
        let Some(layers) = layers(sources, listeners, overrides, &mut report) else {
            return Err(report.into_problems());
        };
        let merged = super::merge::Merged::new(layers);
        let code = overrides.policies().iter().map(|policy| policy.name.to_string()).collect();
        let resolver = Arc::new(Resolver::new(merged, sources.keys.clone(), code));
        check_values(&resolver, &mut report);

        let registered = Registered::of(sources);
        let mut policies = policies::all(&resolver, overrides.policies(), &registered, &mut report);
        for descriptor in listeners.unwrap_or_default() {
            let scope = Scope { id: descriptor.id, descriptor: Some(descriptor), builder: &[] };
            policies.extend(policies::inline(&resolver, scope, &registered, &mut report));
        }
        let mut configuration = Self {
            registered,
            linked: listeners.map(<[_]>::to_vec),
            application: transport::application(&resolver, &sources.executable),
            transport: transport::transport(&resolver, &mut report),
            container: transport::container(&resolver, &mut report),
            policies,
            listeners: BTreeMap::new(),
            resolver,
        };
        configuration.check_default_policy(&mut report);
        map::check(&configuration.resolver, &configuration.policies, &mut report);
        let container = Place { resolver: &configuration.resolver, scope: None };
        configuration.registered.check(container, &mut report);
        match listeners {
            Some(listeners) => configuration.add_listeners(listeners, &mut report),
            None => configuration.check_tables(&mut report),
        }
        let warnings = report.finish()?;
        Ok(Loaded { configuration, warnings })
    }

    /// The configuration of an application without file and environment: every default.
    pub fn built_in() -> Self {
        let resolver = Resolver::new(super::merge::Merged::default(), KeyTable::standard(), BTreeSet::new());
        let mut unused = Report::default();
        Self {
            registered: Registered::default(),
            linked: Some(Vec::new()),
            application: transport::application(&resolver, &super::sources::executable()),
            transport: transport::transport(&resolver, &mut unused),
            container: transport::container(&resolver, &mut unused),
            policies: policies::all(&resolver, &[], &Registered::default(), &mut unused),
            listeners: BTreeMap::new(),
            resolver: Arc::new(resolver),
        }
    }

    /// `[application]`.
    pub fn application(&self) -> &ApplicationConfig {
        &self.application
    }

    /// `[transport]`.
    pub fn transport(&self) -> &TransportConfig {
        &self.transport
    }

    /// What `[container]` says of the application as a whole.
    pub fn container(&self) -> &ContainerConfig {
        &self.container
    }

    /// All policies by name; `default` is always among them.
    pub fn policies(&self) -> &BTreeMap<String, Arc<RedeliveryPolicy>> {
        &self.policies
    }

    /// The listeners it was loaded with, by id.
    pub fn listeners(&self) -> &BTreeMap<String, ListenerSettings> {
        &self.listeners
    }

    /// The settings of a listener, also of one that is registered later, with the values that its registration gives.
    ///
    /// # Errors
    /// What is wrong with its settings.
    pub fn listener(
        &self,
        descriptor: &'static ListenerDescriptor,
        builder: &[(&str, Value)],
    ) -> Result<ListenerSettings, Problems> {
        let mut report = Report::default();
        let path = [Table::Listener.word().to_owned(), descriptor.id.to_owned()];
        let keys = &self.resolver.keys;
        let builder: Vec<_> = builder
            .iter()
            .filter_map(|(key, value)| {
                let key = known_key(keys, Table::Listener, &path, key, &mut report)?;
                Some((key, value.clone()))
            })
            .collect();
        let scope = Scope { id: descriptor.id, descriptor: Some(descriptor), builder: &builder };
        let mut policies = Cow::Borrowed(&self.policies);
        if let Some((name, policy)) = policies::inline(&self.resolver, scope, &self.registered, &mut report) {
            policies.to_mut().insert(name, policy);
        }
        let settings = self.read(scope, &policies, &mut report);
        report.finish()?;
        settings.ok_or_else(|| {
            let problem = Problem::error(&Spot::Attribute(descriptor), "", "the listener has no queue");
            std::iter::once(problem).collect()
        })
    }

    fn read(&self, scope: Scope<'_>, policies: &Policies, report: &mut Report) -> Option<ListenerSettings> {
        let (resolver, registered) = (&*self.resolver, &self.registered);
        Reader { resolver, policies, registered, scope, report }.settings()
    }

    /// A default that names no policy is wrong also when no listener takes it.
    fn check_default_policy(&self, report: &mut Report) {
        let Some(named) = self.resolver.plain(Table::Container, "redelivery") else {
            return;
        };
        if !self.policies.contains_key(named.text()) {
            let names: Vec<_> = self.policies.keys().map(String::as_str).collect();
            report.add(no_policy(&named.spot, "container.redelivery".to_owned(), named.text(), &names));
        }
    }

    fn add_listeners(&mut self, listeners: &[&'static ListenerDescriptor], report: &mut Report) {
        let mut seen: BTreeMap<&str, &'static ListenerDescriptor> = BTreeMap::new();
        for descriptor in listeners {
            if let Some(first) = seen.insert(descriptor.id, descriptor) {
                let message = format!("two listeners have the id `{}`", descriptor.id);
                let help = format!("the other is at {}", Spot::Attribute(first).source());
                report.add(Problem::error(&Spot::Attribute(descriptor), "", message).help(help));
                continue;
            }
            let scope = Scope { id: descriptor.id, descriptor: Some(descriptor), builder: &[] };
            if let Some(settings) = self.read(scope, &self.policies, report) {
                self.listeners.insert(descriptor.id.to_owned(), settings);
            }
        }
        for (id, spot) in self.resolver.merged.named(Table::Listener.word()) {
            if !seen.contains_key(id) {
                report.add(not_linked(id, spot, seen.keys().copied()));
            }
        }
        let fixed = |settings: &ListenerSettings| !settings.concurrency.is_elastic();
        if !self.listeners.is_empty() && self.listeners.values().all(fixed) {
            scaling::check_defaults(&self.resolver, report);
        }
        let spot = |settings: &ListenerSettings| {
            let scope =
                Scope { id: &settings.id, descriptor: seen.get(settings.id.as_str()).copied(), builder: &[] };
            self.resolver.of_listener(scope, "deadLetter").map_or(Spot::BuiltIn, |value| value.spot)
        };
        dead_letter::cycles(self.listeners.values().map(|settings| (settings, spot(settings))), report);
    }

    /// Listeners are not known: their tables are checked as far as that goes.
    fn check_tables(&self, report: &mut Report) {
        for id in self.resolver.merged.named(Table::Listener.word()).into_keys() {
            self.read(Scope { id, descriptor: None, builder: &[] }, &self.policies, report);
        }
    }
}

fn not_linked<'a>(id: &str, spot: &Spot, ids: impl Iterator<Item = &'a str>) -> Problem {
    let path = dotted(&[Table::Listener.word(), id]);
    let message = format!("`{id}` is configured here, and no listener of this binary has that id");
    let link = "if it is in a crate that nothing refers to, add hearken::link!(that_crate)";
    let help = match did_you_mean(id, ids) {
        Some(near) => format!("{near} Otherwise: {link}"),
        None => link.to_owned(),
    };
    Problem::error(spot, path, message).help(help)
}

/// The layers, lowest first; `None` if a file cannot be read or is no TOML.
fn layers(
    sources: &Sources<'_>,
    listeners: Option<&[&'static ListenerDescriptor]>,
    overrides: &Overrides,
    report: &mut Report,
) -> Option<Vec<Layer>> {
    let files = loader::load(sources, report);
    let unreadable = report.has_errors();
    let read = |file: &loader::Loaded, report: &mut Report| {
        document::read(&file.path, file.profile.as_deref(), &file.bytes, report)
    };
    let documents: Vec<_> = files.iter().map(|file| read(file, report)).collect();
    let documents: Vec<_> = documents.into_iter().collect::<Option<_>>().filter(|_| !unreadable)?;
    let mut layers: Vec<_> =
        documents.iter().map(|document| structure::layer(document, sources.keys, report)).collect();
    let environment = environment_layer(sources, listeners, overrides, &layers, report);
    layers.push(environment);
    layers.push(overrides.layer(sources.keys, report));
    Some(layers)
}

fn environment_layer(
    sources: &Sources<'_>,
    listeners: Option<&[&'static ListenerDescriptor]>,
    overrides: &Overrides,
    layers: &[Layer],
    report: &mut Report,
) -> Layer {
    let named = |word: &'static str| {
        let tables = layers.iter().flat_map(|layer| layer.tables.keys());
        tables.filter(move |path| path.len() == 2 && path[0] == word).map(|path| path[1].as_str())
    };
    let code = overrides.policies().iter().map(|policy| &*policy.name);
    let inline = listeners.unwrap_or_default().iter().filter(|listener| inline::policy(listener).is_some());
    let inline: Vec<_> = inline.map(|listener| inline::name(listener)).collect();
    let known = Known {
        listeners: listeners.map(|listeners| listeners.iter().map(|listener| listener.id).collect()),
        configured: named(Table::Listener.word()).collect(),
        policies: named(Table::Redelivery.word())
            .chain([DEFAULT])
            .chain(code)
            .chain(inline.iter().map(String::as_str))
            .collect(),
        values: layers
            .iter()
            .flat_map(|layer| layer.values.keys())
            .filter(|path| path[0] == VALUES)
            .collect(),
    };
    let environment: &Environment = sources.environment;
    variables::layer(environment, sources.keys, &known, report)
}

/// Every value of every layer, also one that another layer hides.
fn check_values(resolver: &Resolver, report: &mut Report) {
    for layer in resolver.merged.layers() {
        for (path, given) in &layer.values {
            // A placeholder that another layer replaces is not read.
            let counts = resolver.merged.get(path).is_some_and(|winner| std::ptr::eq(winner, given));
            if !counts && given.is_placeholder() {
                continue;
            }
            let Some((table, key)) = path.first().and_then(|word| Table::of_word(word)).zip(path.last())
            else {
                if let Err(fault) = resolver.resolved(given) {
                    report.add(Problem::error(&given.value, dotted(path), fault.message).help(fault.help));
                }
                continue;
            };
            let Some(row) = resolver.keys.row(table, key) else {
                continue;
            };
            if let Err(fault) = resolver.value(row, given) {
                report.add(Problem::error(&given.value, dotted(path), fault.message).help(fault.help));
            }
        }
        for (path, list) in &layer.lists {
            check_list(resolver, path, list, report);
        }
    }
}

fn check_list(resolver: &Resolver, path: &KeyPath, list: &List, report: &mut Report) {
    let counts = resolver.merged.list(path).is_some_and(|winner| std::ptr::eq(winner, list));
    for (index, item) in list.items.iter().enumerate() {
        for (key, given) in item.values.iter().filter(|(_, given)| counts || !given.is_placeholder()) {
            let Some(row) = resolver.keys.row(list.table, key) else {
                continue;
            };
            if let Err(fault) = resolver.value(row, given) {
                let path = format!("{}.{key}", names::item(path, index));
                report.add(Problem::error(&given.value, path, fault.message).help(fault.help));
            }
        }
    }
}
