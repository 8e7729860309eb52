//! What the source gives to the MPI calls that a task can be blocked in: peers, tags, communicators, requests.
//!
//! A library without debug info says nothing of the arguments that it was called with, and the registers they came in
//! are lost by the time a task is looked at. What remains is the source: an argument is a constant, or a variable that
//! can be read in the caller's frame while the call lasts, or at least something to show as it is written.

use crate::{FunctionId, PointId, Term};

/// A call of an MPI function.
#[derive(Clone, Debug, PartialEq)]
pub struct MpiCall {
    /// The function that calls.
    pub function: FunctionId,
    /// The call, a point of it.
    pub point: PointId,
    /// The arguments that `library::roles` lists, as far as they are understood, in their order.
    pub arguments: Vec<MpiArgument>,
}

/// An argument of an MPI call.
#[derive(Clone, Debug, PartialEq)]
pub struct MpiArgument {
    /// Its place among the arguments, from 0.
    pub index: u8,
    /// As the source writes it, macros expanded: `ring->left`, `MPI_ANY_SOURCE`.
    pub text: String,
    /// Its value, when it consists of constants and of variables that the call itself does not change.
    pub term: Option<Term>,
    /// The variables of `term` get their values once and outside of loops, so that debug info of optimised code can be
    /// believed about them too.
    pub settled: bool,
}
