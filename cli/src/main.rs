//! The `hindmost` command: which task of a hung job is behind, where, and why.
//!
//! Files, processes, terminals and the environment are touched here and nowhere below: `engine` and `report` see
//! bytes and values only. Every command ends in a [`Status`] or in an error, and `main` turns either into an exit
//! code.
//!
//! # How it works
//!
//! The `hindmost` command: arguments, files, processes, exit codes. It keeps the maps that it makes: under a
//! fingerprint of the program itself and of the path and bytes of every source, or under the build's id. Where a
//! build's preprocessor takes part (`-p`), its commands, some of the environment and what its compilers say of
//! themselves belong to the fingerprint, and with the map stands the state of all that was read or looked for
//! (`cli::inputs`); it is compared before the map is used. What of a command is run is made anew out of what is
//! known to be harmless (`cli::compiler_command`), by programs and with libraries that are not the tree's
//! (`cli::compiler_program`). What is kept is checked when it is read, and at most 256 MB of it stay. The cache is
//! used only where it is the user's own and closed to others, and nothing is removed that hindmost has not put
//! there; each of its directories is opened once and everything in it is reached from there (`cache::own`).
//!
//! Of a tree that is not wholly the same, single files are kept (`cache::units`, at most 512 MB): what was read of
//! a file, under a hash of program, path and bytes. Besides these it depends only on what the other files say of
//! the names that it asks about. `frontend` notes every such question while it reads (`asked`), and a hash of the
//! answers stands with the result; `engine::reuse` asks again before it uses it. The analysis of the whole program
//! is always made anew. A dependence graph is kept under a hash of the program and of all paths and bytes that it
//! was made of (`cache::graphs`, at most 1 GB).

mod advice;
mod args;
mod cache;
mod check;
mod collect;
mod compile_commands;
mod compiler_command;
mod compiler_program;
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
mod symbolize;
mod threads;
mod tree;
mod tree_args;
mod view;
mod view_args;
mod watch;
mod watch_args;

use args::{Cli, Command};
use clap::Parser as _;
use output::Status;
use std::process::ExitCode;

/// A file that a batch system's limit stops is to be an error like any other; without a handler the signal that comes first
/// ends the program. Children get the signal as they would have had it.
fn report_limits_of_files() {
    // Without it the program ends at such a limit, as it would have.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Default::default());
}

fn main() -> ExitCode {
    #[cfg(feature = "mutants")]
    switch_mutant_on();
    report_limits_of_files();
    let command = Cli::parse().command;
    match &command {
        Command::Map(args) => threads::start(args.jobs),
        // A hung job leaves no processor idle: threads that are not needed are waited for.
        Command::Find(_) => {}
        _ => threads::start(None),
    }
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
