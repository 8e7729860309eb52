//! Backward slices: which statements may have put a hung program where it is.
//!
//! A [`Graph`] holds the dependences of all functions of a program: which branches decide whether a statement is executed,
//! where its values come from, through variables, memory and calls, and which messages a receive waits for. A [`Slice`] is
//! what is reached from a criterion by walking them backward, nearest first, each statement with the reason why it is there.
//!
//! **What a slice promises** (Weiser, TSE 1984): leave out every statement that is not in it, and the criterion still
//! sees the same values whenever the program gets there. Not promised: anything about functions that were read in part
//! (the slice names them), and what [`places`] says that it does not see.
//!
//! # How it works
//!
//! Nodes of the graph are the points of `dataflow`'s flow graphs, parameters, arguments and initial values. Control dependence knows jumps
//! and calls that may not return; plain local variables have reaching definitions; memory has a points-to analysis
//! of the whole program with one level of flow (`places`), told apart by object and by the last member's name.
//! What two pointers share is never a table of pairs: a read leads to objects, an object to those who write it,
//! and a place that may point to more than 48 objects to whole classes, so the graph grows with the program. The
//! walk (`walk`) keeps contexts apart as far as the stack tells: a function on the stack takes its parameters from
//! its caller there and from nowhere else, and what cannot have been executed before the stack was taken is not
//! followed. Messages (`meet`) lead from a receive to the sends that may match it (communicators and tags as far as
//! `build::settle` knows them, collectives by name), in other tasks, and to the receives of the same task that may take its message; from a
//! wait to the calls that made its request; from a window to the calls that write to it. Where a task stands in a call,
//! what the message carries is farther away than its tag, peer and communicator. Where the stacks of other tasks are known,
//! the walk starts from the branches that parted them, too (`parted`). A first walk over what is near finds which values all
//! tasks have alike (`varies`), and which statements break with that (`odd`): the former are farther away for the second, whose
//! statements are ranked (`rank`).
//!
//! A call through a pointer may lead to functions without source (`build::foreign`): any name that the program
//! does not declare and that is not written as constants are. What they do to their arguments stands in the same
//! tables as for calls by name (`library`, asked by `effect`); a call of C that leads nowhere does what is done by
//! a function of which nothing is known. Where 128 functions and more may be called, calls and functions meet in a
//! table (`build::tables`), which is a function of the graph that does not stand in the source. Where one set of functions contains
//! another, the arguments of its calls are handed to the smaller one as a whole (`build::sets`: sets never change, so
//! that no function gets the arguments of calls that do not lead to it). A graph that would fill memory all the same is refused before it does
//! (`build::indirect`), and the answer comes without a slice.
//!
//! A call of a macro that stays unexpanded is a call of all its definitions (`build::macros`). A parameter that
//! one of these assigns is the caller's variable (`Home::Borrowed`), a name without a declaration may be one, and a
//! `return` among its statements leaves the caller: that is a way out of the call which the statements behind it
//! depend on (`EdgeKind::Leaves`). These functions are on no stack and are not shown: what happens in them happens
//! at the call. Where a frame's callee is one that a macro calls, the walk starts inside the macro, too
//! (`within`). What has no definition, or one that was not understood, may do anything with what it is given.
//!
//! In C++ the object of a call, which the program form keeps beside the call, flows to `this` (`build::cxx`,
//! `build::objects`); a captured variable is the variable; constructors, destructors and operators may be called
//! for any object of C++, by any node that has to do with one (`build::unseen`). A graph has a form in bytes
//! (`packed`), which `project` keeps.
//!
//! A slice promises that leaving out the rest changes nothing that the criterion sees. It is held to that by
//! running programs without the rest. Not seen: two structures laid over each other by a cast whose members have
//! other names, signal handlers, and the order of threads; functions that were read in part are named in the
//! slice.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod build;
mod components;
mod effect;
mod executed;
mod graph;
mod grow;
mod meet;
mod odd;
mod packed;
mod parted;
mod places;
mod rank;
mod reached;
mod slice;
mod stacks;
mod stand;
mod state;
#[cfg(test)]
mod tests;
mod varies;
mod walk;
mod within;

pub use build::TooManyCallees;
pub use graph::Graph;
pub use packed::GraphError;
pub use slice::{Because, CriterionError, Options, Slice, Statement};
pub use stand::{At, Points, SliceFrame, Stand};
pub use state::Dependence;
