//! Prefix trees at scale: `scale-bench`, built for release. It needs no MPI and no job.

use crate::command::{self, cargo};
use anyhow::Result;

/// Runs it; the table goes to standard output.
pub(super) fn run() -> Result<()> {
    let mut engines = cargo();
    engines.args(["run", "--release", "--package", "bench", "--bin", "scale-bench"]);
    command::run(&mut engines)
}
