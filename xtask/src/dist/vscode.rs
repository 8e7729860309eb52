//! The extension for VS Code as one file that the editor installs.

use crate::command::{self, find_program};
use crate::workspace;
use anyhow::Result;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Packages it with the client library that it needs; nothing, and a word, where there is no npm.
pub fn make(directory: &Path, version: &str) -> Result<Option<PathBuf>> {
    if find_program("npm").is_none() {
        println!("(no npm is installed: the extension for VS Code is not packaged)");
        return Ok(None);
    }
    let place = directory.join("vscode");
    super::copy(&workspace::root().join("integrations/vscode"), &place)?;
    fs::copy(workspace::root().join("LICENSE-MIT"), place.join("LICENSE"))?;
    let package = directory.join(format!("hindmost-{version}.vsix"));
    command::run(
        Command::new("npm")
            .args(["install", "--omit=dev", "--no-audit", "--no-fund"])
            .current_dir(&place),
    )?;
    let mut pack = Command::new("npx");
    pack.args(["--yes", "@vscode/vsce@3", "package", "--allow-missing-repository"])
        .args(["--no-update-package-json", version, "--out"])
        .arg(&package);
    command::run(pack.current_dir(&place))?;
    fs::remove_dir_all(&place)?;
    Ok(Some(package))
}
