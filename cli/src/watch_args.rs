//! The command line of `hindmost watch`.

use crate::args::{StopChoice, duration};
use crate::host_args::{HostArgs, WhichHosts};
use crate::tree_args::Shape;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) const WATCH_HELP: &str = "\
The job is looked at now and then (threads that sleep in a system call are read in their sleep, others stopped for microseconds). There are two kinds of alarm. When \
nobody computes and no task has moved for a time (--still), the job stands still. When a few compute and all others have waited for them for a \
longer time (--busy), they may be in an endless loop, or about to be done: from outside these look alike, and the job is called hung only where all tasks \
wait for each other, or when a time has passed that was given. Both times are learned from the job where they are not given. Worker threads count, those of MPI do not, \
and neither does what a task does inside of MPI. Where the tasks record what they do (hindmost run), those who can never go on are reported at once.

With an alarm the report is written: PREFIX.txt (the answer and the tree), \
PREFIX.html (both as a page for a browser), PREFIX.json (the answer), PREFIX.tree.json, and PREFIX.snapshot. When the job goes on, the alarm is taken back.

With -- COMMAND the job is started, its output is its own, and hindmost watches until it ends, and ends as it ends.

Exit status: 0 the job ended without an alarm that was not taken back, 4 there was one, 2 error; with -- and without an alarm the job's own \
status (128 and the signal, if one ended it).";

#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("watched").required(true).multiple(false).args(["launcher", "command", "hosts", "job"]))]
pub(crate) struct WatchArgs {
    /// The launcher of the job (mpirun, srun), or its only process
    #[arg(long, value_name = "PID")]
    pub(crate) launcher: Option<u32>,
    /// Start this job and watch it
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    /// The map of the program
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    /// How often to look
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    pub(crate) every: Duration,
    /// So long no task may move, while nobody computes, before the job counts as hung [default: 10 times the longest such pause, at least a minute]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) still: Option<Duration>,
    /// So long some may compute while all others wait, before the job counts as hung [default: an alarm after 10 times the longest such pause, at least 10 minutes, or 10
    /// times --still]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) busy: Option<Duration>,
    /// Where to write the report: PREFIX.txt and so on
    #[arg(long, value_name = "PREFIX", default_value = "hindmost-report")]
    pub(crate) report: PathBuf,
    /// Run this by the shell when the report is written; HINDMOST_REPORT holds its prefix, HINDMOST_ALARM the reason
    #[arg(long, value_name = "COMMAND")]
    pub(crate) run: Option<String>,
    /// Of a job that runs anyway: go on watching after a report, until the job ends
    #[arg(long)]
    pub(crate) go_on: bool,
    #[command(flatten)]
    pub(crate) which: WhichHosts,
    #[command(flatten)]
    pub(crate) hosts: HostArgs,
    #[command(flatten)]
    pub(crate) stop: StopChoice,
    #[command(flatten)]
    pub(crate) shape: Shape,
}
