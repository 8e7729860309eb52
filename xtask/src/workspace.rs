//! What cargo knows about the workspace.

use crate::command::{cargo, succeed};
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The root of the workspace.
pub fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// Cargo's target directory.
pub fn target() -> Result<PathBuf> {
    let metadata = metadata(&["--no-deps"])?;
    Ok(PathBuf::from(text(
        &metadata["target_directory"],
        "target_directory",
    )?))
}

/// The version that all members have.
pub fn version() -> Result<String> {
    let metadata = metadata(&["--no-deps"])?;
    let package = metadata["packages"]
        .get(0)
        .context("cargo metadata lists no packages")?;
    Ok(text(&package["version"], "version")?.to_owned())
}

/// A member of the workspace.
#[derive(Debug)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its directory.
    pub directory: PathBuf,
    /// The members that its library or program is built from, directly. Dependencies of tests do not count.
    pub dependencies: BTreeSet<String>,
}

/// All members, sorted by name.
pub fn members() -> Result<Vec<Member>> {
    let metadata = metadata(&["--no-deps"])?;
    let packages = metadata["packages"]
        .as_array()
        .context("cargo metadata lists no packages")?;
    let mut members = Vec::new();
    for package in packages {
        let manifest = Path::new(text(&package["manifest_path"], "manifest_path")?);
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        members.push(Member {
            name: text(&package["name"], "name")?.to_owned(),
            directory: manifest.parent().unwrap_or(manifest).to_owned(),
            dependencies: dependencies
                .filter(|dependency| dependency["kind"] != "dev" && dependency["path"].is_string())
                .map(|dependency| text(&dependency["name"], "name").map(str::to_owned))
                .collect::<Result<_>>()?,
        });
    }
    members.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(members)
}

/// Everything that `from` is built from, through any number of members, each with the member that brings it in.
pub fn reachable<'a>(members: &'a [Member], from: &'a str) -> BTreeMap<&'a str, &'a str> {
    let mut brought_in_by = BTreeMap::new();
    let mut open = vec![from];
    while let Some(name) = open.pop() {
        for member in members.iter().filter(|member| member.name == name) {
            for dependency in &member.dependencies {
                brought_in_by.entry(dependency.as_str()).or_insert_with(|| {
                    open.push(dependency);
                    name
                });
            }
        }
    }
    brought_in_by
}

fn metadata(arguments: &[&str]) -> Result<Value> {
    let (output, _) = succeed(
        cargo()
            .args(["metadata", "--format-version", "1"])
            .args(arguments),
    )?;
    serde_json::from_slice(&output.stdout).context("cargo metadata is not JSON")
}

fn text<'a>(value: &'a Value, what: &str) -> Result<&'a str> {
    value
        .as_str()
        .with_context(|| format!("cargo metadata: {what} is not a string"))
}

#[cfg(test)]
mod tests {
    use super::{Member, reachable};
    use std::path::PathBuf;

    #[test]
    fn reachable_goes_through_others_and_stops_at_cycles() {
        let members = [
            ("a", vec!["b"]),
            ("b", vec!["c"]),
            ("c", vec!["b"]),
            ("d", vec!["a"]),
        ]
        .map(|(name, dependencies)| Member {
            name: name.to_owned(),
            directory: PathBuf::new(),
            dependencies: dependencies.into_iter().map(str::to_owned).collect(),
        });
        assert_eq!(Vec::from_iter(reachable(&members, "a")), [("b", "a"), ("c", "b")]);
    }
}
