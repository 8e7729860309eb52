//! The tracer inside each task: every call and return of its threads, written where it can be read at any moment.
//!
//! A library that is preloaded into programs whose compiler has put a call at the beginning and end of each function (`-finstrument-functions`), or left room for one, or that are rewritten in memory. It runs
//! at every call of a production job, so the hot path allocates nothing, locks nothing and calls nobody. What is rare (a new block, function, thread, process) is done with
//! all signals blocked and by system calls alone. Whatever fails ends the trace, which says so, and never the program.
//!
//! # How it works
//!
//! - [`hooks`]: what programs call, and the functions of the C library that leave other functions without their exits.
//! - `sites`: places that a compiler has left for calls, which are made before the program begins.
//! - `rewrite`: functions of programs that nobody has prepared, whose first and last instructions become jumps before the program begins.
//! - `patch`: code while it is changed, and memory near it.
//! - `quick`: what hooks and stubs do with an event that was foretold.
//! - `stubs`: what changed code calls.
//! - `call`: what hooks tell.
//! - `thread`: what a thread does at an event, whatever signals come between.
//! - `state`: what an event does to its trace. A shadow of its calls tells which exits are missing.
//! - `life`: how its trace begins and ends.
//! - `shadow`: that shadow: functions with the addresses of their frames.
//! - `blocks`: the file of a thread, mapped piece by piece.
//! - `stamps`: when things happened, and which message it was.
//! - `process`: the file of the process, made at its first event, and anew in a child that was forked.
//! - `functions`: numbers of functions by address, found without a lock.
//! - `modules`: the files that code is in.
//! - `own`: the pointer of each thread to what is its own.
//! - `system`: files, memory and signals of the kernel.
//! - `vectors`: registers that the C library must not change.
//!
//! `unsafe` stands where memory is mapped, where C calls, and where a thread reaches its own state: a signal handler may interrupt a hook anywhere and call another.

mod blocks;
mod call;
mod functions;
pub mod hooks;
mod life;
mod modules;
mod own;
mod patch;
mod process;
mod quick;
mod rewrite;
mod shadow;
mod sites;
mod stamps;
mod state;
mod stubs;
mod system;
mod thread;
mod vectors;
