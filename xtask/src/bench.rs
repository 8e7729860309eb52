//! hindmost beside the tools that people use today, on the same job, in one run.

mod answers;
mod maps;
mod measure;
mod pauses;

use crate::command::{self, build_hindmost, cargo, work_directory};
use crate::setup;
use anyhow::Result;
use std::path::Path;

/// Runs all measurements and prints their tables.
pub fn run(quick: bool, tree: Option<&Path>) -> Result<()> {
    setup::ensure()?;
    let hindmost = build_hindmost()?;
    let directory = work_directory("bench")?;
    println!(
        "{} processors, load {}",
        std::thread::available_parallelism().map_or(1, usize::from),
        std::fs::read_to_string("/proc/loadavg")
            .unwrap_or_default()
            .trim()
    );
    answers::print(&hindmost, &directory, quick)?;
    pauses::print(&hindmost, &directory)?;
    maps::print(&hindmost, &directory, tree)?;
    let mut engines = cargo();
    engines.args([
        "run",
        "--release",
        "--package",
        "bench",
        "--bin",
        "order-bench",
        "--",
    ]);
    command::run(engines.args(tree))
}
