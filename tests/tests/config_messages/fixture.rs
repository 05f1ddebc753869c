use std::path::PathBuf;

use expect_test::Expect;
use hearken_container::config::{
    ConfigFile, Configuration, Environment, KeyTable, Loaded, Overrides, Problems, Sources,
};
use hearken_core::listener::{AttributeOption, AttributeValue, Handler, ListenerDescriptor};
use hearken_core::outcome::{IntoOutcome, Outcome};
use hearken_core::redelivery::RedeliveryPolicy;
use tempfile::TempDir;

/// A directory with files, an environment and listeners, all made up.
pub(crate) struct Fixture {
    directory: TempDir,
    environment: Vec<(String, String)>,
    listeners: Option<Vec<&'static ListenerDescriptor>>,
    managers: Option<Vec<&'static str>>,
    hooks: Option<Vec<&'static str>>,
    predicates: Option<Vec<&'static str>>,
    pub(crate) overrides: Overrides,
}

/// The same with one file, `shop.toml`, and without knowledge of listeners.
pub(crate) fn file(text: impl AsRef<[u8]>) -> Fixture {
    Fixture::new().with("shop.toml", text)
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self {
            directory: TempDir::new().unwrap(),
            environment: Vec::new(),
            listeners: None,
            managers: None,
            hooks: None,
            predicates: None,
            overrides: Overrides::new(),
        }
    }

    pub(crate) fn with(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        std::fs::write(self.directory.path().join(name), text).unwrap();
        self
    }

    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn managers(mut self, managers: &[&'static str]) -> Self {
        self.managers = Some(managers.to_vec());
        self
    }

    /// The error handlers, and the exception listeners, that code registers.
    pub(crate) fn hooks(mut self, hooks: &[&'static str]) -> Self {
        self.hooks = Some(hooks.to_vec());
        self
    }

    /// The predicates over failures that code registers.
    pub(crate) fn predicates(mut self, predicates: &[&'static str]) -> Self {
        self.predicates = Some(predicates.to_vec());
        self
    }

    pub(crate) fn policy(mut self, policy: RedeliveryPolicy) -> Self {
        self.overrides.policy(policy);
        self
    }

    pub(crate) fn listener(
        mut self,
        id: &'static str,
        options: &'static [(&'static str, AttributeValue)],
    ) -> Self {
        self.listeners.get_or_insert_default().push(descriptor(id, options));
        self
    }

    pub(crate) fn set(mut self, path: &str, value: &str) -> Self {
        self.overrides.set(path, value);
        self
    }

    pub(crate) fn load(&self) -> Result<Loaded, Problems> {
        let environment: Environment = self.environment.iter().cloned().collect();
        let keys = KeyTable::standard();
        let mut sources = Sources::new(&environment, &keys);
        sources.directory = self.directory.path().to_owned();
        sources.executable = "test".to_owned();
        sources.file = ConfigFile::Search(self.path().exists().then(|| PathBuf::from("shop.toml")));
        sources.transaction_managers = self.managers.as_deref();
        sources.error_handlers = self.hooks.as_deref();
        sources.exception_listeners = self.hooks.as_deref();
        sources.failure_predicates = self.predicates.as_deref();
        Configuration::load(&sources, self.listeners.as_deref(), &self.overrides)
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("shop.toml")
    }

    fn relative(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.directory.path().display()), "")
    }

    /// It is refused with this text. No problem takes more than four lines.
    #[track_caller]
    pub(crate) fn refused(&self, text: &Expect) {
        let problems = self.load().unwrap_err();
        for problem in &problems {
            assert!(problem.to_string().lines().count() <= 4, "{problem}");
        }
        text.assert_eq(&self.relative(&problems.to_string()));
    }

    /// It is accepted with these warnings.
    #[track_caller]
    pub(crate) fn warned(&self, text: &Expect) {
        let warnings = self.load().unwrap().warnings;
        let warnings: Vec<_> = warnings.iter().map(ToString::to_string).collect();
        text.assert_eq(&self.relative(&warnings.join("\n")));
    }

    #[track_caller]
    pub(crate) fn accepted(&self) -> Configuration {
        let loaded = self.load().map_err(|problems| problems.to_string()).unwrap();
        assert_eq!(loaded.warnings, []);
        loaded.configuration
    }
}

/// A listener as `#[listener]` would describe it.
pub(crate) fn descriptor(
    id: &'static str,
    options: &'static [(&'static str, AttributeValue)],
) -> &'static ListenerDescriptor {
    let options: Vec<_> = options.iter().map(|&(key, value)| AttributeOption { key, value }).collect();
    Box::leak(Box::new(ListenerDescriptor {
        id,
        function: id,
        module_path: "shop::orders",
        file: "src/orders.rs",
        line: 7,
        column: 1,
        description: "",
        core_version: hearken_core::VERSION,
        options: Vec::leak(options),
        requirements: |_| {},
        handler: Handler::Async(|_| Box::pin(async { done() })),
    }))
}

fn done() -> Outcome {
    ().into_outcome()
}
