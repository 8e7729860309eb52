//! How the text of a function was read, and how much of it was understood.

/// Which text of a function was read, and by which parser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// As the source has it.
    #[default]
    AsWritten,
    /// As the preprocessor left it in the build whose command was run.
    Preprocessed,
    /// The same text, by the parser that knows every type.
    Exactly,
}

impl Reading {
    /// All of them. In files each is told by its place here.
    pub const ALL: [Reading; 3] = [Reading::AsWritten, Reading::Preprocessed, Reading::Exactly];

    /// The word for programs.
    pub fn word(self) -> &'static str {
        match self {
            Reading::AsWritten => "as_written",
            Reading::Preprocessed => "preprocessed",
            Reading::Exactly => "exactly",
        }
    }

    /// What the user is told of a function that was read so and understood whole.
    pub fn remark(self) -> Option<&'static str> {
        match self {
            Reading::AsWritten => None,
            Reading::Preprocessed => Some("as the preprocessor left it in the build whose command was run"),
            Reading::Exactly => Some("by the exact parser in the build whose command was run"),
        }
    }
}

/// How well a function's source was understood by the front end that read it.
///
/// Travels into the map and into every verdict that rests on the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// The whole body was parsed without error.
    Clean,
    /// The body parsed after a repair that cannot change its control flow (an attribute macro blanked, say).
    Repaired,
    /// Part of the body was not understood: no order inside the function may be claimed.
    Partial,
}

impl Confidence {
    /// All of them. In files each is told by its place here.
    pub const ALL: [Confidence; 3] = [Confidence::Clean, Confidence::Repaired, Confidence::Partial];

    /// The word for programs.
    pub fn word(self) -> &'static str {
        match self {
            Confidence::Clean => "clean",
            Confidence::Repaired => "repaired",
            Confidence::Partial => "partial",
        }
    }
}
