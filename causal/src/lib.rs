//! Events of many processes, which come in any order, as one stream in which nothing stands before what it depends on: no receive before its send.
//!
//! Each process writes its own stream, with the time of its own clock; the streams come with different delays. A merge by time stamps would show messages that are received
//! before they are sent. This is the sort of D. Kimelman and D. Zernik, "On-the-Fly Topological Sort: A Basis for Interactive Debugging and Live Visualization of Parallel
//! Programs": it follows the causal order alone, puts an event out as soon as all that comes before it is out, and forgets it as soon as all that comes
//! directly after it has come. Both are as early as any algorithm can (their section 2.4), so its memory is the asynchrony of the job, not the length of the run.
//!
//! # The order
//!
//! An event comes directly before another in two cases (section 2.1): it is the one before it in its stream; or it gives what the other takes ([`Link`]). The causal order is the transitive closure of these.
//!
//! # How it works
//!
//! - [`Sorter::observe`] takes an event. Records carry sequence numbers, and links numbers of their own, so neither streams nor their events need to come in
//!   order, and what comes twice is refused.
//! - A collective operation is one node, however many take part (`hub`): it knows the latest beginning so far, and which ends wait.
//! - [`Sorter::lose`], [`Sorter::end`] and [`Sorter::expire`] say what will not come, or is waited for no longer. What is put out without its cause says so ([`Standing`]); [`Sorter::held`]
//!   says what is held by what.
//! - Times are adjusted by the paper's section 2.6: each stream's clock is put forward as much as its events have to be later than their causes. [`Offsets`] tells from messages both ways how far clocks are apart.
//!
//! The crate has no clock, does no I/O and knows nothing of MPI: what calls mean is for who makes the links.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod error;
mod event;
mod group;
mod held;
mod hub;
mod loss;
mod node;
mod offsets;
#[cfg(feature = "proof")]
pub mod proof;
mod slab;
mod sort;
mod tie;

pub use error::{Error, Refused};
pub use event::{
    Cause, Event, EventId, Flow, GroupId, Link, Message, Missing, Operation, Reported, Standing, StreamId,
};
pub use held::{Held, HeldOperation, Hold, Standstill};
pub use offsets::{Offset, Offsets};
pub use sort::{Limits, Sorter, Window};
