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
//!
//! # How it works
//!
//! [`Order::locate`] turns frames into sets of program points, [`Order::compare`] relates two stacks and proves it, and `classify`
//! makes classes and finds the minimal ones: pair by pair, or for very many groups by dividing them into chains. A task that computes
//! at the line of a decision may already be in the jump that leaves one of its arms, so the line stands for these arms
//! as well (`arms`). The line of a loop's condition does not stand for the jump behind it: a task that spins there is where it seems to be. A position of
//! optimised code that does not agree with the calls around it orders nothing (`displaced`).
//!
//! Where that leaves two stacks unordered, the machine code is asked (`code`). It is compared by the same rules with other
//! things in their places: call instructions instead of lines, strongly connected components instead of loops, registers and
//! slots of the stack instead of variables (`code_flow`, `code_counter`). It must say nothing where a task
//! may be on its way out of a loop of the source that the other one is in (`code_loops`), because iterations of that loop count
//! first, unless it has not made the other one's call yet (`never_made`). It is not asked where it would only part tasks
//! that the source has at one point of one iteration (`settle_code`). A map may
//! hold nothing but machine code (`bind::bind_code`, which `project` asks for where there is no other). It orders by the code alone and more
//! strictly, and `engine` keeps such an order only if it names somebody.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod arms;
mod beneath;
mod called;
mod calls_around;
mod chains;
mod classes;
mod code;
mod code_calls;
mod code_counter;
mod code_flow;
mod code_iterations;
mod code_loops;
mod code_proof;
mod communicating;
mod compare;
mod contradicted;
mod displaced;
mod explain;
mod flow;
mod group;
mod header_copies;
mod inner_step;
mod iteration;
mod kept;
mod locate;
mod never_made;
mod one_call;
mod point;
mod reason;
mod rounds;
mod tail;
mod tail_jumps;
mod variables;
mod verdict;

pub use classes::{Class, Classes, classify};
pub use code::CodeStack;
pub use compare::Order;
pub use explain::{assumption, place, sentence};
pub use group::settle_code;
pub use locate::{Located, LocatedFrame, Place, Stage};
pub use point::{Beneath, ExecutionPoint, Frame, Value};
pub use reason::{Obstacle, Reason, Silent, SourceLine, TermRole, WhyNoTerm, WhySilent};
pub use verdict::{CodeVerdict, Decided, Proof, Relation, SameEpoch, Verdict};
