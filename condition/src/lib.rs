//! Conditions over the ranks of a job, evaluated on its events in causal order while they come: `rank 3 in Allreduce and any rank has sent tag 7 to 3 since`.
//!
//! D. Kimelman and D. Zernik ("On-the-Fly Topological Sort: A Basis for Interactive Debugging and Live Visualization of Parallel Programs") sort the events of a job
//! so that a debugger can ask for states that several processes make up together. This is the asking.
//!
//! # The language
//!
//! `docs/causal.md` has it for its users. A [`Formula`] is made of *facts* by `not`, `and` and `or`, and a [`Fact`] says of some ranks what they are in, or what they have done.
//!
//! # What a condition means
//!
//! Let x1, x2, … be the items of a stream: events, and moments at which nothing happens. x0 stands before all of them. The *clock* at xn is the latest time of x1 to xn.
//!
//! - A rank is *in* a call at xn if one of its threads has begun it and not ended it: in some part of the stream that ends with xn, and in which no event of the rank is lost, that thread has more beginnings than ends
//!   of that call (of `MPI`: of all calls together). It is *outside* if it is in no call.
//! - A state holds *for* a time d if it has held at all items since xm, and the clock at xn is at least d later than at xm (than at x1, if m is 0).
//! - A rank *has* done something k times if k events among those that count say so. Those behind the moment at which the condition was armed count: all, until it has held once.
//! - With `since` those count that come behind xm, where xm is the first of the items up to xn at all of which what stands left of the fact holds: the operands before it in the innermost `and`
//!   of which it is not the first. Where that does not hold at xn, the fact does not.
//!
//! A condition *comes true* at an item at which it holds and at the item before it did not. It is armed again there: what was counted is forgotten.
//!
//! # How it works
//!
//! [`Condition::parse`] reads it; errors name the place. [`Watch`] keeps for each fact of which ranks it is true, and changes only what an event is about, so that an item costs some comparisons for each fact, however
//! long the stream and large the job. `proof` (a feature) has an evaluator that follows the definitions above over the whole stream, and made-up conditions and streams.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod error;
mod event;
mod fact_state;
mod parse;
#[cfg(feature = "proof")]
pub mod proof;
mod syntax;
mod watch;

pub use error::{Error, Wrong};
pub use event::{Event, Step};
pub use syntax::{Call, Condition, Deed, Fact, Formula, Ranks, What, Who};
pub use watch::{Holds, Watch};
