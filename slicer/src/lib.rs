//! Backward slices: which statements may have put a hung program where it is.
//!
//! A [`Graph`] holds the dependences of all functions of a program: which branches decide whether a statement is executed,
//! where its values come from, through variables, memory and calls, and which messages a receive waits for. A [`Slice`] is
//! what is reached from a criterion by walking them backward, nearest first, each statement with the reason why it is there.
//!
//! **What a slice promises** (Weiser, TSE 1984): leave out every statement that is not in it, and the criterion still
//! sees the same values whenever the program gets there. Not promised: anything about functions that were read in part
//! (the slice names them), and what [`places`] says that it does not see.

mod build;
mod circles;
mod effect;
mod executed;
mod graph;
mod grow;
mod meet;
mod packed;
mod places;
mod reached;
mod slice;
mod stacks;
mod state;
mod walk;
mod within;

pub use build::TooManyCallees;
pub use graph::Graph;
pub use packed::GraphError;
pub use slice::{Because, CriterionError, Frame, Options, Slice, Statement};
pub use state::Dependence;
