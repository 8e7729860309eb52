//! Every check and test there is, cheapest first; the last lines are cargo's own results.

use crate::command::{self, cargo};
use crate::{invariants, setup};
use anyhow::Result;

/// Runs them all; stops at the first that fails.
pub fn run() -> Result<()> {
    setup::ensure()?;
    command::run(cargo().args(["fmt", "--all", "--check"]))?;
    invariants::check()?;
    command::run(cargo().args([
        "clippy",
        "--workspace",
        "--all-targets",
        "--",
        "--deny",
        "warnings",
    ]))?;
    command::run(cargo().args(["test", "--workspace", "--no-fail-fast"]))
}
