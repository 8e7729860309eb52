//! Slices held against runs, at length: the fuzzer, built for speed, and run.

use crate::command::{self, cargo};
use crate::workspace;
use anyhow::Result;

/// Runs the fuzzer with `options`; fails when it finds something.
pub fn run(options: &[String]) -> Result<()> {
    command::run(cargo().args(["build", "--release", "--package", "tests", "--bin", "slice-fuzz"]))?;
    let fuzzer = workspace::target()?.join("release/slice-fuzz");
    command::run(std::process::Command::new(fuzzer).args(options))
}
