//! The facade: sources to map, stacks and map to an answer.
//!
//! Every surface (command line, editor, web page) reaches the analyses only through this crate. It reads no files, no
//! environment and no processes: bytes and values go in, values come out, and what cannot be known is a value too.
//!
//! * [`map_sources`] turns source text into a [`Map`]; [`bind_map`] ties it to a build.
//! * [`Analysis`] is the object of a question about recorded stacks, which are looked up in the map once. It gives the [`Answer`] (classes,
//!   their order, the hindmost, and what is undecided), explains how two tasks stand to each other, and makes their tree; all together
//!   as [`Findings`], the one thing that outputs are made of.
//! * [`counters`] changes sources so that loops get a strict variable.
//! * [`line_view`] and [`summary`] tell what a map knows.
//!
//! # How it works
//!
//! An answer is made in these steps:
//!
//! 1. *Read the map.* Of one that is not bound, only the functions are read that a question can reach (`reading`).
//! 2. *Make classes.* Tasks at the same place of the order are one class (`progress`). Tasks that the map does not know have no place in
//!    the order, but classes all the same (`outside`). What is below the entry point of a runtime library does not count
//!    there, because ranks that wait for one thing stand in different places of the library from one look to the next.
//!    Whether a stack is in MPI, and by which entry point, `beneath` tells: a function's name alone does not, since tools have functions of the same names.
//! 3. *Ask MPI.* `waits` asks `waitgraph` what MPI proves of the classes (`docs/mpi-witness.md`).
//! 4. *Name somebody.* `finding` says who is to be looked at, how surely and by which witness: what the order proves, or else what
//!    MPI proves, or else who stands out among those that may be the hindmost. `hindmost` holds only what is
//!    proven.
//! 5. *Follow the waits.* Where those that are named wait in MPI, `awaited` follows their waits, task by task, to whoever
//!    keeps them waiting, because a person should look there first. The finding stays as it is. `sends` tells whether the message that
//!    is waited for can still be sent.
//! 6. *Advise.* `trouble` is the kind of what was found, `next` the one thing to do then.
//!
//! `motion` tells what a job did between two moments: it compares each task with its own earlier stack. A task whose earlier stack
//! is before its later one went on. Nothing else is claimed, except for a loop that nothing counts: a task that was inside it at
//! both moments cannot have left it. Where the main threads of a class wait for other threads, `counterparts` compares these threads with
//! those of other tasks, by the same order; the class of a task does not change by that.
//!
//! `tree` puts the order on a prefix tree. Stacks become paths of nodes; a library is one node, its entry point, and of the values only
//! those stay that the order may read. Each place where stacks end is looked up once, and every pair of them is compared by
//! `progress`. Two such points part at two siblings of the tree, and a verdict that was reached no deeper than
//! there holds for all pairs below these siblings (`ways`), so that most pairs need no comparison of their own. Where there are more than
//! 1,024 points, those that differ in values alone are put in one run if comparing each with the next shows that
//! they follow one another (`runs`). One branch is before another only if all points below it are before
//! all below the other; then both get numbers, as in `T1.2`. Everything else is marked, with the reason.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod advice;
mod alike;
mod analysis;
mod answer;
mod as_built;
mod assemble;
mod awaited;
mod beneath;
mod binding;
mod blocking;
mod by_recorder;
mod check;
mod check_since;
mod circumstances;
mod condensed;
mod counterparts;
mod counters;
mod distrust;
mod exactly;
mod excerpt;
mod explain;
mod finding;
mod findings;
mod fingerprint;
mod fragments;
mod frames;
mod hosts;
mod line;
mod loops;
mod map_used;
mod motion;
mod mpi;
mod named;
mod next;
mod notes;
mod outside;
mod parting;
mod past;
mod paths;
mod places;
mod readable;
mod reading;
pub mod recorded;
mod representatives;
mod reuse;
mod sends;
mod slices;
mod sources;
mod stacks;
mod state;
mod summary;
#[cfg(test)]
mod tests;
mod thread_alone;
mod threads;
pub mod timeline;
pub mod traces;
mod tree;
mod trouble;
mod tuple;
mod waits;
mod watchdog;
mod who;

pub use advice::Advice;
pub use analysis::{Analysis, Wanted};
pub use answer::{
    Activity, Answer, Certainty, Finding, FirstTask, Grounds, Hindmost, Line, Link, LoopValue, NoMap,
    OfProgram, Outcome, Parting, Position, RelationToHindmost, TaskClass, UndecidedPair, Unreadable, Witness,
};
pub use as_built::{AsBuilt, CompiledFiles, line_without_code};
pub use awaited::{Awaited, ChainEnd, Counterpart, Culprit, ToldBy, Wait, WaitsFor};
pub use bind::CompiledFile;
pub use binding::{
    BindError, CodeLine, DebugHints, Identity, Language, Mismatch, Needs, OtherSource, Program,
    ProgramSources, SourceUnit, bind_code, bind_library, bind_map, bind_program, build_id_at_head,
    build_id_text, check_map, code_lines, compiled_files, executable_sources, identity, needs,
};
pub use check::{Check, CheckedCall, CheckedLoop, LoopState, check};
pub use check_since::EarlierLoop;
pub use circumstances::Circumstances;
pub use counterparts::ThreadsBehind;
pub use counters::{CounterRequest, Counters, counters};
pub use distrust::distrust_innermost_lines;
pub use excerpt::{Excerpt, SourceState, content_hash};
pub use explain::{Explanation, SharedLoop, Side};
pub use findings::Findings;
pub use fingerprint::{ContentHasher, Fingerprint, is_kept_file, sealed, unsealed};
pub use fragments::{CompiledUnits, FRAGMENT_LAYOUT, ProgramUnits, is_unread, units_of_compilation};
pub use frames::FrameView;
pub use hosts::{HostRanks, hosts_of};
pub use library::{Role, SharedObject, is_runtime_library, shared_object};
pub use line::{FunctionLine, LineView, PointView, TupleView, line_view};
pub use loops::{LoopView, LovView};
pub use map_used::{MapOrigin, MapUsed};
pub use motion::{ClassMotion, Diagnosis, Earlier, JobMotion, Motion};
pub use mpi::{CallArgument, CallView};
pub use next::{NextStep, Origin};
pub use paths::{PathLookup, find_file};
pub use progress::{Reason, Relation, Value};
pub use progress_map::{Binding, Map, records as map_records};
pub use reading::{map_for_file, map_for_stacks};
pub use recorder::{is_recorded as is_call_of_mpi, shim as recorder_shim};
pub use representatives::Representatives;
pub use reuse::{Reuse, Shelf};
pub use sends::{Coming, SendSite, Sends, Untraceable};
pub use slicer::{
    At as SliceAt, Because, CriterionError, Dependence, Graph as DependenceGraph, GraphError,
    Options as SliceOptions, Points as SlicePoints, Slice, SliceFrame, Stand as SliceStand, Statement,
    TooManyCallees,
};
pub use slices::{Outwards, SliceStep};
pub use snapshot::{Header as SnapshotHeader, RunState};
pub use sources::{
    MapProgress, Parser, SourceFile, dependence_graph, dependence_graph_with, directives, map_preprocessed,
    map_sources,
};
pub use stacks::TASKS_FOR_ONE_THREAD;
pub use stacktree::{Granularity, MAGIC as PARTIAL_TREE, TaskSet};
pub use state::{ClassState, Halted, HaltedBy, StateGroup};
pub use summary::{BindingFacts, InPart, Share, Summary, Unordered, summary};
pub use threads::{ThreadActivity, ThreadGroup};
pub use tree::{
    Extreme, JobTree, Mark, Model, ModelError, NodeKind, NodeValue, NothingLeft, Operation, OrderedTree,
    Refine, RefinementStep, SampleChange, Sibling, TaskNames, TreeClass, TreeNode, TreeOptions,
};
pub use trouble::{Trouble, TroubleKind};
pub use tuple::{Token, Tuple};
pub use watchdog::{HeldUpBy, LONGER, Patience, Pause, Sight, Watchdog};
pub use who::Who;
