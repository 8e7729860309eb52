//! Every check and test there is, cheapest first; the last lines are cargo's own results.

use crate::command::{self, capture, cargo, shown};
use crate::{dependencies, invariants, setup, workspace};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::UNIX_EPOCH;

/// The test targets whose tests take turns, because each runs a job of MPI that needs every processor for a moment and
/// then waits.
const IN_TURN: &str = "jobs";

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
    let tests = |arguments: &[&str]| {
        let mut command = cargo();
        command
            .env("HINDMOST_BIN", &hindmost)
            .env("HINDMOST_MUTANTS_BIN", &mutants)
            .env("HINDMOST_SEED", &seed)
            .args(["test", "--workspace", "--no-fail-fast"])
            .args(arguments);
        command
    };
    command::run(&mut tests(&["--no-run"]))?;
    beside_each_other(tests)
}

/// Runs all tests that are built. Those that take turns leave half of the machine idle: the others run beside them.
fn beside_each_other(tests: impl Fn(&[&str]) -> Command) -> Result<()> {
    let mut others = vec!["--lib", "--bins"];
    let names = workspace::test_targets()?;
    ensure!(names.contains(IN_TURN), "no test target is named {IN_TURN}");
    for name in names.iter().filter(|name| *name != IN_TURN) {
        others.extend(["--test", name]);
    }

    let mut in_turn = tests(&["--test", IN_TURN]);
    println!("$ {}    (what it prints follows at the end)", shown(&in_turn));
    let (others, in_turn) = thread::scope(|scope| {
        let in_turn = scope.spawn(|| capture(&mut in_turn));
        let others = command::run(&mut tests(&others));
        let documentation = command::run(&mut tests(&["--doc"]));
        let in_turn = in_turn.join().unwrap_or_else(|panic| resume_unwind(panic));
        (others.and(documentation), in_turn)
    });

    let (output, _) = in_turn?;
    io::stderr().write_all(&output.stderr)?;
    io::stdout().write_all(&output.stdout)?;
    ensure!(
        output.status.success(),
        "tests of {IN_TURN} failed ({})",
        output.status
    );
    others
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
