//! Control flow, loop nesting, definitions and single-valuedness over `ir`.
//!
//! - [`Flow`]: the flow graph of one function, with the syntactic scopes that give the paper's tuples.
//! - [`Loops`]: its loop-nesting forest.
//! - [`Control`]: which branches decide whether a point executes.
//! - [`Definitions`]: which assignments of a variable reach a point.
//! - [`Program`]: all functions together: who calls whom, which globals and members a call may change, and whether a
//!   value is the same on every task ([`Program::single_valued`]).

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
mod passed;
mod program;
mod single_valued;
mod summary;

pub use control::Control;
pub use definitions::{Definitions, Reaching};
pub use effects::{MemberPath, Target, children as operands, target_of};
pub use external::is_library;
pub use flow::{Action, Flow, FlowKind, FlowPoint, Neighbours};
pub use loops::Loops;
pub use program::{FunctionIndex, FunctionInfo, Program, Touch};
pub use single_valued::{Effort, Standing};
pub use summary::Effect;
