//! The command line of `hindmost watch`.

use crate::args::{StopChoice, duration};
use crate::tree_args::Shape;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) const WATCH_HELP: &str = "\
The job is looked at now and then (threads that sleep in a system call are read in their sleep, others stopped for microseconds). When no task has moved for the given time, or for \
ten times the longest pause that it has made so far, the report is written: PREFIX.txt (the answer and the tree), \
PREFIX.html (both as a page for a browser), PREFIX.json (the answer), PREFIX.tree.json, and PREFIX.snapshot.

With -- COMMAND the job is started, its output is its own, and hindmost ends as it ends.

Exit status: 0 the job ended without having stood still, 1 it stood still and the report was written, 2 error; with -- the job's own \
status, if that is not 0.";

#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("watched").required(true).multiple(false).args(["launcher", "command"]))]
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
    /// So long no task may move before the job counts as hung [default: learned, at least a minute]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) still: Option<Duration>,
    /// Where to write the report: PREFIX.txt and so on
    #[arg(long, value_name = "PREFIX", default_value = "hindmost-report")]
    pub(crate) report: PathBuf,
    /// Run this by the shell when the report is written; HINDMOST_REPORT holds its prefix
    #[arg(long, value_name = "COMMAND")]
    pub(crate) run: Option<String>,
    /// Go on watching after a report, until the job ends
    #[arg(long)]
    pub(crate) go_on: bool,
    #[command(flatten)]
    pub(crate) stop: StopChoice,
    #[command(flatten)]
    pub(crate) shape: Shape,
}
