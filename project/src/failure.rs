//! Errors that tell the user what to do.

use std::fmt;

/// An error that a user reads: what failed, with its causes on one line, and what can be done about it.
#[derive(Debug)]
pub struct Failure {
    message: String,
    hint: Option<String>,
    noticed: Vec<String>,
}

impl Failure {
    /// An error without advice: the message says it all.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
            noticed: Vec::new(),
        }
    }

    /// Adds what the user can do.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds what was noticed before, which is said where something else takes the place of what failed.
    pub(crate) fn noticing(mut self, warnings: Vec<String>) -> Self {
        self.noticed.extend(warnings);
        self
    }

    /// What was noticed before it failed.
    pub(crate) fn noticed(&self) -> &[String] {
        &self.noticed
    }

    /// What the user can do.
    pub fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
