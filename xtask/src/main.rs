//! Set-up, demo, tests and benchmarks: everything that a person or CI does with the repository besides editing it.
//!
//! Each command sets up what it needs first. Jobs that a command starts are ended when it ends, also by an error, a
//! panic or ^C: see the `corpus` crate.
//!
//! # How it works
//!
//! Set-up, demo, tests and benchmarks behind `cargo xtask`. `probe` builds the probe for compute nodes: one static
//! file with musl's C library. `no-harm` runs the tests of the probe's safety with thousands of attempts. `inject`
//! stalls random ranks of real programs, those of the corpus or those of a list, and judges the answers (`--recorder`: those of the flight recorder); its
//! preload (`xtask/src/inject/preload.c`) stands between a program and MPI without a frame of its own, and makes
//! one instruction of the chosen rank jump to itself. `unchanged` runs MPICH's test suite with the recorder and without.

mod bench;
mod command;
mod demo;
mod dependencies;
mod dist;
mod fuzz;
mod inject;
mod invariants;
mod licences;
mod no_harm;
mod order_fuzz;
mod same;
mod scev;
mod second_opinion;
mod setup;
mod ship;
mod slice_fuzz;
mod test;
mod unchanged;
mod workspace;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    about = "Set-up, demo, tests and benchmarks of hindmost"
)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install the compilers, MPIs and debuggers that the other commands need, if any is missing
    Setup,
    /// Start a 32-rank job that hangs, and find the rank that holds it up
    Demo,
    /// Run every check and test
    Test,
    /// Hold the order's verdicts on random programs against runs of them
    OrderFuzz {
        /// For example: --seeds 0..1000 --profile plain (`--help` after -- prints all)
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
        options: Vec<String>,
    },
    /// Hold slices against runs of what they leave of a program, and against what runs of random programs rest on
    SliceFuzz {
        /// For example: --seeds 0..1000 (`--help` after -- prints all)
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
        options: Vec<String>,
    },
    /// Measure hindmost against gdb and eu-stack, and the map against the compiler
    Bench {
        /// Look at fewer ranks with gdb and scale its time up (the table says so)
        #[arg(long)]
        quick: bool,
        /// Measure the probe by itself, on jobs of 8, 32 and 128 ranks
        #[arg(long, conflicts_with = "tree")]
        probe: bool,
        /// Measure the flight recorder: calls, without events and with them, a program, and the analysis of up to a million synthetic tasks
        #[arg(long, conflicts_with_all = ["tree", "probe", "scale"])]
        recorder: bool,
        /// Measure the tracer of calls: a call, two programs and their traces, beside uftrace and callgrind, where they are installed, and gprof
        #[arg(long, conflicts_with_all = ["tree", "probe", "scale", "recorder"])]
        trace: bool,
        /// Measure the sort of events into causal order, beside a merge by time stamps, and the view of a job of 128 ranks in a terminal
        #[arg(long, conflicts_with_all = ["tree", "probe", "scale", "recorder"])]
        causal: bool,
        /// Measure gcc with its plugin and without over the C, C++ and Fortran of this source tree, and `find` on a program of 100 MB with a map inside
        #[arg(long, value_name = "DIR", conflicts_with_all = ["tree", "probe", "scale"])]
        plugin: Option<PathBuf>,
        /// Measure the prefix trees of up to a million synthetic tasks
        #[arg(long, conflicts_with_all = ["tree", "probe"])]
        scale: bool,
        /// Measure what is done with the answers of so many nodes (comma-separated) of 128 synthetic tasks, and an answer for 8 hosts beside what it takes to reach them
        #[arg(long, value_name = "NODES", value_delimiter = ',', num_args = 0.., conflicts_with_all = ["tree", "probe", "scale"])]
        nodes: Option<Vec<u32>>,
        /// Measure the dependence graph of this source tree, and slices from stacks that its calls allow
        #[arg(long, value_name = "DIR", conflicts_with_all = ["tree", "probe", "scale"])]
        slice: Option<PathBuf>,
        /// Measure this source tree instead: mapping it, its map, and the map against compiled code
        #[arg(long, value_name = "DIR")]
        tree: Option<PathBuf>,
        /// How the table calls the tree [default: the directory's name]
        #[arg(long, requires = "tree")]
        name: Option<String>,
        /// Compile only about so many of its files, spread over the tree, and map all of it; with --plugin, so many of each language
        #[arg(long, value_name = "FILES")]
        sample: Option<usize>,
        /// What the compiler needs to compile the tree, after --: -I and -D
        #[arg(last = true)]
        flags: Vec<String>,
    },
    /// Show that the probe does no harm: look at targets that check themselves, in every system call that could notice, and kill the probe,
    /// many times
    NoHarm {
        /// How many snapshots are taken of a running target
        #[arg(long, default_value_t = 10_000)]
        snapshots: u32,
        /// How many probes are killed at random instants
        #[arg(long, default_value_t = 1_000)]
        kills: u32,
        /// How many times a target is looked at in each of the system calls that could notice
        #[arg(long, default_value_t = 1_000)]
        looks: u32,
    },
    /// Look for inputs that break a reader of bytes: programs, stacks, cores, maps, snapshots, sources
    Fuzz {
        /// Only this target: bind, unwind, core, map, snapshot or sources
        #[arg(long)]
        target: Option<String>,
        /// How long each target runs
        #[arg(long, default_value_t = 60)]
        seconds: u32,
    },
    /// Stall a random rank of real programs at random moments, and hold hindmost's answers against it
    Inject(inject::Options),
    /// Run a public test suite of MPI with the flight recorder and without, and compare
    Unchanged(unchanged::Options),
    /// Build the probe as one small static file, for compute nodes
    Probe,
    /// Make what a site installs: the command as one static file in a tarball, a Debian package, an RPM and a repository for Spack, and the extension for VS Code; archives and packages are tried
    Dist,
    /// Hold maps, answers, trees and slices against those of an earlier version, byte for byte
    Same {
        /// The earlier version: its executable, or a revision
        before: String,
        /// Source trees to map as well; the programs of the corpus always are
        trees: Vec<PathBuf>,
    },
    /// Hold the map's loops against LLVM's scalar evolution, and explain each kind of difference
    Scev {
        /// C files, or directories with C files
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// How many places to print of each kind
        #[arg(long, default_value_t = 3)]
        examples: usize,
        /// What the compiler needs, after --: -I and -D
        #[arg(last = true)]
        flags: Vec<String>,
    },
    /// Hold the tolerant C parser against the exact one, and count each kind of difference
    SecondOpinion {
        /// C files, or directories with C files
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// The compiler that preprocesses them
        #[arg(long, default_value = "gcc")]
        compiler: String,
        /// A plugin of `hindmost plugin` for that compiler: what it reads is compared in the exact parser's place
        #[arg(long, value_name = "FILE")]
        plugin: Option<PathBuf>,
        /// What it needs, after --: -I and -D
        #[arg(last = true)]
        flags: Vec<String>,
    },
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Setup => setup::run(),
        Task::Demo => demo::run(),
        Task::Test => test::run(),
        Task::NoHarm {
            snapshots,
            kills,
            looks,
        } => no_harm::run(snapshots, kills, looks),
        Task::Fuzz { target, seconds } => fuzz::run(target.as_deref(), seconds),
        Task::Inject(options) => inject::run(&options),
        Task::Unchanged(options) => unchanged::run(&options),
        Task::Dist => dist::run(),
        Task::Probe => ship::probe().map(|path| println!("{}", path.display())),
        Task::Same { before, trees } => same::run(&before, &trees),
        Task::OrderFuzz { options } => order_fuzz::run(&options),
        Task::SliceFuzz { options } => slice_fuzz::run(&options),
        Task::Scev {
            paths,
            examples,
            flags,
        } => scev::run(&paths, &flags, examples),
        Task::SecondOpinion {
            paths,
            compiler,
            plugin,
            flags,
        } => second_opinion::run(&paths, &compiler, plugin.as_deref(), &flags),
        Task::Bench {
            quick, probe: true, ..
        } => bench::run_probe(quick),
        Task::Bench { scale: true, .. } => bench::run_scale(),
        Task::Bench {
            nodes: Some(sizes), ..
        } => bench::run_nodes(&sizes),
        Task::Bench { recorder: true, .. } => bench::run_recorder(),
        Task::Bench { trace: true, .. } => bench::run_trace(),
        Task::Bench { causal: true, .. } => bench::run_causal(),
        Task::Bench {
            slice: Some(tree), ..
        } => bench::run_slice(&tree),
        Task::Bench {
            plugin: Some(tree),
            sample,
            flags,
            ..
        } => bench::run_plugin(&bench::plugin::Request {
            tree: &tree,
            sample,
            flags: &flags,
        }),
        Task::Bench {
            quick, tree: None, ..
        } => bench::run(quick),
        Task::Bench {
            tree: Some(tree),
            name,
            sample,
            flags,
            ..
        } => {
            let name = name.or_else(|| Some(tree.file_name()?.to_string_lossy().into_owned()));
            bench::run_tree(&bench::tree::Request {
                tree: &tree,
                name: name.as_deref().unwrap_or("tree"),
                sample,
                flags: &flags,
            })
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
