//! What became of each listed variable, and what stood in the way.

use crate::expression::Inexpressible;
use crate::types::TypeRefusal;
use progress_map::FunctionId;
use std::collections::BTreeSet;
use std::fmt;

/// What is known about one listed variable after binding.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) function: FunctionId,
    pub(crate) name: String,
    /// Some instance has a location somewhere.
    pub(crate) readable: bool,
    /// What stood in the way, if anything did.
    pub(crate) trouble: BTreeSet<Trouble>,
}

/// Why a listed variable, or a part of its locations, is left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trouble {
    /// No variable of that name, or none on that line.
    NotFound,
    /// Several variables fit.
    Ambiguous,
    /// It is defined in a shared library, or nowhere.
    NoDefinition,
    /// A library exports it, so the program may use another in its place.
    Exported,
    /// Where the first element of its range lies is not known.
    Row,
    /// Its type does not allow it.
    Type(TypeRefusal),
    /// Some of its locations cannot be used.
    Location(Inexpressible),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => f.write_str("debug info has no such variable in this function"),
            Self::Ambiguous => f.write_str("several variables in the debug info fit"),
            Self::NoDefinition => f.write_str("debug info has no definition of it in this executable"),
            Self::Exported => {
                f.write_str("the library exports it, so it may live in the program or in another library")
            }
            Self::Row => f.write_str(
                "where the first element of its range lies is known of arrays, vectors, strings and initialiser lists only",
            ),
            Self::Type(refusal) => refusal.fmt(f),
            Self::Location(refusal) => refusal.fmt(f),
        }
    }
}
