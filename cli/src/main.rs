//! The `hindmost` command: which task of a hung job is behind, where, and why.
//!
//! Files, builds and caches are the business of `project`, terminals and processes that of this crate: `engine` and `report`
//! see bytes and values only. Every command ends in a [`Status`] or in an error, and `main` turns either into an exit
//! code.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod args;
mod cc;
mod check;
mod cores;
mod counters;
mod dap;
mod debugger_scripts;
mod embed;
mod embed_args;
mod everywhere;
mod find;
mod findings;
mod followed;
mod host_args;
mod lsp;
mod map;
mod order;
mod output;
mod pages;
mod pairs;
mod plugin;
mod reached;
mod recorder;
mod recorder_args;
mod reducer;
mod screen;
mod sent_probe;
mod show;
mod slice;
mod timeline;
mod timeline_serve;
mod timeline_view;
mod together;
mod told_hosts;
mod trace;
mod trace_args;
mod trace_pack;
mod tree;
mod tree_args;
mod until;
mod until_args;
mod view;
mod view_args;
mod waits;
mod wanted_map;
mod watch;
mod watch_args;
mod watch_report;
mod watched_hosts;
mod watched_map;
mod whereabouts;

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
    #[cfg(debug_assertions)]
    switch_mutant_on();
    report_limits_of_files();
    let command = Cli::parse().command;
    match &command {
        Command::Map(args) => project::start_threads(args.jobs),
        // A hung job leaves no processor idle: threads that are not needed are waited for.
        Command::Find(_) | Command::Cc(_) => {}
        _ => project::start_threads(None),
    }
    let result = match command {
        Command::Cc(args) => return cc::run(&args),
        Command::Map(args) => map::run(&args),
        Command::Counters(args) => counters::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Embed(args) => embed::embed(&args),
        Command::Extract(args) => embed::extract(&args),
        Command::Show(args) => show::run(&args),
        Command::Find(args) => find::run(&args),
        Command::Order(args) => order::run(&args),
        Command::Slice(args) => slice::run(&args),
        Command::Tree(args) => tree::run(&args),
        Command::Dap(args) => dap::run(&args),
        Command::Lsp(args) => lsp::run(&args),
        Command::View(args) => view::run(&args),
        Command::Watch(args) => watch::run(&args),
        Command::Plugin(args) => plugin::make(&args),
        Command::Recorder(args) => recorder::make(&args),
        Command::BuildReducer(args) => reducer::make(&args),
        Command::GdbScript => debugger_scripts::print_for_gdb(),
        Command::LldbScript => debugger_scripts::print_for_lldb(),
        Command::Run(args) => recorder::run(&args),
        Command::Waits(args) => waits::run(&args),
        Command::Until(args) => until::run(&args),
        Command::Timeline(args) => timeline::run(&args),
        Command::Trace(args) => trace::run(&args.command),
        Command::GeneratePages(args) => pages::generate(&args),
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
#[cfg(debug_assertions)]
fn switch_mutant_on() {
    if let Ok(name) = std::env::var("HINDMOST_MUTANT")
        && !base::mutant::switch_on(&name)
    {
        output::error(&anyhow::anyhow!("HINDMOST_MUTANT: no mutant '{name}'"));
        std::process::exit(2);
    }
}
