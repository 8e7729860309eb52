//! Every check and test there is, cheapest first; the last lines are cargo's own results.

use crate::command::{self, cargo};
use crate::{dependencies, invariants, setup, workspace};
use anyhow::Result;

/// Runs them all; stops at the first check that fails, but runs all tests.
pub fn run() -> Result<()> {
    setup::ensure()?;
    command::run(cargo().args(["fmt", "--all", "--check"]))?;
    invariants::check()?;
    dependencies::check()?;
    command::run(cargo().args([
        "clippy",
        "--workspace",
        "--all-targets",
        "--",
        "--deny",
        "warnings",
    ]))?;

    // Tests of other packages run the command: they are told which one, so that none runs an old one. It is built with the tests, as the tests of `cli` need
    // it.
    let hindmost = workspace::target()?.join("debug/hindmost");
    command::run(
        cargo()
            .env("HINDMOST_BIN", hindmost)
            // No test asks the network for what is not there.
            .env_remove("DEBUGINFOD_URLS")
            // No comment holds an example that could be run, and to find that out costs a second for each of fifty crates.
            .args([
                "test",
                "--workspace",
                "--lib",
                "--bins",
                "--tests",
                "--no-fail-fast",
            ]),
    )
}
