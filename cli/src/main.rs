//! The `hindmost` command: which task of a hung job is behind, where, and why.
//!
//! Files, processes, terminals and the environment are touched here and nowhere below: `engine` and `report` see
//! bytes and values only. Every command ends in a [`Status`] or in an error, and `main` turns either into an exit
//! code.

mod args;
mod cache;
mod check;
mod collect;
mod compile_commands;
mod cores;
mod counters;
mod executable;
mod failure;
mod files;
mod find;
mod headers;
mod inputs;
mod job_map;
mod lsp;
mod lsp_report;
mod map;
mod order;
mod output;
mod page;
mod pairs;
mod preprocess;
mod recorded;
mod show;
mod slice;
mod tree;
mod tree_args;
mod view;
mod view_args;
mod watch;
mod watch_args;

use args::{Cli, Command};
use clap::Parser as _;
use output::Status;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;

/// A file that a batch system's limit stops is to be an error like any other; without a handler the signal that comes first
/// ends the program. Children get the signal as they would have had it.
fn report_limits_of_files() {
    // Without it the program ends at such a limit, as it would have.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Default::default());
}

/// Starts the threads that do parallel work, `jobs` of them if that is given. Where none can be had (a limit of processes or memory), all
/// work is done by this one: left to itself, the first parallel work would panic. Memory that runs out later still ends the program.
fn start_threads(jobs: Option<NonZeroUsize>) {
    let count = jobs
        .or(thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get);
    let mut pool = rayon::ThreadPoolBuilder::new().num_threads(count);
    if !can_start(count) {
        pool = pool.num_threads(1).use_current_thread();
    }
    // It fails when there is one already: nobody before us makes one.
    let _ = pool.build_global();
}

/// Whether so many threads can be had at once. The pool can be tried only once, so others are; what they leave is there for it. Some
/// more are asked for: a thread that finds no memory when it begins dies, and whoever waits for its work waits for ever.
fn can_start(count: usize) -> bool {
    const SPARE: usize = 3;
    let gate = Mutex::new(());
    thread::scope(|scope| {
        let closed = gate.lock();
        let start = |_| {
            let waiting = || drop(gate.lock());
            thread::Builder::new().spawn_scoped(scope, waiting).is_ok()
        };
        let all = (0..count + SPARE).all(start);
        drop(closed);
        all
    })
}

fn main() -> ExitCode {
    #[cfg(feature = "mutants")]
    switch_mutant_on();
    report_limits_of_files();
    let command = Cli::parse().command;
    start_threads(match &command {
        Command::Map(args) => args.jobs,
        _ => None,
    });
    let result = match command {
        Command::Map(args) => map::run(&args),
        Command::Counters(args) => counters::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Show(args) => show::run(&args),
        Command::Find(args) => find::run(&args),
        Command::Order(args) => order::run(&args),
        Command::Slice(args) => slice::run(&args),
        Command::Tree(args) => tree::run(&args),
        Command::Lsp(args) => lsp::run(&args),
        Command::View(args) => view::run(&args),
        Command::Watch(args) => watch::run(&args),
    };
    match result {
        Ok(status) => status.into(),
        Err(error) => {
            output::error(&error);
            Status::Error.into()
        }
    }
}

/// Breaks the rule that `HINDMOST_MUTANT` names. A name that is none is an error: a test would believe the rule broken.
#[cfg(feature = "mutants")]
fn switch_mutant_on() {
    if let Ok(name) = std::env::var("HINDMOST_MUTANT")
        && !base::mutant::switch_on(&name)
    {
        output::error(&anyhow::anyhow!("HINDMOST_MUTANT: no mutant '{name}'"));
        std::process::exit(2);
    }
}
