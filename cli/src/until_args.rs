//! The command line of `hindmost until`.

use crate::host_args::{HostArgs, WhichHosts};
use crate::recorder_args::RecordingArgs;
use clap::Args;
use std::path::PathBuf;

pub(crate) const UNTIL_HELP: &str = "\
Starts a job with the flight recorder, follows what its tasks do in MPI in causal order, and when the condition comes true, prints at which event, who is behind then, and where:
  hindmost until 'rank 3 in Allreduce and any rank has sent tag 7 to 3 since' -- mpirun -np 4 ./app
Facts: WHO in CALL [for TIME], WHO outside [for TIME], WHO has sent|received [tag N] [to|from RANKS] [N times] [since], WHO has entered|left CALL [N times] [since].
WHO: rank 3, ranks 0-3, any rank, all ranks, any of 0-3, 2 ranks, 2 of 0-3. CALL: a function of MPI, with or without MPI_, or MPI for any. They are put together by and, or, not and \
brackets; since counts from when what is left of it in the same and holds. docs/causal.md says exactly what a condition means.

A condition is told within some tens of milliseconds. Of a job on several hosts all are followed, by what find reaches them (docs/clusters.md). With --stop the tasks of this host are stopped then, for a debugger, and go on when a line is read from standard input, when somebody else lets them go on, or when hindmost ends.

Exit status: 0 the condition came true, 1 the job ended before, 2 error.";

#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("followed").required(true).multiple(false).args(["recordings", "command", "hosts", "job"]))]
pub(crate) struct UntilArgs {
    /// What to wait for
    pub(crate) condition: String,
    /// Follow this job, which runs and records its events (hindmost run --events), instead of starting one: by its directory, or by its launcher or a process of it; or look through a file of events of another tool
    /// (docs/causal.md)
    #[arg(long, value_name = "DIR|PID|FILE", conflicts_with_all = ["recorder", "record", "events", "end"])]
    pub(crate) recordings: Option<PathBuf>,
    /// Wait for it again and again, until the job ends
    #[arg(long)]
    pub(crate) again: bool,
    /// Stop the tasks when it comes true, and print how to attach a debugger, not who is behind
    #[arg(long)]
    pub(crate) stop: bool,
    /// End the job when it has come true
    #[arg(long, conflicts_with = "again")]
    pub(crate) end: bool,
    /// Keep the stacks of each time as PREFIX-1.snapshot, PREFIX-2.snapshot and so on
    #[arg(long, value_name = "PREFIX")]
    pub(crate) save: Option<PathBuf>,
    /// The map of the program
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) which: WhichHosts,
    #[command(flatten)]
    pub(crate) reach: HostArgs,
    #[command(flatten)]
    pub(crate) recording: RecordingArgs,
    /// How many events of each task are kept until they are read
    #[arg(long, value_name = "EVENTS", default_value = "65536")]
    pub(crate) events: u64,
    /// The command that starts the job
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}
