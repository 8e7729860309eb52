//! Every check and test there is, cheapest first; the last lines are cargo's own results.

use crate::command::{self, cargo};
use crate::{dependencies, invariants, setup, workspace};
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

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

    opened_safely()?;

    // Tests of other packages run the command: they are told which one, so that none runs an old one. It is built with the tests, as the tests of `cli` need
    // it. The one whose rules can be broken comes before: only the last one built keeps its place in the target directory.
    let mutants = build_mutants()?;
    let hindmost = workspace::target()?.join("debug/hindmost");
    // Another moment to disturb in every run, and the same one again for whoever sets it.
    let seed = std::env::var("HINDMOST_SEED")
        .unwrap_or_else(|_| UNIX_EPOCH.elapsed().map_or(1, |now| now.as_secs()).to_string());
    command::run(
        cargo()
            .env("HINDMOST_BIN", hindmost)
            .env("HINDMOST_MUTANTS_BIN", mutants)
            .env("HINDMOST_SEED", seed)
            .args(["test", "--workspace", "--no-fail-fast"]),
    )
}

/// Checks that what users run opens files by `regular-files` alone (`disallowed-methods` in `clippy.toml`).
fn opened_safely() -> Result<()> {
    let members = workspace::members()?;
    let mut shipped: BTreeSet<&str> = SHIPPED.into_iter().collect();
    for root in SHIPPED {
        let below = workspace::reachable(&members, root);
        shipped.extend(below.into_keys());
    }
    let is_member = |name: &&str| members.iter().any(|member| member.name == *name);
    let packages = shipped
        .into_iter()
        .filter(is_member)
        .flat_map(|name| ["--package", name]);
    command::run(cargo().arg("clippy").args(packages).args([
        "--lib",
        "--bins",
        "--",
        "--deny",
        "clippy::disallowed-methods",
    ]))
}

/// The packages whose programs users run.
const SHIPPED: [&str; 2] = ["cli", "runtime-probe"];

/// Builds the command with `base::mutant` switched in and puts it aside.
fn build_mutants() -> Result<PathBuf> {
    command::run(cargo().args([
        "build",
        "--package",
        "cli",
        "--bin",
        "hindmost",
        "--features",
        "mutants",
    ]))?;
    let built = workspace::target()?.join("debug/hindmost");
    let aside = command::work_directory("mutants")?.join("hindmost");
    std::fs::copy(&built, &aside).with_context(|| format!("cannot copy {}", built.display()))?;
    Ok(aside)
}
