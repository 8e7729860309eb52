//! Asks the hosts of a job: how they are reached, how the probe is started there, who answers in time.
//!
//! Six parts, each of which can be replaced alone. [`hosts`]: which hosts, and which of their processes. [`transport`]: the program that runs a command line on a host
//! and connects its standard streams (`ssh`, `srun`, or whatever the user names). [`slurm`] and [`flux`]: where a job of these runs. `start`: the command line that gets the probe to run there and leaves nothing behind. [`Gathering`]: the
//! dialogue (`nodes`) with all of them at once, up to a deadline; `following`: the same while their tasks are followed. [`Reduction`]: the same with hosts that answer together, by a program of MPI (`runtime-reduce`) that [`mpirun`] starts.
//!
//! **Half of a cluster may be dead.** One thread waits for all hosts together, for none longer than the deadline, and for a few that are silent while all others have answered a grace only. Every host that was asked has an answer in the end: its report, or a [`Loss`]
//! that says how far it came and why it came no further.
//!
//! **Nothing stays behind.** The probe's file is removed before it begins to run, and it ends when the stream to it does, however that happens: an end, a `^C`, a kill, a lost connection.
//!
//! **Nothing is believed.** Names of hosts are checked before they are used; a command line is made of constants and numbers, and quoted by `shlex`. What a host sends is bounded before it is read.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod batch;
pub mod flux;
mod following;
mod gathering;
mod hostlist;
pub mod hosts;
mod loss;
mod maps;
pub mod mpirun;
mod node;
mod patience;
mod printed;
mod reduction;
mod session;
pub mod slurm;
mod start;
mod told;
pub mod transport;

pub use batch::{BatchError, BatchJob, NotABatchJob};
pub use following::Streamed;
pub use gathering::{Gathering, Seen};
pub use hostlist::{NotAList, expand};
pub use hosts::{HostName, HostsError, ListedHost, NotAHost};
pub use loss::{Loss, Reached};
pub use maps::{MapFrames, SentMap};
pub use mpirun::{Launch, LaunchError};
pub use node::Asked;
pub use patience::Patience;
pub use reduction::Reduction;
pub use start::{Probe, ProbeFault};
pub use told::{VARIABLES, Written, hosts_of_orte, told_hosts};
pub use transport::{Transport, TransportError, Way};
