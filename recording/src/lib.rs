//! The file that the flight recorder keeps for each task of a job: where everything stands in it, and a reader.
//!
//! A task writes into its file while it runs, by mapping it to memory, and anybody may read the file at any moment: while the task
//! runs, stands still, was killed, or is long gone. So nothing is ever half there for a reader: every fact is either one
//! word, or is written in a place that nobody looks at and then published by one word.
//!
//! The writer is `runtime-pmpi`, which takes the layout from here; [`Recording::read`] is the reader. It accepts any bytes: what
//! contradicts itself is left out and counted in [`Recording::damaged`], what the recorder had no room for is said in [`Recording::lost`].
//! The crate does no I/O and sees no other crate.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod choices;
pub mod division;
pub mod layout;
pub mod matches;
mod members;
pub mod model;
mod read;
mod record;
pub mod ring;

pub use division::{Division, Portions};
pub use members::Members;
pub use record::{
    Amount, Call, Channel, Communicator, Error, Kind, Lost, Neighbours, Pending, Polling, Recording,
    RequestState, Stage, Thread, ThreadsAtInit,
};
