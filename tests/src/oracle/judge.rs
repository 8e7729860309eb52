//! Who is judged: anything that says how two recorded moments stand.

use super::case::{Case, Moment, View};
use std::fmt;

/// What a judge says about two moments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The first comes first.
    Before,
    /// The second comes first.
    After,
    /// The same execution of the same point.
    Equal,
    /// In branches that exclude each other.
    Incomparable,
    /// It cannot be told.
    Unknown(Unknown),
}

/// Why a judge cannot tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Words that are the same for all reasons of one kind, to count them by.
    pub kind: String,
    /// The reason of this pair, as a sentence.
    pub sentence: String,
}

impl Unknown {
    /// A reason that is the same wherever it comes up.
    #[must_use]
    pub fn plain(sentence: &str) -> Self {
        Self {
            kind: sentence.to_owned(),
            sentence: sentence.to_owned(),
        }
    }
}

impl Verdict {
    /// What the judge must say when asked the other way round.
    #[must_use]
    pub fn reversed(&self) -> Self {
        match self {
            Verdict::Before => Verdict::After,
            Verdict::After => Verdict::Before,
            other => other.clone(),
        }
    }

    /// Whether it says anything.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        !matches!(self, Verdict::Unknown(_))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Before => f.write_str("before"),
            Verdict::After => f.write_str("after"),
            Verdict::Equal => f.write_str("equal"),
            Verdict::Incomparable => f.write_str("incomparable"),
            Verdict::Unknown(unknown) => write!(f, "unknown ({})", unknown.sentence),
        }
    }
}

/// Moments and pairs of them, as indices into `moments`, under one view.
#[derive(Clone, Debug)]
pub struct Question {
    /// How much the judge sees of each moment.
    pub view: View,
    /// The moments.
    pub moments: Vec<Moment>,
    /// The pairs.
    pub pairs: Vec<(usize, usize)>,
}

/// Says how recorded moments stand. It may read of a case only the clean text and the records of the moments.
pub trait Judge: Sync {
    /// Verdicts for the pairs of every question, in order.
    ///
    /// # Errors
    /// When there is no verdict at all, for a reason that is not the program's.
    fn judge(&self, case: &Case, questions: &[Question]) -> Result<Vec<Vec<Verdict>>, String>;

    /// Where the proofs of its own `verdicts` do not hold: question, pair, and what is wrong. Most judges have no proofs.
    ///
    /// # Errors
    /// When they cannot be checked at all.
    fn flaws(
        &self,
        _case: &Case,
        _questions: &[Question],
        _verdicts: &[Vec<Verdict>],
    ) -> Result<Vec<(usize, usize, String)>, String> {
        Ok(Vec::new())
    }
}

mod command;
mod lines;
mod paper;
mod truthful;

pub use command::{Command, Directory};
pub use lines::LineNumbers;
pub use paper::{MissingVariable, Paper};
pub use truthful::{Fault, Truthful};
