//! Why an attempt failed.

use crate::BoxError;
use std::borrow::Cow;
use std::error::Error;
use std::fmt;

/// The kind of a failure: what a redelivery policy can tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureKind {
    /// The handler returned an error, or asked for a redelivery.
    Error,
    /// The handler returned an error and said that trying again cannot help. Goes straight to the dead letter queue.
    Permanent,
    /// The payload or a header could not be read as the type the handler asks for. Goes straight to the dead letter queue.
    Undecodable,
    /// The handler panicked.
    Panic,
    /// The handler did not end within `handlerTimeout`, or within what the broker allows.
    Timeout,
    /// The transaction could not begin or commit.
    Transaction,
    /// The process ended during the call.
    Crash,
}

impl FailureKind {
    const ALL: [Self; 7] = [
        Self::Error,
        Self::Permanent,
        Self::Undecodable,
        Self::Panic,
        Self::Timeout,
        Self::Transaction,
        Self::Crash,
    ];

    /// The name used in headers, configuration and telemetry.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Permanent => "permanent",
            Self::Undecodable => "undecodable",
            Self::Panic => "panic",
            Self::Timeout => "timeout",
            Self::Transaction => "transaction",
            Self::Crash => "crash",
        }
    }

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Whether another attempt could end differently.
    pub const fn is_retryable(self) -> bool {
        !matches!(self, Self::Permanent | Self::Undecodable)
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A failed attempt: kind, optional code, and the error.
///
/// It is no [`std::error::Error`], so that `?` takes every error in a handler that returns `Result<(), Failure>`.
///
/// ```
/// use hearken_core::failure::{Failure, FailureKind};
///
/// fn parse(text: &str) -> Result<u32, Failure> {
///     Ok(text.parse::<u32>()?)
/// }
/// assert_eq!(parse("x").unwrap_err().kind(), FailureKind::Error);
/// assert_eq!(Failure::permanent("closed account").code("closed").code_name(), Some("closed"));
/// ```
#[derive(Debug)]
pub struct Failure {
    kind: FailureKind,
    code: Option<Cow<'static, str>>,
    error: BoxError,
}

impl Failure {
    /// A failure of this kind.
    pub fn new(kind: FailureKind, error: impl Into<BoxError>) -> Self {
        Self { kind, code: None, error: error.into() }
    }

    /// A failure that trying again cannot mend: goes straight to the dead letter queue.
    pub fn permanent(error: impl Into<BoxError>) -> Self {
        Self { kind: FailureKind::Permanent, ..Self::from(error.into()) }
    }

    /// This failure with a code: a short, stable word for rules, headers and telemetry.
    #[must_use]
    pub fn code(mut self, code: impl Into<Cow<'static, str>>) -> Self {
        self.code = Some(code.into());
        self
    }

    /// The kind.
    pub fn kind(&self) -> FailureKind {
        self.kind
    }

    /// The code, where one was given.
    pub fn code_name(&self) -> Option<&str> {
        self.code.as_deref()
    }

    /// The error itself.
    pub fn error(&self) -> &(dyn Error + Send + Sync + 'static) {
        &*self.error
    }

    /// The error and its causes, each told once. No backtrace.
    pub fn text(&self) -> String {
        let mut text = self.error.to_string();
        let mut last = text.clone();
        let mut cause = self.error.source();
        while let Some(error) = cause {
            let next = error.to_string();
            if next != last {
                text.push_str(": ");
                text.push_str(&next);
            }
            last = next;
            cause = error.source();
        }
        text
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.text())
    }
}

impl<E: Into<BoxError>> From<E> for Failure {
    fn from(error: E) -> Self {
        let error = error.into();
        let mut failure = Self { kind: FailureKind::Error, code: None, error };
        let mut cause: Option<&(dyn Error + 'static)> = Some(&*failure.error);
        while let Some(error) = cause {
            if let Some(mark) = error.downcast_ref::<Mark>() {
                if mark.permanent {
                    failure.kind = FailureKind::Permanent;
                }
                failure.code = failure.code.or_else(|| mark.code.clone());
            }
            cause = error.source();
        }
        failure
    }
}

/// An error that says more about itself; made by [`FailureExt`].
///
/// The mark lies one level down, as a cause: error types that hide the outermost type (`anyhow`, a box) keep causes.
#[derive(Debug)]
pub struct Marked(Mark);

#[derive(Debug)]
struct Mark {
    permanent: bool,
    code: Option<Cow<'static, str>>,
    error: BoxError,
}

impl fmt::Display for Marked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.error.fmt(f)
    }
}

impl Error for Marked {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl Error for Mark {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.error)
    }
}

/// Says more about the error of a `Result`, whatever its type. Survives `?` into `BoxError`, `anyhow` and [`Failure`].
pub trait FailureExt<T> {
    /// Trying again cannot help: straight to the dead letter queue.
    ///
    /// # Errors
    /// The error, marked.
    fn permanent(self) -> Result<T, Marked>;

    /// Names the kind of failure by a short, stable word.
    ///
    /// # Errors
    /// The error, marked.
    fn code(self, code: impl Into<Cow<'static, str>>) -> Result<T, Marked>;
}

impl<T, E: Into<BoxError>> FailureExt<T> for Result<T, E> {
    fn permanent(self) -> Result<T, Marked> {
        self.map_err(|error| Marked(Mark { permanent: true, code: None, error: error.into() }))
    }

    fn code(self, code: impl Into<Cow<'static, str>>) -> Result<T, Marked> {
        self.map_err(|error| Marked(Mark { permanent: false, code: Some(code.into()), error: error.into() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_survive_a_box_and_each_other() {
        let marked: Result<(), _> = Err("no such account").code("closed").permanent();
        let boxed: BoxError = marked.unwrap_err().into();
        let failure = Failure::from(boxed);
        assert_eq!(failure.kind(), FailureKind::Permanent);
        assert_eq!(failure.code_name(), Some("closed"));
        assert_eq!(failure.text(), "no such account");
    }

    #[test]
    fn the_text_tells_each_cause_once() {
        #[derive(Debug, thiserror::Error)]
        #[error("cannot book")]
        struct Booking(#[source] std::num::ParseIntError);
        let error = Booking("x".parse::<u8>().unwrap_err());
        assert_eq!(Failure::from(error).text(), "cannot book: invalid digit found in string");
    }
}
