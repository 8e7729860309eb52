//! The probes of a job's hosts as one program of MPI: one process a host looks at the tasks there, adds what those below it have seen, and sends it on.
//!
//! Process 0 speaks with who asks, over its standard streams (`nodes`): a [`nodes::Plan`], maps, looks. It hands each question down the binomial tree ([`nodes::tree`]), and
//! the answers come up the same way. What it says in the end is byte for byte what who asks would have merged himself.
//!
//! **Half of a cluster may be dead.** Nobody waits for another without a limit. Who does not take a question or give an answer in time is left out from then on, with those below him: the
//! answer tells who is in it, and the others are asked without MPI.
//!
//! **The job goes on beside it.** Who waits sleeps in between: a process that polls would take a processor from the job's ranks.
//!
//! What is of one MPI is in a shim of C (`integrations/mpi`), which gives a table of functions ([`interface`]); the reduction ([`Process`]) knows a [`Network`] alone.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod host;
pub mod interface;
mod network;
mod process;
mod program;
mod replay;

pub use network::Network;
pub use process::{Next, Process, Sink, Source};
pub use replay::LOOK;
