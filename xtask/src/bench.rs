//! hindmost beside the tools that people use today, on the same job, in one run.

mod answers;
mod compile;
mod large;
mod maps;
mod measure;
mod pauses;
pub mod plugin;
mod probe;
mod recorder;
mod scale;
mod trace;
pub mod tree;
mod view;

use crate::command::{self, build_hindmost, build_hindmost_with_recorder, cargo, work_directory};
use crate::setup;
use anyhow::Result;

/// Runs all measurements and prints their tables.
pub fn run(quick: bool) -> Result<()> {
    setup::ensure()?;
    let hindmost = build_hindmost()?;
    let directory = work_directory("bench")?;
    measure::print_machine();
    answers::print(&hindmost, &directory, quick)?;
    pauses::print(&hindmost, &directory)?;
    maps::print(&hindmost, &directory)?;
    let mut engines = cargo();
    engines.args(["run", "--release", "--package", "bench", "--bin", "order-bench"]);
    command::run(&mut engines)
}

/// Measures the probe by itself, and the whole answer beside gdb and eu-stack.
pub fn run_probe(quick: bool) -> Result<()> {
    setup::ensure()?;
    let hindmost = build_hindmost()?;
    let directory = work_directory("bench")?;
    probe::print(&hindmost, &directory)?;
    answers::print(&hindmost, &directory, quick)
}

/// Measures a source tree.
pub fn run_tree(request: &tree::Request<'_>) -> Result<()> {
    let hindmost = build_hindmost()?;
    tree::run(&hindmost, request)
}

/// Measures the flight recorder.
pub fn run_recorder() -> Result<()> {
    setup::ensure()?;
    recorder::run()
}

/// Measures the tracer of calls.
pub fn run_trace() -> Result<()> {
    setup::ensure()?;
    trace::run()
}

/// Measures gcc with the plugin, over a source tree, and how fast a map is found in a large program.
pub fn run_plugin(request: &plugin::Request<'_>) -> Result<()> {
    setup::ensure()?;
    plugin::run(request)
}

/// Measures trees of very many synthetic tasks.
pub fn run_scale() -> Result<()> {
    scale::run()
}

/// Measures jobs of many nodes; `sizes` are numbers of nodes in place of the usual ones.
pub fn run_nodes(sizes: &[u32]) -> Result<()> {
    setup::ensure()?;
    scale::run_nodes(sizes)
}

/// Measures the sort of events, and the view of those of a job that runs.
pub fn run_causal() -> Result<()> {
    setup::ensure()?;
    let hindmost = build_hindmost_with_recorder()?;
    let directory = work_directory("bench-causal")?;
    measure::print_machine();
    view::print(&hindmost, &directory)?;
    let mut engines = cargo();
    engines.args(["run", "--release", "--package", "bench", "--bin", "causal-bench"]);
    command::run(&mut engines)
}

/// Measures the dependence graph of a source tree and slices over it.
pub fn run_slice(tree: &std::path::Path) -> Result<()> {
    let mut engines = cargo();
    engines
        .args([
            "run",
            "--release",
            "--package",
            "bench",
            "--bin",
            "slice-bench",
            "--",
        ])
        .arg(tree);
    command::run(&mut engines)
}
