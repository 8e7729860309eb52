//! Why a text is no condition.

use std::fmt;
use std::ops::Range;

/// Why, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The bytes of the text that are wrong; empty at its end if something is missing there.
    pub at: Range<usize>,
    /// What is wrong with them.
    pub wrong: Wrong,
}

/// What is wrong with a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It is longer than conditions are, by these bytes in all.
    TooLong(usize),
    /// It has more facts than are read.
    TooManyFacts,
    /// Brackets and `not` stand in one another deeper than is read.
    TooDeep,
    /// Something else has to stand here.
    Expected(&'static str),
    /// This is no rank, or no set of ranks.
    Ranks,
    /// This is no number.
    Number,
    /// This is no time.
    Time,
    /// Zero of something: it would always hold, or never.
    Zero,
    /// More ranks are asked for than there are to choose from.
    TooMany {
        /// How many are asked for.
        asked: u64,
        /// Out of how many.
        of: u64,
    },
    /// MPI has no function of this name that is recorded.
    UnknownCall(String),
    /// Nothing stands left of it since when it could be.
    SinceNothing,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong(bytes) => write!(f, "{bytes} bytes are more than a condition may have"),
            Self::TooManyFacts => f.write_str("a condition has no more than 256 facts"),
            Self::TooDeep => f.write_str("brackets and 'not' are too deep in one another"),
            Self::Expected(what) => write!(f, "{what} is expected here"),
            Self::Ranks => f.write_str("this is no rank or set of ranks, as 3 or 0-3,8 (without spaces)"),
            Self::Number => f.write_str("this is no whole number that fits"),
            Self::Time => f.write_str("this is no time, as 500ms, 10s, 5min or 1h (without a space)"),
            Self::Zero => f.write_str("this has to be at least 1"),
            Self::TooMany { asked, of } => write!(f, "{asked} of {of} ranks there can never be"),
            Self::UnknownCall(name) => write!(
                f,
                "MPI has no function {name} that is recorded; 'MPI' stands for any"
            ),
            Self::SinceNothing => f.write_str(
                "'since' has to stand behind an 'and': it counts from when what is left of it holds",
            ),
        }
    }
}

impl Error {
    /// The condition with a mark below the place, and what is wrong there.
    #[must_use]
    pub fn shown(&self, text: &str) -> String {
        // Line breaks would move the mark away from its place.
        let flat: String = text
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let before = text.get(..self.at.start).unwrap_or(text).chars().count();
        let wrong = text.get(self.at.clone()).unwrap_or("").chars().count().max(1);
        format!(
            "{flat}\n{}{} {}",
            " ".repeat(before),
            "^".repeat(wrong),
            self.wrong
        )
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.at.start, self.wrong)
    }
}

impl std::error::Error for Error {}
