use std::ops::Range;
use std::sync::Arc;

use hearken_core::listener::ListenerDescriptor;

use super::source::Source;
use super::text::{Excerpt, SourceText};

/// A place as it is kept beside every value: cheap to copy, turned into a [`Source`] when it is told.
#[derive(Clone, Debug)]
pub(crate) enum Spot {
    Text { text: Arc<SourceText>, span: Range<usize> },
    WholeFile(Arc<str>),
    Environment(Arc<str>),
    Attribute(&'static ListenerDescriptor),
    Builder,
    BuiltIn,
}

impl Spot {
    pub(crate) fn source(&self) -> Source {
        match self {
            Self::Text { text, span } => text.source(span),
            Self::WholeFile(path) => Source::WholeFile { path: path.to_string() },
            Self::Environment(variable) => Source::Environment { variable: variable.to_string() },
            Self::Attribute(listener) => Source::Attribute {
                file: listener.file.to_owned(),
                line: listener.line,
                column: listener.column,
                listener: listener.id.to_owned(),
            },
            Self::Builder => Source::Builder,
            Self::BuiltIn => Source::BuiltIn,
        }
    }

    pub(crate) fn excerpt(&self) -> Option<Excerpt> {
        match self {
            Self::Text { text, span } => Some(text.excerpt(span)),
            _ => None,
        }
    }
}
