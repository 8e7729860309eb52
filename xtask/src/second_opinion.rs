//! The two C parsers on real trees: the comparison, built for speed, and run.

use crate::command::{self, cargo};
use crate::workspace;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compares the C files below `paths`, preprocessed by `compiler` with `flags`; fails when the parsers differ without a
/// cause. With `plugin` the tolerant parser is compared with what that compiler itself understands.
pub fn run(paths: &[PathBuf], compiler: &str, plugin: Option<&Path>, flags: &[String]) -> Result<()> {
    command::run(cargo().args([
        "build",
        "--release",
        "--package",
        "tests",
        "--bin",
        "second-opinion",
    ]))?;
    let comparison = workspace::target()?.join("release/second-opinion");
    command::run(
        Command::new(comparison)
            .args(["--compiler", compiler])
            .args(
                plugin
                    .into_iter()
                    .flat_map(|plugin| [Path::new("--plugin"), plugin]),
            )
            .args(paths)
            .arg("--")
            .args(flags),
    )
}
