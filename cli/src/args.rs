//! The command line.

use crate::embed_args::{CC_HELP, CcArgs, EMBED_HELP, EXTRACT_HELP, EmbedArgs, ExtractArgs};
use crate::host_args::{HostArgs, WhichHosts};
use crate::plugin::{PLUGIN_HELP, PluginArgs};
use crate::recorder_args::{
    RECORDER_HELP, RUN_HELP, RecorderArgs, RunArgs, TIMELINE_HELP, TimelineArgs, WAITS_HELP, WaitsArgs,
    WaitsFormat,
};
use crate::reducer::{REDUCER_HELP, ReducerArgs};
use crate::trace_args::{TRACE_HELP, TraceArgs};
use crate::tree_args::{Shape, TREE_HELP, TreeArgs, TreeFormat};
use crate::until_args::{UNTIL_HELP, UntilArgs};
use crate::view_args::{VIEW_HELP, ViewArgs};
use crate::watch_args::{WATCH_HELP, WatchArgs};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// What the exit status of an answer means; it is part of the help of all commands that give one.
macro_rules! status_of_answer {
    () => {
        "0 the hindmost is named and proven, 3 it is named as probable, 1 nobody is named (the output says why), 2 error."
    };
}

const EXIT_CODES: &str = concat!(
    "Exit status of find and order: ",
    status_of_answer!(),
    "\nExit status of map, embed, extract, counters, show, gdb-script and lldb-script: 0 done, 2 error."
);

/// Finds the task of a hung parallel job that is behind all others, and says why.
#[derive(Parser, Debug)]
#[command(name = "hindmost", version, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Name the hindmost task of a running job
    #[command(after_help = FIND_HELP)]
    Find(Box<FindArgs>),
    /// Make a progress map from C sources
    #[command(after_help = "Exit status: 0 the map was written, 2 error.")]
    Map(MapArgs),
    /// Print a patch that gives loops without a strict variable a counter
    #[command(after_help = COUNTERS_HELP)]
    Counters(CountersArgs),
    /// Tell which loops keep a readable order variable in a build, and what helps those that lose it
    #[command(after_help = CHECK_HELP)]
    Check(CheckArgs),
    /// Run a compiler, and put what the map needs into what it makes
    #[command(after_help = CC_HELP, aliases = ["c++", "fc"])]
    Cc(CcArgs),
    /// Make the plugin by which a gcc puts what the map needs into what it makes
    #[command(after_help = PLUGIN_HELP)]
    Plugin(PluginArgs),
    /// Put the map into the program
    #[command(after_help = EMBED_HELP)]
    Embed(EmbedArgs),
    /// Take the map out of a program
    #[command(after_help = EXTRACT_HELP)]
    Extract(ExtractArgs),
    /// Show what a map knows about a source line, or as a whole
    #[command(after_help = "Exit status: 0 shown, 2 error.")]
    Show(ShowArgs),
    /// Order recorded stacks
    #[command(after_help = ORDER_HELP)]
    Order(OrderArgs),
    /// Show which statements may have had an influence on a line
    #[command(after_help = "Exit status: 0 shown, 2 error.")]
    Slice(SliceArgs),
    /// Show recorded stacks as a prefix tree, its branches in the order of their progress
    #[command(after_help = TREE_HELP)]
    Tree(TreeArgs),
    /// Serve an editor's debugger: attach to the hindmost task (a debug adapter, over standard input and output)
    #[command(
        after_help = "docs/debuggers.md tells how to set up editors. Exit status: 0 the editor has left, 2 error."
    )]
    Dap(DapArgs),
    /// Serve an editor: what was found, in the source (a language server, over standard input and output)
    #[command(
        after_help = "docs/editor.md tells how to set up editors. Exit status: 0 ended as the protocol wants, 1 otherwise."
    )]
    Lsp(LspArgs),
    /// Walk in the tree of recorded stacks, in the terminal
    #[command(after_help = VIEW_HELP)]
    View(ViewArgs),
    /// Watch a job, and write the report when it stands still
    #[command(after_help = WATCH_HELP)]
    Watch(WatchArgs),
    /// Make the flight recorder for an MPI library
    #[command(after_help = RECORDER_HELP)]
    Recorder(RecorderArgs),
    /// Make the program that adds up the answers of very many hosts, for an MPI library
    #[command(after_help = REDUCER_HELP)]
    BuildReducer(ReducerArgs),
    /// Start a job with the flight recorder, and with traces of its calls
    #[command(after_help = RUN_HELP)]
    Run(RunArgs),
    /// Print hindmost's commands for gdb, a Python file for gdb to source
    #[command(
        after_help = "hindmost gdb-script > hindmost-gdb.py, then in gdb (or in ~/.gdbinit): source hindmost-gdb.py, and help hindmost. \
        Exit status: 0 printed, 2 error."
    )]
    GdbScript,
    /// Print hindmost's commands for lldb, a Python file for lldb to import
    #[command(
        after_help = "hindmost lldb-script > hindmost_lldb.py, then in lldb (or in ~/.lldbinit): command script import hindmost_lldb.py, and \
        help hindmost. Debian 12's lldb 14 looks for its Python module in the wrong place and runs no script at all unless it is started with \
        PYTHONPATH=/usr/lib/llvm-14/lib/python3.11/dist-packages. Exit status: 0 printed, 2 error."
    )]
    LldbScript,
    /// Tell who waits for whom, from the recordings of a job
    #[command(after_help = WAITS_HELP)]
    Waits(WaitsArgs),
    /// Show what the tasks of a job did, in causal order, from its recordings
    #[command(after_help = TIMELINE_HELP)]
    Timeline(TimelineArgs),
    /// Follow a job until a condition over its ranks comes true, and look at it or stop it then
    #[command(after_help = UNTIL_HELP)]
    Until(UntilArgs),
    /// Show what the tasks of a job called, from its traces
    #[command(after_help = TRACE_HELP)]
    Trace(TraceArgs),
    /// Write man pages and completions of shells
    #[command(hide = true)]
    GeneratePages(PagesArgs),
}

/// Where pages go.
#[derive(Args, Debug)]
pub(crate) struct PagesArgs {
    /// The directory: man1, bash, zsh and fish are made in it
    pub(crate) directory: PathBuf,
}

const FIND_HELP: &str = concat!(
    "\
Without --map, the map is the one beside the executable (PROGRAM.hmap, app.hmap) when it was bound to this build, or \
else one made on the spot from the sources that the executable's debug info names; that one is kept in \
$XDG_CACHE_HOME/hindmost, or ~/.cache/hindmost.

Threads that sleep in a system call are read in their sleep; they are stopped only if something is in a register and the call begins \
again by itself. Threads that run are stopped for microseconds each and then run on. What cannot be avoided: one that runs may come \
into a call between the look and the stop, and a call that does not begin again (epoll_wait, a receive with a time limit or with MSG_WAITALL, \
a large write) then returns EINTR or a short count to the program; a warning names it. Reading needs the tasks' user's rights.

Exit status: ",
    status_of_answer!()
);

const COUNTERS_HELP: &str = "\
The patch goes to standard output, what it does to standard error: hindmost counters src | patch -p1
A counter is a local 'volatile unsigned long' that every cycle of the loop steps; lines keep their numbers. By default \
the loops that call something get one, where no variable orders their iterations on all tasks; FILE:LINE gives the loop there one in \
any case.

Exit status: 0 the patch was printed (it may be empty), 2 error.";

const CHECK_HELP: &str = "\
Counted are the loops that call something: a hung task stands in a call. A variable counts as readable where a debugger would \
find it in a frame that has called another.

Exit status: 0 every such loop keeps a variable at every call (with --min: enough of them do; with --since: none has lost it), 1 some lose it, 2 error.";

const ORDER_HELP: &str = concat!(
    "\
Stacks are JSON Lines, one task per line, frames outermost first:
  {\"task\": \"3\", \"rank\": 3, \"frames\": [{\"function\": \"main\", \"file\": \"app.c\", \"line\": 40, \"values\": {\"it\": 41}}]}
A snapshot that find saved is accepted too.

With --pairs, every line of PAIRS names two tasks, and one line per pair is printed, in order:
  A B before|after|equal|incomparable|unknown REASON

Exit status: ",
    status_of_answer!(),
    " With --pairs: 0 all pairs are compared, 2 error."
);

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// For programs; docs/json-schema.md describes it.
    Json,
}

/// How an answer about a job, or the check of a build, is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnswerFormat {
    /// For people.
    Text,
    /// For programs; docs/json-schema.md describes it.
    Json,
    /// SARIF 2.1.0, for editors and for services that show results beside the code.
    Sarif,
}

/// Whether threads are stopped that could be read in their sleep.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct StopChoice {
    /// Stop threads also where they sleep in a system call that may then return EINTR or a short count to the program; all
    /// registers are read
    #[arg(long)]
    pub(crate) stop: bool,
}

impl StopChoice {
    pub(crate) fn stopping(self) -> runtime_probe::Stopping {
        if self.stop {
            runtime_probe::Stopping::Always
        } else {
            runtime_probe::Stopping::Sparing
        }
    }
}

/// Which threads are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ThreadChoice {
    /// The main thread only.
    Main,
    /// All threads.
    All,
}

/// How names of functions are printed.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct NameChoice {
    /// Print long names of functions whole, with all their template arguments (as text; JSON always has them)
    #[arg(long)]
    pub(crate) whole_names: bool,
}

impl From<NameChoice> for report::Names {
    fn from(choice: NameChoice) -> Self {
        if choice.whole_names {
            Self::Whole
        } else {
            Self::Short
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct MapArgs {
    /// C files, or directories to search for .c and .h files
    pub(crate) paths: Vec<PathBuf>,
    /// Take the files from a compile_commands.json, or from the one in this directory
    #[arg(short = 'p', value_name = "FILE|DIR")]
    pub(crate) compile_commands: Option<PathBuf>,
    /// With -p: do not run the build's compilers as preprocessors for what raw text leaves open
    #[arg(long)]
    pub(crate) no_preprocess: bool,
    /// With -p: read what the preprocessor makes of C files with a second parser, which knows all types
    #[arg(long, requires = "compile_commands", conflicts_with = "no_preprocess")]
    pub(crate) exact: bool,
    /// With -p: run whatever program its commands name, with all their options but those that write files. Without it only compilers are run, with options
    /// that can do no harm. Not for a build that somebody else has made
    #[arg(long, requires = "compile_commands")]
    pub(crate) trust_build: bool,
    /// With -p: how long a compiler may take to preprocess one file
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) preprocess_limit: u64,
    /// Bind the map to this executable; without PATHS and -p, its debug info names the sources
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) exe: Option<PathBuf>,
    /// With --exe: bind the map to this shared object as well, with which the program runs; repeat it for more
    #[arg(long = "library", value_name = "LIBRARY", requires = "exe")]
    pub(crate) libraries: Vec<PathBuf>,
    /// Where to write the map [default: PROGRAM.hmap with --exe, else app.hmap]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// How many threads work [default: one per processor]
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Neither use nor keep maps of unchanged sources in $XDG_CACHE_HOME/hindmost, or ~/.cache/hindmost
    #[arg(long)]
    pub(crate) no_cache: bool,
    /// Print nothing but warnings and errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CountersArgs {
    /// C files, directories, and FILE:LINE for only the loop around a line
    #[arg(value_name = "PATH|FILE:LINE")]
    pub(crate) paths: Vec<String>,
    /// Take the files from this map, as far as they have not changed since
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    /// Take the files from a compile_commands.json, or from the one in this directory
    #[arg(short = 'p', value_name = "FILE|DIR")]
    pub(crate) compile_commands: Option<PathBuf>,
    /// Also loops that call nothing
    #[arg(long)]
    pub(crate) all: bool,
    /// Print nothing but the patch, warnings and errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// The program, built with -g
    #[arg(value_name = "PROGRAM")]
    pub(crate) program: PathBuf,
    /// Its C and C++ files, or directories of them [default: those that its debug info names]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Its map, instead of sources
    #[arg(long, value_name = "FILE", conflicts_with = "paths")]
    pub(crate) map: Option<PathBuf>,
    /// The share of loops that must keep a variable at every call, in per cent
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) min: Option<f64>,
    /// Compare with an earlier build: what check --format json has printed of it. Loops that kept a variable and no longer do are listed on
    /// standard error, and the others do not count
    #[arg(long, value_name = "FILE", conflicts_with = "min")]
    pub(crate) since: Option<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = AnswerFormat::Text)]
    pub(crate) format: AnswerFormat,
}

#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    /// The map
    pub(crate) map: PathBuf,
    /// The source line to show; FILE may be the end of a path
    #[arg(value_name = "FILE:LINE")]
    pub(crate) line: Option<String>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("named").required(true).multiple(false).args(["launcher", "pids", "cores", "table", "hosts", "job"]))]
pub(crate) struct FindArgs {
    /// The processes of the job; a single one may be its launcher (mpirun, mpiexec, srun)
    #[arg(value_name = "PID")]
    pub(crate) pids: Vec<u32>,
    /// The launcher of the job: all its ranks are read, on all its hosts
    #[arg(long, value_name = "PID")]
    pub(crate) launcher: Option<u32>,
    /// A process table as STAT writes them (`rank host:pid program`)
    #[arg(long, value_name = "FILE")]
    pub(crate) table: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) which: WhichHosts,
    #[command(flatten)]
    pub(crate) hosts: HostArgs,
    /// Core files of the job instead of processes, one of each rank (of the kernel, or of gcore)
    #[arg(long = "core", value_name = "FILE", num_args = 1..)]
    pub(crate) cores: Vec<PathBuf>,
    /// The map of the program
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    /// Look twice, so far apart (2s, 500ms, 1m), and tell who went on in between
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with = "cores")]
    pub(crate) twice: Option<Duration>,
    /// Write the stacks that were read to FILE, for `hindmost order`
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// Write the job's process table to FILE, as STAT and other tools read it
    #[arg(long, value_name = "FILE", conflicts_with = "cores")]
    pub(crate) save_table: Option<PathBuf>,
    /// Which threads of each task to read
    #[arg(long, value_enum, default_value_t = ThreadChoice::All)]
    pub(crate) threads: ThreadChoice,
    #[command(flatten)]
    pub(crate) stop: StopChoice,
    /// Also explain how task A (a rank, or a pid) stands to task B
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    pub(crate) explain: Option<Vec<String>>,
    /// How to print the answer
    #[arg(long, value_enum, default_value_t = AnswerFormat::Text)]
    pub(crate) format: AnswerFormat,
    /// Also show which classes the ranks of each host are in
    #[arg(long, conflicts_with = "format")]
    pub(crate) by_host: bool,
    /// Show the prefix tree of the stacks as well; in another format than text, instead of the answer
    #[arg(long, value_enum, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub(crate) tree: Option<TreeFormat>,
    /// Take so many samples for the tree, and show what changes
    #[arg(long, value_name = "N", requires = "tree", conflicts_with_all = ["twice", "cores"], value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) samples: Option<u32>,
    /// How far apart the samples are
    #[arg(long, value_name = "TIME", requires = "samples", value_parser = duration, default_value = "100ms")]
    pub(crate) every: Duration,
    #[command(flatten)]
    pub(crate) shape: Shape,
    /// Read what the tasks of the job have recorded from here, too; of a job that runs on this host the recordings are found anyway
    #[arg(long, value_name = "DIR")]
    pub(crate) recordings: Option<PathBuf>,
    /// Also show all that was recorded of who waits for whom; in another format than text, or with --format json, instead of the answer
    #[arg(long, value_enum, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub(crate) waits: Option<WaitsFormat>,
    /// Also show which statements may have brought the hindmost to where it is
    #[arg(long, conflicts_with = "format")]
    pub(crate) slice: bool,
    #[command(flatten)]
    pub(crate) job_slice: JobSlice,
}

#[derive(Args, Debug)]
pub(crate) struct SliceArgs {
    /// What to explain: whatever is executed on a line, or the value of a variable there
    #[arg(value_name = "FILE:LINE[:VARIABLE]")]
    pub(crate) criterion: String,
    /// The program's C and C++ files, or directories of them
    #[arg(value_name = "PATH", required_unless_present = "exe")]
    pub(crate) paths: Vec<PathBuf>,
    /// Take the sources that the debug info of PROGRAM names, and of Fortran what gcc's plugin has left in it
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) exe: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shape: SliceShape,
}

/// What a slice of a job's hindmost starts from, and what is shown of it.
#[derive(Args, Debug)]
pub(crate) struct JobSlice {
    /// Grow the slice by the stacks of the classes that come next, up to N classes in all
    #[arg(long, value_name = "N", default_value_t = 1, requires = "slice")]
    pub(crate) classes: usize,
    /// Grow the slice instead by those who wait for the hindmost, directly or through others: the N nearest classes
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1", requires = "slice", conflicts_with = "classes")]
    pub(crate) next: Option<usize>,
    #[command(flatten)]
    pub(crate) shape: SliceShape,
}

/// What of a slice is shown, and how.
#[derive(Args, Debug)]
pub(crate) struct SliceShape {
    /// Show the whole slice, not the nearest statements only
    #[arg(long)]
    pub(crate) all: bool,
    /// How many statements to show; those that are as near as the last one come with it
    #[arg(long, value_name = "N", default_value_t = 20, conflicts_with = "all")]
    pub(crate) top: usize,
    /// Do not follow messages to the tasks that send them
    #[arg(long)]
    pub(crate) no_mpi: bool,
    /// How to print the slice; json and sarif of find and order take the place of the answer
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = SliceFormat::Text)]
    pub(crate) slice_format: SliceFormat,
}

/// How a slice is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SliceFormat {
    /// Source with what each line does
    Text,
    /// One line each, as compilers print notes, for an editor's list
    Lines,
    /// For programs; docs/json-schema.md describes it
    Json,
    /// SARIF 2.1.0, for editors and for services that show results beside the code
    Sarif,
}

#[derive(Args, Debug)]
pub(crate) struct DapArgs {
    /// A launcher or tasks of the job (pid in the editor's configuration names others)
    #[arg(value_name = "PID")]
    pub(crate) pids: Vec<u32>,
    /// An answer, as `find --format json` writes it, instead of a look at the job (report in the configuration)
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// The map of the program (map in the configuration)
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    /// The debugger: gdb, or lldb's own adapter, lldb-dap or lldb-vscode (debugger in the configuration) [default: gdb]
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) debugger: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct LspArgs {
    /// The map of the program; the client may name another
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    /// What was seen of the job, as `find --save` and `watch` write it
    #[arg(long, value_name = "FILE", conflicts_with = "report")]
    pub(crate) snapshot: Option<PathBuf>,
    /// An answer, as `find --format json` writes it, instead of a snapshot
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// What the tasks of the job have recorded of who waits for whom, in this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) recordings: Option<PathBuf>,
    /// Do not follow messages to the tasks that send them
    #[arg(long)]
    pub(crate) no_mpi: bool,
}

#[derive(Args, Debug)]
pub(crate) struct OrderArgs {
    /// The map of the program
    #[arg(long, value_name = "FILE")]
    pub(crate) map: PathBuf,
    /// The recorded stacks; several files are parts of one job, and - is standard input
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    pub(crate) stacks: Vec<PathBuf>,
    /// Compare these pairs of tasks instead of looking for the hindmost
    #[arg(long, value_name = "FILE", conflicts_with_all = ["explain", "format"])]
    pub(crate) pairs: Option<PathBuf>,
    /// Also explain how task A stands to task B
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    pub(crate) explain: Option<Vec<String>>,
    /// How to print the answer
    #[arg(long, value_enum, default_value_t = AnswerFormat::Text)]
    pub(crate) format: AnswerFormat,
    /// Also show which statements may have brought the hindmost to where it is
    #[arg(long, conflicts_with_all = ["format", "pairs"])]
    pub(crate) slice: bool,
    #[command(flatten)]
    pub(crate) names: NameChoice,
    #[command(flatten)]
    pub(crate) job_slice: JobSlice,
}

/// A share in per cent.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim_end().parse().ok();
    number
        .filter(|number| (0.0..=100.0).contains(number))
        .ok_or_else(|| format!("'{text}' is not between 0 and 100"))
}

/// A time as people write it: `2s`, `500ms`, `1.5m`; without a unit, seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let scale = match &text[digits.len()..] {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        unit => return Err(format!("'{unit}' is no unit of time: use ms, s, m or h")),
    };
    let number: f64 = digits
        .parse()
        .map_err(|_| format!("'{text}' is no time such as 2s or 500ms"))?;
    // A day is longer than anybody waits, and keeps the arithmetic in range.
    let seconds = number * scale;
    if !(0.001..=86400.0).contains(&seconds) {
        return Err(format!("'{text}' is not between a millisecond and a day"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_as_people_write_them() {
        for (text, milliseconds) in [
            ("2s", 2000),
            ("500ms", 500),
            ("1.5m", 90_000),
            ("3", 3000),
            ("1h", 3_600_000),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "s", "2x", "-1s", "0s", "1e300h", "nan", "2 s s"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
