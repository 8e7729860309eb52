//! The file format: `docs/map-format.md` is its definition, this module one implementation.
//!
//! From outside in: a record frames sections ([`record`]), a section holds deflated columns ([`columns`]), a column
//! holds numbers ([`bytes`]) that refer to a string table ([`strings`]). What the columns mean stands in [`heads`],
//! [`scopes`], [`flow`], [`loops`], [`lovs`], [`grounds`] and [`refusals`] for the static half, and in [`bound`] and [`variables`] for the binding.
//! Decoding is total over all bytes; that the ids fit each other is checked afterwards, on the decoded map
//! ([`crate::validate`]).

mod bound;
mod bytes;
mod calls;
mod choices;
mod code;
mod columns;
mod decisive;
mod flow;
mod grounds;
mod habits;
mod handed;
mod handlers;
mod heads;
mod inner_steps;
mod iterated;
mod loops;
mod lovs;
mod macros;
mod merges;
mod mpi;
mod passed;
mod passed_constants;
mod place;
mod pointer_calls;
mod reader;
mod record;
mod refusals;
mod scopes;
mod shown;
mod sites;
mod spans;
mod storage;
mod strings;
mod tail_jumps;
mod variables;
mod writer;

#[cfg(any(test, feature = "generate"))]
pub(crate) use columns::Packing;
pub use heads::FunctionHead;
pub use reader::{Index, Reader};
#[cfg(any(test, feature = "generate"))]
pub(crate) use record::reseal;
pub use record::{MAGIC, VERSION, records};
pub(crate) use storage::MAX_STEPS;
#[cfg(any(test, feature = "generate"))]
pub(crate) use writer::write;

use crate::error::Tag;

const STRINGS: Tag = Tag(*b"STRS");
const FILES: Tag = Tag(*b"FILE");
const HEADS: Tag = Tag(*b"HEAD");
const BODY: Tag = Tag(*b"BODY");
const DIAGNOSTICS: Tag = Tag(*b"DIAG");
const MPI_CALLS: Tag = Tag(*b"MPIC");
const HANDED: Tag = Tag(*b"HAND");
const CHOICES: Tag = Tag(*b"CHOI");
const DECISIVE: Tag = Tag(*b"DECI");
const HANDLERS: Tag = Tag(*b"CTCH");
const PASSED_CONSTANTS: Tag = Tag(*b"CNST");
const POINTER_CALLS: Tag = Tag(*b"PTRC");
const SHOWN: Tag = Tag(*b"SHOW");
const ITERATED: Tag = Tag(*b"ITER");
const INNER_STEPS: Tag = Tag(*b"STEP");
const MACROS: Tag = Tag(*b"MACR");
const MAY_CALL: Tag = Tag(*b"MAYC");
const BUILD: Tag = Tag(*b"BIND");
const BOUND_STRINGS: Tag = Tag(*b"BSTR");
const ROWS: Tag = Tag(*b"ROWS");
const BOUND_FUNCTIONS: Tag = Tag(*b"BFUN");
const INLINES: Tag = Tag(*b"BINL");
const VARIABLES: Tag = Tag(*b"BVAR");
const CALLS: Tag = Tag(*b"BCAL");
const MERGES: Tag = Tag(*b"BMRG");
const PASSED: Tag = Tag(*b"BMPI");
const SITES: Tag = Tag(*b"BSIT");
const CODE: Tag = Tag(*b"BCOD");
const TAIL_JUMPS: Tag = Tag(*b"BTAI");

const STATIC: [Tag; 17] = [
    STRINGS,
    FILES,
    HEADS,
    BODY,
    DIAGNOSTICS,
    MPI_CALLS,
    HANDED,
    CHOICES,
    DECISIVE,
    POINTER_CALLS,
    HANDLERS,
    PASSED_CONSTANTS,
    SHOWN,
    ITERATED,
    INNER_STEPS,
    MACROS,
    MAY_CALL,
];
/// Sections that a reader may skip: nothing of the rest is misleading without them.
const OPTIONAL: [Tag; 16] = [
    MPI_CALLS,
    HANDED,
    CHOICES,
    DECISIVE,
    POINTER_CALLS,
    HANDLERS,
    PASSED_CONSTANTS,
    SHOWN,
    ITERATED,
    INNER_STEPS,
    MACROS,
    MAY_CALL,
    PASSED,
    SITES,
    CODE,
    TAIL_JUMPS,
];
const BOUND: [Tag; 12] = [
    BUILD,
    BOUND_STRINGS,
    ROWS,
    BOUND_FUNCTIONS,
    INLINES,
    VARIABLES,
    CALLS,
    MERGES,
    PASSED,
    SITES,
    CODE,
    TAIL_JUMPS,
];
