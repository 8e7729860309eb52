//! "Unknown, because …" as a value: what an analysis could not do, and what the user can do about it.

use crate::Span;
use std::fmt;

/// How much a [`Diagnostic`] takes away from the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The result stands; something is worth knowing.
    Note,
    /// The result is partial.
    Warning,
    /// There is no result for the thing named.
    Error,
}

impl Severity {
    /// All of them. In files each is told by its place here.
    pub const ALL: [Severity; 3] = [Severity::Note, Severity::Warning, Severity::Error];

    /// The word for users and programs.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A message about one place in one input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    /// How much is lost.
    pub severity: Severity,
    /// The file (or pid, or rank) that the message is about, as the user would name it.
    pub subject: String,
    /// Where in it; all zeros when the whole is meant.
    pub span: Span,
    /// What is wrong, and what to do.
    pub message: String,
}

impl Diagnostic {
    /// A warning about `subject` at `span`.
    pub fn warning(subject: impl Into<String>, span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            subject: subject.into(),
            span,
            message: message.into(),
        }
    }

    /// An error about `subject` as a whole.
    pub fn error(subject: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            subject: subject.into(),
            span: Span::default(),
            message: message.into(),
        }
    }
}

impl Diagnostic {
    /// The message with its place, for where the severity is said already.
    pub fn text(&self) -> String {
        if self.span == Span::default() {
            format!("{}: {}", self.subject, self.message)
        } else {
            format!("{}:{}: {}", self.subject, self.span, self.message)
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.severity.word(), self.text())
    }
}
