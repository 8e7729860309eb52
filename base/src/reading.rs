//! How the text of a function was read.

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
    const ALL: [Reading; 3] = [Reading::AsWritten, Reading::Preprocessed, Reading::Exactly];

    /// What a map says of a function that was read so and understood whole.
    pub fn remark(self) -> Option<&'static str> {
        match self {
            Reading::AsWritten => None,
            Reading::Preprocessed => Some("as the preprocessor left it in the build whose command was run"),
            Reading::Exactly => Some("by the exact parser in the build whose command was run"),
        }
    }

    /// The reading that a map's remark tells; as written if it is about something else.
    pub fn of_remark(remark: Option<&str>) -> Self {
        let mut all = Reading::ALL.into_iter();
        all.find(|reading| reading.remark() == remark).unwrap_or_default()
    }
}
