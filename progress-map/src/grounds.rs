//! Why a variable was accepted as a loop-order variable, and as what.
//!
//! Three things make up the answer: how an iteration moves the variable, where its value comes from as far as that
//! decides whether tasks can be compared by it (SC'09 Def. 4.1 (3)), and what is taken for granted of changes that nobody sees.
//!
//! A new [`ProvenanceKind`] goes to the end of the table below, which has its code and sentence, and of the tables in
//! `docs/map-format.md` and in the readers under `integrations`. It is one more version of the format. `dataflow/src/single_valued.rs`
//! says it, with a snippet in `dataflow/src/tests/same.rs`.

use crate::{Across, Assumption, Interference};
use base::fill;
use std::fmt;

/// Why a variable was accepted, and as what.
#[derive(Clone, Debug, PartialEq)]
pub struct Grounds {
    /// How an iteration moves it.
    pub moves: Moves,
    /// The weakest thing that its sameness on every task rests on; `None` if start and steps are constants.
    pub provenance: Option<Provenance>,
    /// What is taken for granted so that the listed updates are all its changes; `None` if that is proven.
    pub unseen: Option<Interference>,
}

/// How an iteration of a loop moves a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// Every iteration by the same amount.
    SameAmount,
    /// Every cycle of the loop changes it.
    EveryCycle,
    /// Some cycles leave it as it is.
    SomeCycles,
    /// It is a floating-point number, to which a small step may add nothing.
    MayRoundOff,
}

/// Where a value comes from, as far as that decides whether it is the same on every task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// This is a part of it.
    From {
        /// What it is.
        kind: ProvenanceKind,
        /// The variable that it is about; empty if it is about none.
        variable: String,
        /// The function that it is about; empty if it is about none.
        function: String,
        /// The line where it stands; 0 if it has none.
        line: u32,
    },
    /// What was known of it is taken not to have been changed since in this way.
    Kept(Interference),
}

impl Provenance {
    /// One that is about nothing else.
    pub fn of(kind: ProvenanceKind) -> Self {
        Self::about(kind, "", "")
    }

    /// One that stands at a line.
    pub fn at(kind: ProvenanceKind, line: u32) -> Self {
        Self::From {
            kind,
            variable: String::new(),
            function: String::new(),
            line,
        }
    }

    /// One that is about a variable, a function or both; the other is empty.
    pub fn about(kind: ProvenanceKind, variable: &str, function: &str) -> Self {
        Self::From {
            kind,
            variable: variable.to_owned(),
            function: function.to_owned(),
            line: 0,
        }
    }

    /// A word for its kind that stays the same from version to version. It is part of the JSON that users read.
    pub fn code(&self) -> &'static str {
        match self {
            Self::From { kind, .. } => kind.code(),
            Self::Kept(how) => how.code(),
        }
    }
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::From {
                kind,
                variable,
                function,
                line,
            } => fill(
                f,
                kind.sentence(),
                &[
                    ("{variable}", variable),
                    ("{function}", function),
                    ("{line}", line),
                ],
            ),
            Self::Kept(how) => how.fmt(f),
        }
    }
}

impl Moves {
    /// All of them; in files each is told by its place here.
    pub const ALL: &[Moves] = &[
        Moves::SameAmount,
        Moves::EveryCycle,
        Moves::SomeCycles,
        Moves::MayRoundOff,
    ];

    /// A word that stays the same from version to version. It is part of the JSON that users read.
    pub fn code(self) -> &'static str {
        match self {
            Self::SameAmount => "moves-by-same-amount",
            Self::EveryCycle => "moves-on-every-cycle",
            Self::SomeCycles => "moves-on-some-cycles",
            Self::MayRoundOff => "may-round-off",
        }
    }
}

impl fmt::Display for Moves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SameAmount => "every iteration changes it by the same amount",
            Self::EveryCycle => "every cycle changes it",
            Self::SomeCycles => "some cycles leave it as it is",
            Self::MayRoundOff => "a small step may be lost in rounding",
        })
    }
}

impl Grounds {
    /// All as a sentence about a variable whose values on two tasks say `across` about each other, under `assumption`.
    pub fn sentence(&self, across: Across, assumption: Assumption) -> String {
        let compared = match (across, assumption) {
            (Across::SameSequence, Assumption::Proven) => "start and steps are constants",
            (Across::SameSequence, _) => "start and steps are the same on every task",
            (Across::Relative, _) => "counted from its start, which differs by task",
            (Across::Nothing, _) => "its values differ by task",
        };
        let mut text = format!("{}; {compared}", self.moves);
        if let Some(provenance) = &self.provenance {
            text.push_str(": ");
            text.push_str(&provenance.to_string());
        }
        if let Some(unseen) = &self.unseen {
            text.push_str("; ");
            text.push_str(&unseen.to_string());
        }
        text
    }

    /// The codes of its parts, in the order of the sentence.
    pub fn codes(&self) -> Vec<&'static str> {
        let mut codes = vec![self.moves.code()];
        codes.extend(self.provenance.as_ref().map(Provenance::code));
        codes.extend(self.unseen.as_ref().map(Interference::code));
        codes
    }
}

/// What a kind of provenance is about.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// A variable.
    pub variable: bool,
    /// A function.
    pub function: bool,
    /// A line.
    pub line: bool,
}

/// Makes [`ProvenanceKind`] of a table: the variant, its word for programs, and its sentence, in which `{variable}`, `{function}` and
/// `{line}` stand for what a [`Provenance`] has.
macro_rules! kinds {
    ($($kind:ident $code:literal $sentence:literal,)*) => {
        /// What a value comes from; the sentence says what it is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ProvenanceKind {
            $(
                #[doc = $sentence]
                $kind,
            )*
        }

        impl ProvenanceKind {
            /// All of them. In files each is told by its place here, so that new ones go to the end.
            pub const ALL: &[ProvenanceKind] = &[$(ProvenanceKind::$kind,)*];

            /// The word for programs.
            pub fn code(self) -> &'static str {
                match self {
                    $(ProvenanceKind::$kind => $code,)*
                }
            }

            fn sentence(self) -> &'static str {
                match self {
                    $(ProvenanceKind::$kind => $sentence,)*
                }
            }

            /// What one of this kind is about; the rest of a [`Provenance`] is empty.
            pub fn is_about(self) -> About {
                let names = |word| self.sentence().contains(word);
                About {
                    variable: names("{variable}"),
                    function: names("{function}"),
                    line: names("{line}"),
                }
            }
        }
    };
}

kinds! {
    TooMuch "too-much-to-follow" "too much flows into it to follow",
    BuildChoice "build-choice" "what line {line} stands for depends on how its file was built",
    Memory "memory" "it is read from memory at line {line}",
    Address "address" "it is an address at line {line}",
    NotUnderstood "not-understood" "line {line} was not understood",
    UnknownCall "unknown-call" "it is the value of a call that the map cannot follow",
    Computed "computed-by-call" "it is computed by {function}()",
    Returned "returned-by-call" "{function}() gives it",
    ReturnedUnmapped "returned-by-unmapped-function" "{function}() gives it and is not in the map",
    WrittenByCall "written-by-call" "{function}() sets it",
    ThroughPointer "changed-through-pointer" "{variable} may change through a pointer",
    Promised "promised-constant" "{variable} is given to functions that promise not to change it",
    NamedAsRank "named-as-rank" "by its name {variable} is a rank",
    CommandLine "command-line" "it comes from the command line",
    Argument "argument-of-unknown-callers"
        "{variable} is an argument of {function}(), whose callers are not all known",
    Omitted "argument-left-out" "a call of {function}() leaves {variable} out",
    TakenForConstant "taken-for-constant" "{variable} is taken for a constant",
    DefinedElsewhere "defined-elsewhere" "{variable} is defined elsewhere",
    InitialValue "initial-value" "{variable} keeps its initial value",
    Exception "exception" "an exception may leave out an assignment of {variable}",
    Global "global" "{variable} is a global",
    UnknownCallers "unknown-callers" "the callers of {function}() are not all known",
    UnknownStart "unknown-start" "its value on entry to the loop is not known",
    StructureCopied "structure-copied" "its structure is set to another one",
    Element "element-address" "it is the address of an element",
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_kind_has_a_word_and_a_sentence_of_its_own() {
        let words: BTreeSet<&str> = ProvenanceKind::ALL.iter().map(|kind| kind.code()).collect();
        let sentences: BTreeSet<&str> = ProvenanceKind::ALL.iter().map(|kind| kind.sentence()).collect();
        assert_eq!(words.len(), ProvenanceKind::ALL.len());
        assert_eq!(sentences.len(), ProvenanceKind::ALL.len());
    }

    #[test]
    fn a_sentence_has_all_three_parts() {
        let grounds = Grounds {
            moves: Moves::EveryCycle,
            provenance: Some(Provenance::about(ProvenanceKind::Argument, "{line}", "run")),
            unseen: Some(Interference::RangeKept),
        };
        assert_eq!(
            grounds.sentence(Across::Nothing, Assumption::RankDependent),
            "every cycle changes it; its values differ by task: {line} is an argument of run(), whose callers are not all \
             known; the range is taken to keep its elements until the loop is left"
        );
        assert_eq!(
            grounds.codes(),
            [
                "moves-on-every-cycle",
                "argument-of-unknown-callers",
                "range-taken-to-stay"
            ]
        );
        let plain = Grounds {
            moves: Moves::SameAmount,
            provenance: None,
            unseen: None,
        };
        assert_eq!(
            plain.sentence(Across::SameSequence, Assumption::Proven),
            "every iteration changes it by the same amount; start and steps are constants"
        );
    }
}
