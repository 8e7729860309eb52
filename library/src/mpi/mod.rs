//! The functions of MPI, up to MPI 4.0, with those that older versions had: what the standard says of each.
//!
//! A buffer is `IN` or `OUT`; of several counts `COUNT` is the one that tells what a call waits for. An operation that only starts says so by
//! `later` (its buffers are used until its request is complete) or `persistent`. A call that may need other tasks before it returns `waits`: all
//! that the standard calls blocking, collective or synchronising. What functions return is an error code: a call that failed on some task does
//! not return to the program by default, so that code is the same on all.

mod collectives;
mod communicators;
mod constants;
mod datatypes;
mod environment;
mod files;
pub mod measured;
mod messages;
mod tools;
mod windows;

pub use constants::constant;

use crate::function::Function;

/// The rows of all chapters of the standard.
pub(crate) static CHAPTERS: [&[Function]; 8] = [
    messages::MESSAGES,
    collectives::COLLECTIVES,
    communicators::COMMUNICATORS,
    datatypes::DATATYPES,
    windows::WINDOWS,
    files::FILES,
    environment::ENVIRONMENT,
    tools::TOOLS,
];
