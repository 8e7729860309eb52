//! What the machine code of one function says of two places in it, what that rests on, and why it says nothing.

use progress_map::MachineLocation;
use std::collections::BTreeMap;

/// A place in the code of a function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CodePlace {
    /// Its block in [`MachineCode::blocks`].
    pub block: u32,
    /// In a call, the last byte of the call; otherwise the instruction that is executed next.
    pub address: u64,
    /// What registers that calls preserve and slots of the frame hold, as far as that is known.
    pub held: BTreeMap<MachineLocation, u64>,
}

/// The loops of the code around a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Around {
    /// How many there are, as far as was looked.
    pub(crate) loops: usize,
    /// If registers do not tell the iteration of the last one: its blocks, by their numbers in [`MachineCode::blocks`], that end in a call which may come to MPI.
    pub(crate) communicating: Vec<u32>,
}

impl Around {
    /// So many loops, in all of which registers tell the iteration.
    pub(crate) fn told(loops: usize) -> Self {
        Self {
            loops,
            communicating: Vec::new(),
        }
    }
}

/// Whether a loop of the code, of which no register tells the iteration, leads to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LoopBefore {
    /// None does.
    None,
    /// Some do, and nothing in them may come to MPI.
    Silent,
    /// Something in one of them may come to MPI.
    Communicates,
}

/// What decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CodeProof {
    /// One place leads to the other, neither does, or they are one.
    Flow {
        /// In how many loops around both they are in the same iteration, as registers tell.
        told: usize,
        /// Whoever is at the later place has been at the earlier one, in whatever loop that is, and nobody leaves that loop without coming to
        /// the later place.
        passed: bool,
        /// Whether a loop, of which no register tells the iteration, leads to one of the two.
        behind_loop: LoopBefore,
        /// The loops of the code around each of the two.
        around: (Around, Around),
    },
    /// A register has been changed more often.
    Counter {
        /// In how many loops around the one that it counts both are in the same iteration.
        told: usize,
        /// Whether that loop has others within, which are gone round without the register being changed.
        has_loops: bool,
        /// Whether another loop, of which no register tells the iteration, leads to it.
        behind_loop: LoopBefore,
        /// As in [`CodeProof::Flow`].
        around: (Around, Around),
        /// How often on the first task.
        a: u64,
        /// How often on the second task.
        b: u64,
    },
}

impl CodeProof {
    /// Whether it rests on a register's having counted the iterations of a loop of the code that may be gone round without the register being changed.
    pub(crate) fn is_past_uncounted_loops(&self) -> bool {
        match self {
            CodeProof::Flow {
                told, behind_loop, ..
            } => *told > 0 && *behind_loop != LoopBefore::None,
            CodeProof::Counter { told, has_loops, .. } => *has_loops || *told > 0,
        }
    }

    /// Whether a loop of which no register tells the iteration leads to one of the places, and is not around it.
    pub(crate) fn loop_before(&self) -> LoopBefore {
        match self {
            CodeProof::Flow { behind_loop, .. } | CodeProof::Counter { behind_loop, .. } => *behind_loop,
        }
    }

    /// The number of loops of the code in which registers tell the iterations of both tasks, and those around each of the two.
    pub(crate) fn loops(&self) -> (usize, &(Around, Around)) {
        match self {
            CodeProof::Flow { told, around, .. } => (*told, around),
            CodeProof::Counter { told, around, .. } => (told + 1, around),
        }
    }
}

/// Why nothing is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeDoubt {
    /// Both are in a loop, and no register that is known counts its iterations.
    NoCounter,
    /// The only way from one to the other goes through a call that may not return.
    MayNotReturn,
    /// What the tasks are in beneath the program is not known.
    Beneath,
    /// One of them is in a call that the other is about to make or has made.
    BesideCall,
    /// One call led to two functions.
    CalleesDiffer,
    /// What the call has entered may have jumped to the function of the next frame, from one place or another.
    EnteredByJump,
    /// One of them may have gone round in a loop more often than a register tells.
    RoundsUncounted,
    /// They are on ways through the code that do not meet: copies, perhaps, of one piece of the source.
    WaysApart,
    /// The source is not known, and there are ways to one of the two places that do not pass the other.
    OtherWays,
    /// In the source they may be at one point, of which the code has several copies.
    CopiesOfOnePoint,
    /// A call of the code may be one of several calls of its source.
    SeveralCalls,
    /// One of them may be on its way out of a loop that the other is in.
    MayBeLeaving,
    /// The stacks are too deep.
    TooDeep,
}
