//! Control flow, loop nesting, definitions and single-valuedness over `ir`.
//!
//! - [`Flow`]: the flow graph of one function, with the syntactic scopes that give the paper's tuples.
//! - [`Loops`]: its loop-nesting forest.
//! - [`Control`]: which branches decide whether a point executes.
//! - [`Definitions`]: which assignments of a variable reach a point.
//! - [`Program`]: all functions together: who calls whom, which globals and members a call may change, and whether a
//!   value is the same on every task ([`Program::single_valued`]).
//!
//! # How it works
//!
//! All that concerns one function by itself is in its `FunctionInfo`. An `Effect` is what a call may change, or adds to a variable whose
//! address it is given. Calls are kept by name, and the graph of calls has a node for each
//! name, because C++ gives hundreds of functions one name. Points are side effects, calls and branches; joins
//! without code (labels, the start of a `do`) give every loop a header of its own. Operands that C may evaluate in
//! any order are marked, not ordered.
//!
//! `passed` says what a callee calls the memory that its caller knows by another name: `p->step` is `s.step` where
//! `init(&s)` is called, `this->step` where `s.init()` is, and in the constructor that makes `s`. Steps and starts
//! are followed over it. The questions that one function asks about values have a common limit (`Effort`), beyond
//! which tasks may differ.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod addresses;
mod bits;
mod build;
mod calls;
mod changes;
mod control;
mod definitions;
mod effects;
mod external;
mod flow;
mod loops;
mod packs;
mod passed;
mod program;
mod single_valued;
mod summary;
#[cfg(test)]
mod tests;
mod touch;
mod whole;
mod writes;

pub use control::Control;
pub use definitions::{Definitions, Reaching};
pub use effects::{MemberPath, Target, children as operands, target_of};
pub use external::is_library;
pub use flow::{Action, Flow, FlowKind, FlowPoint, Neighbours};
pub use loops::Loops;
pub use packs::{arguments_for, pack_expansion, parameter_pack};
pub use passed::this;
pub use program::{FunctionIndex, FunctionInfo, Program};
pub use single_valued::{Effort, Sameness};
pub use summary::Effect;
pub use touch::Touch;
