//! Loop-order variables: which variables tell a loop's iteration, and what that rests on.
//!
//! For every loop of the flow graph the analysis takes each variable that is assigned inside and asks:
//!
//! 1. *Can we see every change?* Addresses that escape, calls that may write, other names for the same memory refuse it.
//! 2. *How does each assignment move it?* Only `x + c`, `x - c`, `a*x + b`, `x / c` and shifts are steps
//!    (SC'09 section 4.2), `c` a constant or a variable that the loop leaves alone; what is added may also be a variable that
//!    only counts up from above zero. Anything else is refused as an unknown step.
//! 3. *Does every cycle move it, one way?* Then it is strict, else weak. When the change since the header is the same
//!    on every path, steps of both signs are fine, and the loop is cut at the header.
//! 4. *Is the sequence of values the same on every task?* From the start value, the steps, and where paths differ
//!    the branches that choose them.
//!
//! # How it works
//!
//! `candidate` and `stability` ask the first question, `step` the second, `classify` the third and `across` the fourth.
//! The start of a variable is the one assignment that reaches the loop on all ways, in this function or in those
//! that are called before (`across`); a pointer on the way to a member must not be changed between the two.
//!
//! A function that was read in part has no variables, so that nothing can rest on one (`assemble`).
//!
//! The first question that an assignment answers with no refuses the variable, and is the reason that is said: questions 1 and 2 are asked of each
//! assignment in turn.
//!
//! The map gets three more lists from here:
//!
//! - `mpi`: the arguments that the source gives to calls of MPI. The peer and tag of a blocked task can then be read in its
//!   caller's frame where they are constants or variables that the call does not change; `engine::mpi` says no value that an
//!   optimised build may show wrongly.
//! - `shown`: the calls that are given the address of such a variable, or of what it leads to. `bind` believes the memory of an optimised
//!   build only where somebody knows the object whom the compiler does not see.
//! - `decisive`: the calls whose result decides what is called next. They keep their frame in optimised code, because no compiler can
//!   make a tail call of them.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod across;
mod assemble;
mod candidate;
mod change;
mod classify;
mod constants;
mod decisive;
mod handed;
mod inner_step;
mod iterated;
mod mpi;
mod passed_constant;
mod pointer_call;
mod range;
mod shown;
mod stability;
mod step;
mod term;
#[cfg(test)]
mod tests;
mod types;

use dataflow::Program;
use progress_map::Map;
use rayon::prelude::*;

/// Analyses parsed files as one program and returns the static half of their progress map.
///
/// The result does not depend on the order of `units` nor on the number of threads.
pub fn analyse(units: &[ir::Unit]) -> Map {
    let program = Program::of_units(units);
    let ids: Vec<_> = program.functions.ids().collect();
    let loops: Vec<_> = ids
        .into_par_iter()
        .map(|id| classify::loops_of(&program, id))
        .collect();
    assemble::map(program, loops)
}
