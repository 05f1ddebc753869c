use std::collections::BTreeMap;
use std::fmt;

/// The environment variables that concern hearken: those whose names begin with `HEARKEN_`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<String, String>);

/// Names only: values may be secrets.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Environment").field(&self.0.keys()).finish()
    }
}

/// What all names begin with.
pub(crate) const PREFIX: &str = "HEARKEN_";
const CONFIG: &str = "HEARKEN_CONFIG";
const PROFILE: &str = "HEARKEN_PROFILE";
const LOG: &str = "HEARKEN_LOG";

/// Variables that are no keys.
pub(crate) const RESERVED: [&str; 3] = [CONFIG, PROFILE, LOG];

impl Environment {
    /// That of this process.
    pub fn of_process() -> Self {
        // A value that is not Unicode is reported where its key is read.
        let lossy = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        std::env::vars_os().map(|(name, value)| (lossy(name), lossy(value))).collect()
    }

    /// `HEARKEN_CONFIG`, unless empty.
    pub fn config(&self) -> Option<&str> {
        self.get(CONFIG)
    }

    /// `HEARKEN_PROFILE`, unless empty.
    pub fn profile(&self) -> Option<&str> {
        self.get(PROFILE)
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The variables that name keys, or should.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .filter(|(name, _)| !RESERVED.contains(&name.as_str()) && !is_foreign(name))
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// Kubernetes gives every container the addresses of its services: one that is called `hearken` looks like ours.
fn is_foreign(name: &str) -> bool {
    let rest = name.strip_prefix(PREFIX).unwrap_or(name);
    rest.starts_with("TEST_")
        || rest == "PORT"
        || rest.starts_with("PORT_")
        || rest == "SERVICE_HOST"
        || rest == "SERVICE_PORT"
        || rest.starts_with("SERVICE_PORT_")
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self(variables.filter(|(name, _)| name.starts_with(PREFIX)).collect())
    }
}
