//! The order: compares execution points by the map alone.
//!
//! **Promise.** When [`Order::compare`] says [`Relation::Before`], no run of the program has `b` before `a` with the
//! values that were read, under the assumption that the verdict names. Whatever cannot be promised is
//! [`Relation::Incomparable`] (the program has no order there) or [`Relation::Unknown`] (we cannot tell, and why).
//!
//! **Definition.** An execution point (SC'09 section 3) is a stack of positions with the values of loop-order
//! variables. A position stands for the *set* of program points that its line, column and callee allow; a relation
//! between two positions holds only when it holds for every pair of their points. Two points of one function are
//! compared from the outermost loop around both inwards:
//!
//! 1. Seen from a region (the function, or one iteration of a loop), an inner loop is one node. When the two points lie in
//!    different nodes, reachability in the region's graph orders them (SC'09 Def. 3.2 on control flow instead of lines).
//! 2. When both lie in the same inner loop, the values of a loop-order variable of it are compared. If they differ,
//!    they decide; if they are equal, the loop is cut where the variable changes and becomes the next region.
//! 3. When no variable decides, the answer is unknown: inner parts never speak before outer ones.
//!
//! Frames are compared from the outermost inwards; the first that differs decides.

mod arms;
mod chains;
mod classes;
mod code;
mod code_counter;
mod code_flow;
mod code_loops;
mod compare;
mod explain;
mod flow;
mod group;
mod iteration;
mod locate;
mod point;
mod tail;
mod variables;
mod verdict;

pub use classes::{Class, Classes, classify};
pub use code::CodeStack;
pub use compare::Order;
pub use explain::{assumption, place, sentence};
pub use group::settle_code;
pub use locate::{Located, LocatedFrame, Place};
pub use point::{ExecutionPoint, Frame, Value};
pub use verdict::{CodeVerdict, Decided, Proof, Relation, SameEpoch, Verdict};
