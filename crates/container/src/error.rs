use crate::config::Problems;
use hearken_core::transport::TransportError;
use std::fmt;
use std::io;

/// Why an application could not be built, started or run.
///
/// `Debug` is the readable text: `main` prints it when it returns the error.
#[non_exhaustive]
pub enum Error {
    /// Configuration, listeners or their needs: all problems found, before anything was opened.
    Problems(Problems),
    /// The broker refused in a way that waiting cannot mend.
    Transport(TransportError),
    /// The system refused a signal handler.
    Signal(io::Error),
}

impl Error {
    /// The exit status for a process that ends with this error: 2 for mistakes in configuration, otherwise 1.
    pub fn exit_code(&self) -> u8 {
        if matches!(self, Self::Problems(_)) { 2 } else { 1 }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Problems(problems) => problems.fmt(f),
            Self::Transport(error) => f.write_str(&crate::epoch::chain(error)),
            Self::Signal(error) => write!(f, "cannot listen for signals: {error}"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Problems(problems) => Some(problems),
            Self::Transport(error) => Some(error),
            Self::Signal(error) => Some(error),
        }
    }
}

impl From<Problems> for Error {
    fn from(problems: Problems) -> Self {
        Self::Problems(problems)
    }
}

impl From<TransportError> for Error {
    fn from(error: TransportError) -> Self {
        Self::Transport(error)
    }
}
