//! A trace of every call and return of one thread: how each event is encoded when it happens, and a reader of the result.
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
//! - [`read`]: any bytes as events, from any event on.
//!
//! The crate does no I/O and sees no other crate.

pub mod encode;
pub mod event;
pub mod layout;
mod model;
pub mod read;

pub use encode::{Encoder, Refused};
pub use event::{Event, Function};
pub use model::Tables;
pub use read::{Damage, Error, Events, Trace};
