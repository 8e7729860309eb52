//! The command lines of `hindmost trace`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

pub(crate) const TRACE_HELP: &str = "\
Reads what hindmost run --trace DIR has written of each task, while the job runs, after its end, or after it was killed: every call and return up to the last one.

Exit status: 0 shown or packed (of diff and outliers: somebody did otherwise), 1 diff and outliers: all did the same, 2 error.";

#[derive(Args, Debug)]
pub(crate) struct TraceArgs {
    #[command(subcommand)]
    pub(crate) command: TraceCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum TraceCommand {
    /// The last events of each task
    Show(ShowTraceArgs),
    /// How often each call path was taken
    Tree(TreeTraceArgs),
    /// What each task did, loops folded; tasks that did the same together
    Loops(LoopsArgs),
    /// Where two tasks part, or one task in two runs, and what each called more
    Diff(DiffArgs),
    /// Tasks grouped by what they called, and those that do not do as most
    Outliers(OutliersArgs),
    /// Makes the traces smaller, without changing what is in them. hindmost run does it for the tasks of its host
    Pack(PackTraceArgs),
}

/// Which traces, and which of their functions.
#[derive(Args, Debug)]
pub(crate) struct WhichArgs {
    /// The directory of the traces
    #[arg(required = true, value_name = "DIR")]
    pub(crate) directory: PathBuf,
    /// Only functions whose name has this regular expression in it, or mpi, omp, pthread: those of MPI, of OpenMP with its parallel regions, of threads. What others call counts as called by who
    /// called them
    #[arg(long, value_name = "mpi|omp|pthread|REGEX")]
    pub(crate) only: Option<String>,
    /// Only what was called within these calls of a function, counted in each thread from 1: step, step:41 or step:40-42
    #[arg(long, value_name = "FUNCTION[:N[-M]]")]
    pub(crate) within: Option<String>,
    /// Only from this call of a function on, of which without a number the first is meant
    #[arg(long, value_name = "FUNCTION[:N]")]
    pub(crate) from: Option<String>,
    /// Only what comes before this call of a function, the first without a number. An iteration is what lies from one call to the next: --from sweep:41 --until sweep:42
    #[arg(long, value_name = "FUNCTION[:N]")]
    pub(crate) until: Option<String>,
    /// All threads, not the first one of each process alone
    #[arg(long)]
    pub(crate) threads: bool,
}

/// The same of all ranks or of one.
#[derive(Args, Debug)]
pub(crate) struct WhoseArgs {
    #[command(flatten)]
    pub(crate) which: WhichArgs,
    /// Only this rank, or this process where there are no ranks
    #[arg(long, value_name = "RANK")]
    pub(crate) rank: Option<u32>,
}

#[derive(Args, Debug)]
pub(crate) struct ShowTraceArgs {
    #[command(flatten)]
    pub(crate) whose: WhoseArgs,
    /// How many events of each
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) last: usize,
    /// How to print it
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: ShowFormat,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShowFormat {
    /// For people
    Text,
    /// For programs
    Json,
    /// All events, for Perfetto and other viewers of Chrome's trace format. Traces have no clock: an event stands at its number
    Perfetto,
}

#[derive(Args, Debug)]
pub(crate) struct TreeTraceArgs {
    #[command(flatten)]
    pub(crate) whose: WhoseArgs,
    /// How to print it
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: TreeTraceFormat,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TreeTraceFormat {
    /// For people
    Text,
    /// For programs
    Json,
    /// A line for each path with its functions and calls, as flame graphs are made of
    Folded,
}

#[derive(Args, Debug)]
pub(crate) struct LoopsArgs {
    #[command(flatten)]
    pub(crate) whose: WhoseArgs,
    /// How deep calls and loops are shown within each other
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub(crate) depth: usize,
    /// How many lines of each
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) lines: usize,
    /// Write a page for a browser, in a file that needs nothing else: a column for all ranks that did the same, side by side, open where ways part
    #[arg(long, value_name = "FILE", conflicts_with_all = ["depth", "lines", "format"])]
    pub(crate) html: Option<PathBuf>,
    /// How to print it; json has all
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: crate::args::Format,
}

#[derive(Args, Debug)]
pub(crate) struct DiffArgs {
    #[command(flatten)]
    pub(crate) which: WhichArgs,
    /// A rank, or a process where there are no ranks
    pub(crate) one: u32,
    /// Another one; with --with the same again unless another is given
    #[arg(required_unless_present = "with")]
    pub(crate) other: Option<u32>,
    /// The other one is of this run
    #[arg(long, value_name = "DIR")]
    pub(crate) with: Option<PathBuf>,
    /// How many differences
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) most: usize,
    /// How to print it
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: crate::args::Format,
}

#[derive(Args, Debug)]
pub(crate) struct PackTraceArgs {
    /// The directory of the traces
    #[arg(required = true, value_name = "DIR")]
    pub(crate) directory: PathBuf,
    /// The job is over on all hosts: without this, traces of tasks of other hosts are left as they are
    #[arg(long)]
    pub(crate) over: bool,
    /// In the background, until this process has ended
    #[arg(long, hide = true, value_name = "PID")]
    pub(crate) behind: Option<i32>,
    /// It is the process in the background
    #[arg(long, hide = true, requires = "behind")]
    pub(crate) detached: bool,
}

#[derive(Args, Debug)]
pub(crate) struct OutliersArgs {
    #[command(flatten)]
    pub(crate) which: WhichArgs,
    /// How many call paths of each
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) most: usize,
    /// How to print it
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: crate::args::Format,
}
