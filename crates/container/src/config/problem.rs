use std::fmt;

use super::source::Source;
use super::spot::Spot;
use super::text::Excerpt;

/// Whether a problem keeps the application from starting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It does.
    Error,
    /// It does not.
    Warning,
}

/// One thing wrong with a configuration. [`Display`](fmt::Display) takes at most four lines and shows no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    source: Source,
    path: String,
    message: String,
    help: Option<String>,
    severity: Severity,
    excerpt: Option<Excerpt>,
}

impl Problem {
    /// An error at this place, about this path; without an excerpt.
    pub fn new(source: Source, path: impl Into<String>, message: impl Into<String>) -> Self {
        let (path, message) = (path.into(), message.into());
        Self { source, path, message, help: None, severity: Severity::Error, excerpt: None }
    }

    /// With what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<Option<String>>) -> Self {
        self.help = help.into();
        self
    }

    pub(crate) fn error(spot: &Spot, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { excerpt: spot.excerpt(), ..Self::new(spot.source(), path, message) }
    }

    pub(crate) fn warning(spot: &Spot, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(spot, path, message) }
    }

    /// Where it is.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The path of the key or table concerned; empty for a file as a whole.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    pub fn suggestion(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// Whether it keeps the application from starting.
    pub fn severity(&self) -> Severity {
        self.severity
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.source)?;
        if self.severity == Severity::Warning {
            f.write_str("warning: ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        let help = self.help.as_deref().unwrap_or_default();
        match &self.excerpt {
            Some(Excerpt { line, indent, carets }) => {
                let carets = "^".repeat(*carets);
                write!(f, "\n    {line}\n    {indent}{carets}")?;
                if !help.is_empty() {
                    write!(f, " {help}")?;
                }
                Ok(())
            }
            None if help.is_empty() => Ok(()),
            None => write!(f, "\n    {help}"),
        }
    }
}

/// Everything wrong with a configuration that cannot be used, warnings too, in the order of its places.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// Adds more of them.
    #[must_use]
    pub fn and(self, more: impl IntoIterator<Item = Problem>) -> Self {
        self.0.into_iter().chain(more).collect()
    }

    /// The problems; at least one is an error.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

impl FromIterator<Problem> for Problems {
    fn from_iter<I: IntoIterator<Item = Problem>>(problems: I) -> Self {
        let mut problems: Vec<_> = problems.into_iter().collect();
        problems.sort_by(|one, other| one.source.cmp(&other.source));
        Self(problems)
    }
}

impl IntoIterator for Problems {
    type Item = Problem;
    type IntoIter = std::vec::IntoIter<Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

/// Collects what is found on the way.
#[derive(Debug, Default)]
pub(crate) struct Report(Vec<Problem>);

impl Report {
    /// The same thing at the same place is told once: a default concerns every listener.
    pub(crate) fn add(&mut self, problem: Problem) {
        if !self.0.contains(&problem) {
            self.0.push(problem);
        }
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.0.iter().any(|problem| problem.severity == Severity::Error)
    }

    /// The warnings; with an error among them all of it.
    pub(crate) fn finish(self) -> Result<Vec<Problem>, Problems> {
        let failed = self.has_errors();
        let problems = self.into_problems();
        if failed { Err(problems) } else { Ok(problems.0) }
    }

    pub(crate) fn into_problems(self) -> Problems {
        self.0.into_iter().collect()
    }
}
