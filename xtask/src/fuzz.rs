//! Coverage-guided fuzzing of every reader of bytes, with the checks of the crate `fuzz`.
//!
//! **The engine** is libFuzzer, through `libfuzzer-sys`: the one that the fuzzers of most Rust libraries use (those of
//! gimli and object among them), kept up with LLVM, and a library that is linked, so that nothing has to be installed.
//! `cargo-fuzz` would add a program to install and asks for a nightly compiler for its sanitizers; hindmost's readers
//! are safe Rust, where what a sanitizer finds is a panic already. The coverage that guides libFuzzer is a pass of LLVM that a stable compiler runs
//! too. AFL and honggfuzz start a process for each input or bring their own runtime to build; `libafl` is a kit to make fuzzers of, and
//! `bolero` a front end to the same engines.

use crate::command::{self, cargo, shown};
use crate::{setup, workspace};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The target triple is named so that procedural macros and build scripts are not instrumented.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// LLVM's coverage for fuzzers: a counter on each edge, and the operands of comparisons.
const INSTRUMENTED: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Cllvm-args=-simplifycfg-branch-fold-threshold=0";

/// The targets in `fuzz::TARGETS`, with the longest input that is tried. That list is not at hand here: xtask is built
/// without the engines.
const TARGETS: [(&str, u32); 19] = [
    ("bind", 32 << 10),
    ("unwind", 32 << 10),
    ("core", 32 << 10),
    ("map", 16 << 10),
    ("snapshot", 8 << 10),
    ("launcher", 1 << 10),
    ("foreign", 4 << 10),
    ("graph", 16 << 10),
    ("tree", 8 << 10),
    ("nodes", 8 << 10),
    ("recording", 5 << 20),
    ("events", 8 << 10),
    ("told", 8 << 10),
    ("causal", 4 << 10),
    ("condition", 4 << 10),
    ("trace", 256 << 10),
    ("texts", 4 << 10),
    ("mi", 4 << 10),
    ("sources", 4 << 10),
];

/// Seconds that one input may take, and MiB that the process may need: beyond, it is a finding.
const SLOWEST: u32 = 20;
const HUNGRIEST: u32 = 1024;

/// The fuzzer holds the inputs that it keeps in memory: room is left for so many of the longest.
const KEPT: u32 = 1000;

/// Runs one target, or all one after the other, each for so many seconds.
pub fn run(only: Option<&str>, seconds: u32) -> Result<()> {
    setup::ensure()?;
    let targets = Vec::from_iter(
        TARGETS
            .iter()
            .filter(|(name, _)| only.is_none_or(|only| only == *name)),
    );
    if targets.is_empty() {
        let names = TARGETS.map(|(name, _)| name).join(", ");
        bail!(
            "there is no target '{}': there are {names}",
            only.unwrap_or_default()
        );
    }
    let fuzzer = build()?;
    let mut found = Vec::new();
    for (name, longest) in targets {
        if !one(&fuzzer, name, *longest, seconds)? {
            found.push(*name);
        }
    }
    if !found.is_empty() {
        bail!("inputs were found that break {}", found.join(", "));
    }
    println!("no target was broken");
    Ok(())
}

fn build() -> Result<PathBuf> {
    command::run(
        cargo()
            .env("RUSTFLAGS", INSTRUMENTED)
            .args(["build", "--package", "fuzz", "--features", "campaign"])
            .args(["--profile", "fuzz", "--target", TRIPLE]),
    )?;
    Ok(workspace::target()?.join(TRIPLE).join("fuzz/hindmost-fuzz"))
}

/// Whether nothing was found.
fn one(fuzzer: &Path, name: &str, longest: u32, seconds: u32) -> Result<bool> {
    let work = command::work_directory(&format!("fuzzing/{name}"))?;
    // What was found to reach new code stays for the next campaign.
    let kept = command::work_directory(&format!("fuzzing/{name}/corpus"))?;
    let artifacts = command::work_directory(&format!("fuzzing/{name}/found"))?;
    let log = work.join("log");
    let out = fs::File::create(&log).with_context(|| log.display().to_string())?;
    let mut run = Command::new(fuzzer);
    run.env("HINDMOST_FUZZ_TARGET", name)
        .env("HINDMOST_FUZZ_SEEDS", &kept)
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-max_len={longest}"))
        .arg(format!("-timeout={SLOWEST}"))
        .arg(format!(
            "-rss_limit_mb={}",
            HUNGRIEST + longest / 1024 * KEPT / 1024
        ))
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .args(["-print_final_stats=1", "-use_value_profile=1", "-reload=0"])
        .arg(&kept);
    let committed = workspace::root().join("fuzz/corpus").join(name);
    if committed.is_dir() {
        run.arg(committed);
    }
    println!("$ {}", shown(&run));
    let status = run
        .stdout(Stdio::null())
        .stderr(out)
        .status()
        .with_context(|| fuzzer.display().to_string())?;
    let text = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
    println!("{name:<10} {}", figures(&text));
    if !status.success() {
        let tail = Vec::from_iter(text.lines().rev().take(30).collect::<Vec<_>>().into_iter().rev());
        println!("{}", tail.join("\n"));
        println!("{name}: found, see {} ({status})", artifacts.display());
    }
    Ok(status.success())
}

/// What libFuzzer says of a campaign: its runs, the inputs that reached new code, the edges that were reached.
fn figures(log: &str) -> String {
    let stat = |name: &str| {
        let line = log
            .lines()
            .find_map(|line| line.strip_prefix(&format!("stat::{name}:")));
        line.map_or("?", str::trim).to_owned()
    };
    let last = log
        .lines()
        .rev()
        .find(|line| line.contains(" cov: "))
        .unwrap_or_default();
    let after = |what: &str| {
        let rest = last.split(what).nth(1).unwrap_or_default();
        rest.split_whitespace().next().unwrap_or("?").to_owned()
    };
    format!(
        "{:>9} runs, {:>6} edges reached, {:>5} inputs kept, {:>4} MiB",
        stat("number_of_executed_units"),
        after(" cov: "),
        after(" corp: "),
        stat("peak_rss_mb"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The two lists say the same.
    #[test]
    fn targets_are_those_of_the_crate() {
        let text = fs::read_to_string(workspace::root().join("fuzz/src/lib.rs")).unwrap();
        let names = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("name: \"")?.strip_suffix("\","));
        assert_eq!(Vec::from_iter(names), TARGETS.map(|(name, _)| name));
    }

    #[test]
    fn figures_of_a_log() {
        let log = "#9\tNEW    cov: 12 ft: 20 corp: 3/9b exec/s: 0 rss: 40Mb\n#20\tDONE   cov: 14 ft: 22 corp: 4/12b lim\n\
                   stat::number_of_executed_units: 20\nstat::peak_rss_mb:              41\n";
        assert!(
            figures(log)
                .split_whitespace()
                .eq("20 runs, 14 edges reached, 4/12b inputs kept, 41 MiB".split_whitespace())
        );
    }
}
