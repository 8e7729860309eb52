//! A process as its core file keeps it: registers and memory that will never change again.
//!
//! Aborted jobs are as common as hung ones, and `gcore` is often all that may be done to somebody else's job. A core
//! holds what the window copies of a live task, and more: all threads and all writable memory. So there are no rounds
//! and nothing is stopped; unwinding and evaluation are the same code.
//!
//! What a core does not hold is code: it names the files that were mapped, and these are read from where they were.
//! The build-id in the core's own copy of a file's first page tells whether the file is still the same.

mod environment;
mod file;
mod notes;
mod record;

pub use file::{Core, CoreError};
pub(crate) use notes::MappedFile;
pub use record::take_cores;
