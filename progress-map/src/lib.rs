//! The progress map: what a build knows about the order of its program points, in one compact file.
//!
//! [`Map`] is the map in memory. The static half (files, functions with points, scopes, loops and LOVs) comes from
//! the sources alone. The [`Binding`] ties it to one build of one executable: program counters to positions and
//! inlined frames, and where each listed variable lives at each program counter.
//!
//! Everything that `progress` needs to order two tasks is in the static half, and everything that the probe needs to
//! read a stack is in the binding: a compute node needs neither source nor debug info.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod binding;
mod choice;
mod code;
mod decisive;
mod error;
mod for_probe;
mod format;
mod function;
#[cfg(any(test, feature = "generate"))]
pub mod generate;
mod grounds;
mod handed;
mod handler;
mod inner_step;
mod iterated;
mod lov;
mod macros;
mod mpi;
mod passed_constant;
mod pointer_call;
mod position;
mod refusal;
mod shown;
mod tail_jump;
mod validate;

pub use binding::{
    Binding, BoundCall, BoundFunction, BoundInline, BoundMerge, BoundMpiCall, BoundSite, BoundVariable,
    Encoding, FunctionInstance, LocationRange, Passed, PassedArgument, PathStep, Row,
};
pub use choice::Choice;
pub use code::{
    CodeBlock, CodeCall, CodeWay, LeafCall, LocationChange, LocationEffect, MachineCode, MachineLocation,
};
pub use decisive::DecisiveCall;
pub use error::{ByteOffset, Invalid, ReadError, Section, Tag};
pub use format::{FunctionHead, Index, MAGIC, Reader, VERSION, records};
pub use function::{Function, Loop, LoopSource, Point, PointKind, Scope, ScopeKind, Unsequenced};
pub use grounds::{About, Grounds, Moves, Provenance, ProvenanceKind};
pub use handed::Handed;
pub use handler::Handler;
pub use inner_step::InnerStep;
pub use iterated::Iterated;
pub use lov::{
    Across, Assumption, Cut, Direction, Growth, Lack, Lov, LovClass, RangePart, Storage, Term, TermOp,
};
pub use macros::MacroCalls;
pub use mpi::{MpiArgument, MpiCall};
pub use passed_constant::PassedConstant;
pub use pointer_call::{AddressTaken, PointerCall};
pub use refusal::{Interference, Outsider, Refusal, Refused};
pub use shown::Shown;
pub use tail_jump::{TailJump, TailTarget};

use base::{Diagnostic, IdVec, define_id};

define_id!(
    /// A source file of the map.
    FileId, "file"
);
define_id!(
    /// A function of the map.
    FunctionId, "fn"
);
define_id!(
    /// A program point of one function.
    PointId, "p"
);
define_id!(
    /// A syntactic scope of one function: a level of the paper's tuples.
    ScopeId, "scope"
);
define_id!(
    /// A loop of one function.
    LoopId, "loop"
);

/// A progress map in memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    /// Source files, sorted by path.
    pub files: IdVec<FileId, File>,
    /// Functions, sorted by file and first line.
    pub functions: IdVec<FunctionId, Function>,
    /// What could not be analysed, and why: a partial map says so.
    pub diagnostics: Vec<Diagnostic>,
    /// What the source gives to MPI calls, sorted by function and point.
    pub mpi_calls: Vec<MpiCall>,
    /// Loop-order variables that calls hand to their callees unchanged, sorted.
    pub handed: Vec<Handed>,
    /// Code of which every build holds one part, sorted.
    pub choices: Vec<Choice>,
    /// Calls whose result decides whether others follow, of functions that may call themselves last; sorted, none twice.
    pub decisive: Vec<DecisiveCall>,
    /// Functions whose address is taken, so that calls through pointers may lead to them; sorted, none twice. Without any it is not known of which
    /// it is.
    pub address_taken: Vec<AddressTaken>,
    /// Calls through pointers, sorted by function and point, none twice.
    pub pointer_calls: Vec<PointerCall>,
    /// Where handlers of exceptions begin; sorted, none twice.
    pub handlers: Vec<Handler>,
    /// Constants by which calls of one function may be told apart, sorted, none twice.
    pub passed_constants: Vec<PassedConstant>,
    /// Who is shown the addresses of variables that order loops, or of what these lead to; sorted, none twice.
    pub shown: Vec<Shown>,
    /// Over which objects iterators go whose elements loops count; sorted, none twice.
    pub iterated: Vec<Iterated>,
    /// Where calls that step variables of loops make the step; sorted by function and point, none twice.
    pub inner_steps: Vec<InnerStep>,
    /// What macros call that were left as they are, and that evaluate their arguments first; sorted.
    pub macros: Vec<MacroCalls>,
    /// What others of them may call at all, in whatever order; sorted.
    pub may_call: Vec<MacroCalls>,
    /// The build that the map is tied to, if any.
    pub binding: Option<Binding>,
    /// Builds of shared objects that the program runs with and whose sources are in the map as well; empty without a
    /// `binding`.
    pub libraries: Vec<Binding>,
}

impl Map {
    /// The builds that the map is tied to, the program's first.
    pub fn bindings(&self) -> impl Iterator<Item = &Binding> {
        self.binding.iter().chain(&self.libraries)
    }
}

/// A source file of the map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The path as the build named it: absolute when it came from a compile command or from debug info, as given
    /// otherwise.
    pub path: String,
    /// blake3 of the bytes that were analysed; a source that hashes differently is not the mapped one.
    pub hash: [u8; 32],
}
