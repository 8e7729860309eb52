//! Any number of random programs: the command and the fuzzer, built for speed, and the fuzzer run.

use crate::command::{self, build_hindmost, cargo};
use crate::workspace;
use anyhow::Result;

/// Runs the fuzzer with `options`; fails when it finds something.
pub fn run(options: &[String]) -> Result<()> {
    let hindmost = build_hindmost()?;
    command::run(cargo().args(["build", "--release", "--package", "tests", "--bin", "order-fuzz"]))?;
    let fuzzer = workspace::target()?.join("release/order-fuzz");
    command::run(
        std::process::Command::new(fuzzer)
            .env("HINDMOST_BIN", hindmost)
            .args(options),
    )
}
