//! The hindmost task in the editor's debugger: a debug adapter that asks who is behind, and attaches a debugger to that task.
//!
//! It speaks the Debug Adapter Protocol with the editor. The debugger is the user's: one that has an adapter of its own (gdb from 14 on, lldb) does
//! the work, and what is said of the hindmost is added on the way ([`relay`]); else gdb is driven by its machine interface ([`session`], [`mi`]).
//! What is added: whom to attach to, that frames below the one in the answer are of no interest, and in which iterations its frames are ([`whom`]).
//!
//! Whoever leaves, the editor or the debugger, the task goes on.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod gdb;
mod incoming;
mod message;
mod mi;
mod relay;
mod session;
mod stack;
mod variables;
mod whom;

pub use message::connect;
pub use mi::Record;
pub use session::serve;

/// What the user wants to debug.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// A launcher or tasks of the job, about whom is asked who is behind.
    pub pids: Vec<u32>,
    /// The answer to that, if it was asked before, as `find --format json` wrote it.
    pub report: Option<std::path::PathBuf>,
    /// The map of the program.
    pub map: Option<std::path::PathBuf>,
    /// The debugger; without one, gdb.
    pub debugger: Option<String>,
}

/// Whoever may look at a job.
pub trait Host: Send + Sync {
    /// The answer of `find --format json`, new or read from a report; or why there is none, for the user.
    fn answer(&self, settings: &Settings) -> Result<String, String>;
}
