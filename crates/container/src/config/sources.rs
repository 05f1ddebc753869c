use std::path::PathBuf;

use super::environment::Environment;
use super::table::KeyTable;

/// Which file is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigFile {
    /// None, and no profile's file.
    None,
    /// This one; it must exist.
    Named(PathBuf),
    /// `$HEARKEN_CONFIG`, otherwise this one; what is named must exist. Otherwise `hearken.toml`, if there is one.
    Search(Option<PathBuf>),
    /// This text, called `inline`, in the place of a file; no profile's file.
    Text(String),
}

impl Default for ConfigFile {
    fn default() -> Self {
        Self::Search(None)
    }
}

/// What a configuration is read from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sources<'a> {
    /// The file.
    pub file: ConfigFile,
    /// The profile; `None` for `$HEARKEN_PROFILE`. Its file must exist.
    pub profile: Option<String>,
    /// Where relative paths of files begin; empty for the working directory.
    pub directory: PathBuf,
    /// The environment.
    pub environment: &'a Environment,
    /// The keys there are.
    pub keys: &'a KeyTable,
    /// The names of the transaction managers; `None` when they are not known.
    pub transaction_managers: Option<&'a [&'a str]>,
    /// The names of the error handlers; `None` when they are not known.
    pub error_handlers: Option<&'a [&'a str]>,
    /// The names of the exception listeners; `None` when they are not known.
    pub exception_listeners: Option<&'a [&'a str]>,
    /// The names of the predicates over failures; `None` when they are not known.
    pub failure_predicates: Option<&'a [&'a str]>,
    /// The name of an application that has none: that of the executable.
    pub executable: String,
}

impl<'a> Sources<'a> {
    /// The default file, the environment's profile, and no knowledge of what code registers.
    pub fn new(environment: &'a Environment, keys: &'a KeyTable) -> Self {
        Self {
            file: ConfigFile::default(),
            profile: None,
            directory: PathBuf::new(),
            environment,
            keys,
            transaction_managers: None,
            error_handlers: None,
            exception_listeners: None,
            failure_predicates: None,
            executable: executable(),
        }
    }
}

/// The file name of this process's executable.
pub(crate) fn executable() -> String {
    let path = std::env::current_exe().ok();
    let name =
        path.as_deref().and_then(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned());
    let name = name.map(|name| name.strip_suffix(".exe").map(str::to_owned).unwrap_or(name));
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| "hearken".to_owned())
}
