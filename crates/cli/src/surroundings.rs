use std::io::{self, Write};
use std::path::Path;

use hearken::Builder;
use hearken_container::config::{
    ConfigFile, Configuration, Environment, KeyTable, Loaded, Overrides, Problem, Problems, Sources,
};
use hearken_core::listener::ListenerDescriptor;

/// What commands know beside their arguments.
#[derive(Clone)]
#[non_exhaustive]
pub struct Surroundings<'a> {
    /// The environment.
    pub environment: &'a Environment,
    /// The configuration keys there are.
    pub keys: &'a KeyTable,
    /// The listeners of the binary; `None` when it has none of its own.
    pub listeners: Option<&'a [&'static ListenerDescriptor]>,
    /// The service this binary is; `None` for the `hearken` command alone.
    service: Option<&'a Builder>,
}

impl<'a> Surroundings<'a> {
    /// Those of a binary without listeners.
    pub fn new(environment: &'a Environment, keys: &'a KeyTable) -> Self {
        Self { environment, keys, listeners: None, service: None }
    }

    /// Those of a service: its listeners, states, transaction managers and settings are known.
    pub(crate) fn of_service(service: &'a Builder, environment: &'a Environment, keys: &'a KeyTable) -> Self {
        Self { service: Some(service), ..Self::new(environment, keys) }
    }

    /// Whether what listeners say could be checked.
    pub(crate) fn knows_listeners(&self) -> bool {
        self.service.is_some() || self.listeners.is_some()
    }

    pub(crate) fn load(&self, file: Option<&Path>) -> Result<Loaded, Problems> {
        if let Some(service) = self.service {
            return service.examine(file);
        }
        let mut sources = Sources::new(self.environment, self.keys);
        sources.file = file.map_or_else(ConfigFile::default, |file| ConfigFile::Named(file.to_owned()));
        Configuration::load(&sources, self.listeners, &Overrides::new())
    }
}

/// One problem, or warning, after the other, and how many there were.
pub(crate) fn tell<'a>(
    problems: impl IntoIterator<Item = &'a Problem>,
    err: &mut dyn Write,
) -> io::Result<()> {
    for problem in problems {
        writeln!(err, "{problem}")?;
    }
    Ok(())
}
