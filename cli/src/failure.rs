//! Errors that tell the user what to do.

use std::fmt;

/// An error with a hint.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
}

impl Failure {
    /// An error without advice: the message says it all.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
        }
    }

    /// Adds what the user can do.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// What the user can do.
    pub(crate) fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

/// An error with its causes, on one line, and what the user can do.
pub(crate) fn in_words(error: &anyhow::Error) -> (String, Option<&str>) {
    let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
    let hint = { error.chain() }.find_map(|cause| cause.downcast_ref::<Failure>().and_then(Failure::advice));
    (causes.join(": "), hint)
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
