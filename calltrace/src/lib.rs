//! A trace of every call and return of one thread: how each event is encoded when it happens, a reader of the result, and what is asked of it.
//!
//! A thread encodes into words that are mapped from a file, and anybody may read that file at any moment: while the thread runs, after it was
//! killed, or long after its end. So each event is there for a reader as soon as [`Encoder::record`] has returned, and never by half.
//!
//! # How it works
//!
//! - [`event`]: what happens to a thread.
//! - [`layout`]: where everything stands in a file; `docs/trace-format.md` is the same for other readers.
//! - `model`: what is expected next, by what followed the events before; encoder and reader go through the same states.
//! - [`encode`]: events as tokens. Bounded time for each, nothing is allocated, nothing is locked.
//! - `lane`: events that are foretold, so that recording each is to count it.
//! - `blocks`: where the blocks of a file stand.
//! - [`packed`]: blocks that nobody writes to any more, smaller.
//! - [`read`]: any bytes as events, from any event on.
//! - [`stamps`]: when that was, and which message.
//! - [`fold`]: events as call trees with folded loops, of which equal parts are there once.
//! - [`compare`]: where two of them part.
//! - [`paths`]: how often each call path was taken, and which threads do as the others.
//! - [`phases`]: which threads did alike, piece by piece, and what they have in common.
//! - [`concepts`]: what any objects have in common.
//! - [`task`]: the file of a process, which tells what functions the numbers stand for.
//!
//! The crate does no I/O and sees no other crate.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod blocks;
pub mod compare;
pub mod concepts;
pub mod encode;
pub mod event;
pub mod fold;
mod lane;
pub mod layout;
mod model;
pub mod packed;
pub mod paths;
pub mod phases;
pub mod read;
pub mod stamps;
pub mod task;

pub use encode::{Encoder, Refused, TraceFull};
pub use event::{Event, Function};
pub use lane::Lane;
pub use model::{Tables, UNTOLD};
pub use read::{About, Damage, Ended, Error, Events, Trace};
pub use stamps::{Stamp, StampEncoder, Stamps, Tie};
pub use task::Task;
