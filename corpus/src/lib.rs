//! MPI programs of our own (the `*.c` files of this directory), built and started hung on request.
//!
//! Tests, demo and bench all need the same thing: a real job that hangs at a known rank, iteration and line, and
//! that is gone afterwards whatever happens. [`Program`] knows the sources and the marked lines, [`Build`] compiles
//! them, [`Job`] starts one and waits until it hangs.
//!
//! Nothing here looks at a stack or uses any other crate of hindmost: what the job does is known from the job
//! itself, so that a test can hold hindmost's answer against it.

mod error;
mod heartbeat;
mod job;
mod processes;
mod program;

pub use error::Error;
pub use heartbeat::Heartbeat;
pub use job::{Job, JobPlan, Stall};
pub use processes::{JobProcesses, ProcessorTime, cpu_ticks, is_running};
pub use program::{Build, Mpi, Program, directory};
