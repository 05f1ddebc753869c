use std::fmt;

/// Where a value, or a mistake, comes from. Ordered as problems are listed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Source {
    /// A file as a whole.
    WholeFile {
        /// Its path as given.
        path: String,
    },
    /// A place in the file.
    File {
        /// Its path as given.
        path: String,
        /// The line, first = 1.
        line: u32,
        /// The column in characters, first = 1.
        column: u32,
    },
    /// A place in the profile's file.
    Profile {
        /// The profile.
        profile: String,
        /// The file's path.
        path: String,
        /// The line, first = 1.
        line: u32,
        /// The column in characters, first = 1.
        column: u32,
    },
    /// An environment variable.
    Environment {
        /// Its name.
        variable: String,
    },
    /// The attribute of a listener.
    Attribute {
        /// Its source file.
        file: String,
        /// Its line.
        line: u32,
        /// Its column.
        column: u32,
        /// The listener's id.
        listener: String,
    },
    /// The application's code.
    Builder,
    /// The key table's default.
    BuiltIn,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WholeFile { path } => f.write_str(path),
            Self::File { path, line, column } | Self::Profile { path, line, column, .. } => {
                write!(f, "{path}:{line}:{column}")
            }
            Self::Environment { variable } => write!(f, "environment variable {variable}"),
            Self::Attribute { file, line, column, listener } => {
                write!(f, "{file}:{line}:{column} (attribute of {listener})")
            }
            Self::Builder => f.write_str("builder"),
            Self::BuiltIn => f.write_str("built in"),
        }
    }
}
