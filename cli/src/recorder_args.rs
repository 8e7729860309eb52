//! The command lines of `hindmost recorder`, `hindmost run` and `hindmost waits`.

use crate::host_args::{HostArgs, WhichHosts};
use clap::Args;
use std::path::PathBuf;

pub(crate) const RECORDER_HELP: &str = "\
The recorder is one shared object for one MPI library, made with that library's own compiler. Preloaded into a job (hindmost run does it) it writes down \
what each task does in MPI, in a file of 4.5 MB for each that can be read at any moment.

Exit status: 0 it was made, 2 error.";

pub(crate) const RUN_HELP: &str = "\
Starts the command with the recorder preloaded: hindmost run -- mpirun -np 4 ./app. With --trace the tracer is preloaded as well. Where the recordings are is said on standard error; \
hindmost waits reads them, while the job runs and afterwards. Hosts other than this one make the directory themselves.

Exit status: the command's own; 2 if it could not be started.";

pub(crate) const WAITS_HELP: &str = "\
Reads what the flight recorder has written of each task, while the job runs or after its end, and says who waits for whom.

Exit status: 0 a deadlock, a call that does not fit, or whom the others wait for is named and proven, 3 it is named and not proven, 1 nobody waits for anybody, 2 error.";

pub(crate) const TIMELINE_HELP: &str = "\
Prints what the tasks of a job did in MPI, one event behind the other, so that nothing stands before what it depends on: no receive before its send, whatever the hosts' clocks say. \
It reads what hindmost run --events has recorded, while the job runs or after its end, and files of events of other tools (docs/causal.md). Of a job that is named by its launcher, --job or --hosts, all its hosts are \
asked for what their tasks write (docs/clusters.md). What stands out of order since something was not read or not recorded says so.

Exit status: 0 there are events, 1 there are none, 2 error.";

#[derive(Args, Debug)]
pub(crate) struct RecorderArgs {
    /// The compiler of the MPI library that the job uses
    #[arg(long, value_name = "COMPILER", default_value = "mpicc")]
    pub(crate) mpicc: PathBuf,
    /// Where to write it
    #[arg(short, long, value_name = "FILE", default_value = "libhindmost-recorder.so")]
    pub(crate) output: PathBuf,
    /// The part that all of them share [default: libruntime_pmpi.a beside hindmost, or in ../lib/hindmost]
    #[arg(long, value_name = "FILE")]
    pub(crate) runtime: Option<PathBuf>,
}

/// How a job is recorded that is started.
#[derive(Args, Debug)]
pub(crate) struct RecordingArgs {
    /// A recorder that hindmost recorder has made [default: one is made now, with mpicc]
    #[arg(long, value_name = "FILE")]
    pub(crate) recorder: Option<PathBuf>,
    /// The directory for the recordings; it is made if it is not there [default: a new one in /dev/shm]
    #[arg(long, value_name = "DIR")]
    pub(crate) record: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) recording: RecordingArgs,
    /// Record the last events of each task as well, for hindmost timeline [default: 65536 of them, 4 MB]
    #[arg(long, value_name = "EVENTS", num_args = 0..=1, require_equals = true, default_missing_value = "65536")]
    pub(crate) events: Option<u64>,
    /// Let receives and probes from anybody, or under any tag, take what they took in the job that was recorded with --events in this directory, and requests be complete in the same order: where the record ends or does not fit, that is said on standard error, and they take what comes
    #[arg(long, value_name = "DIR", conflicts_with = "no_recorder")]
    pub(crate) replay: Option<PathBuf>,
    /// Trace every call and return as well, into this directory, which is made if it is not there: of programs that were compiled with -finstrument-functions,
    /// -fxray-instrument, or gcc's -mnop-mcount with its ends (docs/traces.md); for hindmost trace
    #[arg(long, value_name = "DIR")]
    pub(crate) trace: Option<PathBuf>,
    /// With --trace: change the code of this file in memory where it is loaded, a program or a shared library, so that functions are traced that were not compiled for it; several may be given, and all means all but the C library.
    /// What cannot be changed for certain is left as it is, and listed beside the traces
    #[arg(long, value_name = "NAME|all", requires = "trace")]
    pub(crate) rewrite: Vec<String>,
    /// The tracer [default: libruntime_trace.so beside hindmost, or in ../lib/hindmost]
    #[arg(long, value_name = "FILE", requires = "trace")]
    pub(crate) tracer: Option<PathBuf>,
    /// With --trace: leave the flight recorder out
    #[arg(long, requires = "trace", conflicts_with_all = ["recorder", "record", "events"])]
    pub(crate) no_recorder: bool,
    /// The command that starts the job
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct WaitsArgs {
    /// Directories of recordings, or recordings
    #[arg(required = true, value_name = "DIR")]
    pub(crate) paths: Vec<PathBuf>,
    /// Print every wait, not the first ones
    #[arg(long)]
    pub(crate) all: bool,
    /// How to print it
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: RecordedFormat,
}

#[derive(Args, Debug)]
pub(crate) struct TimelineArgs {
    /// Directories of recordings, recordings, or the launcher or a process of a job that is recorded and runs here; or a file of another tool: what otf2-print --show-all prints, a trace in Chrome's format (as JSON), or what
    /// --export jsonl or perfetto has written; - is standard input
    #[arg(required_unless_present_any = ["hosts", "job"], conflicts_with_all = ["hosts", "job"], value_name = "DIR|PID|FILE")]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) which: WhichHosts,
    #[command(flatten)]
    pub(crate) reach: HostArgs,
    /// Serve it as a page for a browser of this machine, while it comes; the page's address, which nobody can guess, is printed. Other than 0: on this port
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "0", conflicts_with_all = ["all", "follow", "export", "view"])]
    pub(crate) serve: Option<u16>,
    /// Draw it in the terminal, a line for each rank, and go along with the job until it is quitted
    #[arg(long, conflicts_with_all = ["all", "follow", "export"])]
    pub(crate) view: bool,
    /// Print every event, not the last ones
    #[arg(long, conflicts_with = "export")]
    pub(crate) all: bool,
    /// Print events while they come, until the job ends: each as soon as all that it depends on is there. As JSON Lines without the first line, if so asked
    #[arg(long, conflicts_with = "all")]
    pub(crate) follow: bool,
    /// Write all events for programs
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) export: Option<TimelineFormat>,
}

/// How `timeline` writes all events.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimelineFormat {
    /// One object a line, in causal order
    Jsonl,
    /// A page for a browser, in a file that needs nothing else: the newest 200,000 events
    Html,
    /// For Perfetto and other viewers of Chrome's trace format
    Perfetto,
}

/// How `waits` prints what was recorded.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordedFormat {
    /// For people
    Text,
    /// For programs
    Json,
    /// For Graphviz: tasks that wait alike are one node
    Dot,
    /// As AutomaDeD dumps its graph, for its viewer
    Automaded,
}

/// How `find` prints waits beside an answer, or in its place.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitsFormat {
    /// For people
    Text,
    /// For programs
    Json,
    /// For Graphviz: tasks that wait alike are one node
    Dot,
}
