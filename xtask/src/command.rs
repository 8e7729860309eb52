//! Running programs so that the reader sees what was run.

use crate::workspace;
use anyhow::{Context, Result, bail};
use corpus::Mpi;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// The command as one would type it at the root of the workspace: variables first, paths relative.
pub fn shown(command: &Command) -> String {
    let variables = command
        .get_envs()
        .filter_map(|(name, value)| Some(format!("{}={}", name.to_string_lossy(), quoted(value?))));
    let words = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(quoted);
    Vec::from_iter(variables.chain(words)).join(" ")
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let root = format!("{}/", workspace::root().display());
    let word = word.strip_prefix(&root).unwrap_or(&word);
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=,.:/+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{word}'")
    }
}

/// Runs the command with our own output streams; fails when it fails.
pub fn run(command: &mut Command) -> Result<()> {
    println!("$ {}", shown(command));
    let status = command
        .status()
        .with_context(|| format!("cannot start {:?}", command.get_program()))?;
    if !status.success() {
        bail!("{} failed ({status})", shown(command));
    }
    Ok(())
}

/// Runs the command and keeps what it prints; how it ended is for the caller to judge.
pub fn capture(command: &mut Command) -> Result<(Output, Duration)> {
    let start = Instant::now();
    let output = command
        .output()
        .with_context(|| format!("cannot start {:?}", command.get_program()))?;
    Ok((output, start.elapsed()))
}

/// Runs the command and fails, with what it printed, unless it succeeds.
pub fn succeed(command: &mut Command) -> Result<(Output, Duration)> {
    let (output, time) = capture(command)?;
    if !output.status.success() {
        bail!(
            "{} failed ({}):\n{}{}",
            shown(command),
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok((output, time))
}

/// The cargo that runs us.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace::root());
    command
}

/// Builds the release binary and returns its path.
pub fn build_hindmost() -> Result<PathBuf> {
    run(cargo().args(["build", "--release", "--package", "cli", "--bin", "hindmost"]))?;
    Ok(workspace::target()?.join("release/hindmost"))
}

/// Builds the release binary with the library that its recorders are made of, and returns its path.
pub fn build_hindmost_with_recorder() -> Result<PathBuf> {
    run(cargo().args(["build", "--release", "--package", "runtime-pmpi"]))?;
    build_hindmost()
}

/// Builds a release binary of the crate `bench` and returns its path.
pub fn build_bench(name: &str) -> Result<PathBuf> {
    run(cargo().args(["build", "--release", "--package", "bench", "--bin", name]))?;
    Ok(workspace::target()?.join("release").join(name))
}

/// Lets `hindmost` build its flight recorder for an MPI, in this directory, and returns the library's path.
pub fn make_recorder(hindmost: &Path, mpi: Mpi, directory: &Path) -> Result<PathBuf> {
    let recorder = directory.join(format!("recorder-{}.so", mpi.name()));
    let mut make = Command::new(hindmost);
    make.args(["recorder", "--mpicc", &format!("mpicc.{}", mpi.name()), "-o"]);
    succeed(make.arg(&recorder))?;
    Ok(recorder)
}

/// A directory for what xtask makes, below cargo's own target directory.
pub fn work_directory(name: &str) -> Result<PathBuf> {
    let directory = workspace::target()?.join(name);
    std::fs::create_dir_all(&directory).with_context(|| format!("cannot create {}", directory.display()))?;
    Ok(directory)
}

/// Where a program of that name is found, if anywhere.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|directory| directory.join(name))
        .find(|file| Path::is_file(file))
}
