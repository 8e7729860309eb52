//! The result of a comparison, with its proof.

use crate::{Reason, Stage, Value};
use progress_map::{Assumption, FunctionId, LoopId, PointId};

/// How two execution points stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// The first is behind: no run has the second before it.
    Before,
    /// The first is ahead.
    After,
    /// Both are at the same program point of the same iterations.
    Equal,
    /// The program gives them no order: they lie on different branches.
    Incomparable,
    /// There may be an order; the verdict says why we cannot tell.
    Unknown,
}

impl Relation {
    /// The relation with the sides exchanged.
    pub fn reversed(self) -> Self {
        match self {
            Relation::Before => Relation::After,
            Relation::After => Relation::Before,
            other => other,
        }
    }

    /// All of them.
    const ALL: [Relation; 5] = [
        Relation::Before,
        Relation::After,
        Relation::Equal,
        Relation::Incomparable,
        Relation::Unknown,
    ];

    /// The relation that a word stands for ([`Relation::word`]).
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|relation| relation.word() == word)
    }

    /// The word for it in files and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Relation::Before => "before",
            Relation::After => "after",
            Relation::Equal => "equal",
            Relation::Incomparable => "incomparable",
            Relation::Unknown => "unknown",
        }
    }
}

/// A relation with what it rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The relation.
    pub relation: Relation,
    /// The weakest assumption about values on different tasks that was used.
    pub assumption: Assumption,
    /// It was used that functions outside the map, or such as promise it (`const int *`), leave alone variables that they could change.
    pub trusts_outside: bool,
    /// Where and why it was decided.
    pub proof: Proof,
}

impl Verdict {
    /// Why the relation is unknown, if it is.
    pub fn unknown_because(&self) -> Option<&Reason> {
        match &self.proof.decided {
            Decided::Nothing(reason) => Some(reason),
            _ => None,
        }
    }
}

/// Where and why a comparison was decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// The deciding frame, counted from the outermost frame of a mapped function, which is 0.
    pub depth: usize,
    /// Its function; `None` when the stacks part outside the map.
    pub function: Option<FunctionId>,
    /// Loops of the deciding frame (and of the ones outside it) in which both are in the same iteration.
    pub same: Vec<SameEpoch>,
    /// What decided.
    pub decided: Decided,
}

/// A loop in which both tasks are in the same iteration (or epoch of a variable).
#[derive(Clone, Debug, PartialEq)]
pub struct SameEpoch {
    /// The function of the loop.
    pub function: FunctionId,
    /// The loop.
    pub in_loop: LoopId,
    /// The variable that tells it.
    pub name: String,
    /// Its value on the first task.
    pub a: Value,
    /// Its value on the second task; it may differ from `a` when one of them has passed the update.
    pub b: Value,
}

/// What decided a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Decided {
    /// A loop-order variable differs.
    Iteration {
        /// The loop.
        in_loop: LoopId,
        /// The variable.
        name: String,
        /// Its value on the first task.
        a: Value,
        /// Its value on the second task.
        b: Value,
    },
    /// No variable tells the iterations of a loop, and the machine code counts them.
    Iterations {
        /// The loop.
        in_loop: LoopId,
        /// How many iterations the first task has completed.
        a: u64,
        /// The second task.
        b: u64,
    },
    /// One point is reachable from the other and not the reverse, or neither from the other.
    Flow {
        /// A point of the first position.
        a: PointId,
        /// A point of the second position.
        b: PointId,
    },
    /// Every frame is at the same point of the same iterations.
    SamePoint,
    /// The tasks were called into different functions by one indirect call.
    Callees {
        /// The first task's.
        a: String,
        /// The second task's.
        b: String,
    },
    /// One call led both into this operation of a library; one of them has executed nothing of it yet, the other has.
    NotBegun(String),
    /// One runs what comes before or after `main`, and the other does not.
    Stages {
        /// The first task's part of the run.
        a: Stage,
        /// The second task's.
        b: Stage,
    },
    /// The source does not tell; machine code does.
    Code(CodeVerdict),
    /// Nothing, and why.
    Nothing(Reason),
}

impl Decided {
    /// A word that stays the same from version to version: for what decided, or for why nothing did.
    pub fn code(&self) -> &'static str {
        match self {
            Decided::Iteration { .. } => "iteration",
            Decided::Iterations { .. } => "iteration-counted",
            Decided::Flow { .. } => "flow",
            Decided::SamePoint => "same-point",
            Decided::Callees { .. } => "different-callees",
            Decided::NotBegun(_) => "operation-not-begun",
            Decided::Stages { .. } => "stages-of-the-run",
            Decided::Code(_) => "machine-code",
            Decided::Nothing(reason) => reason.code(),
        }
    }
}

/// A relation by machine code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeVerdict {
    /// The relation.
    pub relation: Relation,
    /// The deciding frame, counted without inlined calls from the outermost frame of a mapped function, which is 0.
    pub depth: usize,
    /// The first task's place: the innermost function of the source, its line if it is known, and the address as linked.
    pub a: (String, Option<u32>, u64),
    /// The second task's.
    pub b: (String, Option<u32>, u64),
    /// How often each has gone round a loop around both, if that is what decides.
    pub counts: Option<(u64, u64)>,
}
