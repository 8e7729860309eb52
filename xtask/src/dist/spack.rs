//! A repository for Spack whose recipe installs the tarball that was made with it.

use crate::workspace;
use anyhow::{Context as _, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What stands in the recipe for the version and for the sum of the tarball.
const VERSION: &str = "0.0.0";
const SUM: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Writes the repository; Spack asks for the tarball by its sum.
pub fn make(directory: &Path, tarball: &Path, version: &str) -> Result<PathBuf> {
    let (output, _) = crate::command::succeed(Command::new("sha256sum").arg(tarball))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let sum = said.split_whitespace().next().context("sha256sum says a sum")?;
    let place = directory.join("spack");
    super::copy(&workspace::root().join("integrations/spack"), &place)?;
    let recipe = place.join("packages/hindmost/package.py");
    let text = fs::read_to_string(&recipe)?;
    for word in [VERSION, SUM] {
        ensure!(text.contains(word), "{}: no {word}", recipe.display());
    }
    fs::write(&recipe, text.replace(SUM, sum).replace(VERSION, version))?;
    Ok(place)
}
