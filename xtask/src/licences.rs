//! The licences of everything that a distributed program is built from.

use crate::command::{cargo, succeed};
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The texts of the licences of all crates that these members are built from, each text once, below the names of the crates that have it.
pub fn of_dependencies(members: &[&str]) -> Result<String> {
    let mut command = cargo();
    command.args(["metadata", "--locked", "--format-version", "1"]);
    command.args(["--filter-platform", "x86_64-unknown-linux-gnu"]);
    let (output, _) = succeed(&mut command)?;
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let packages = list(&metadata["packages"]);
    let packages: BTreeMap<&str, &Value> = packages
        .iter()
        .filter_map(|each| Some((each["id"].as_str()?, each)))
        .collect();
    let nodes = list(&metadata["resolve"]["nodes"]);
    let nodes: BTreeMap<&str, &Value> = nodes
        .iter()
        .filter_map(|each| Some((each["id"].as_str()?, each)))
        .collect();

    let is_wanted = |each: &&&Value| each["name"].as_str().is_some_and(|name| members.contains(&name));
    let mut open: Vec<&str> = packages
        .values()
        .filter(is_wanted)
        .filter_map(|each| each["id"].as_str())
        .collect();
    let mut linked = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !linked.insert(id) {
            continue;
        }
        let node = nodes
            .get(id)
            .with_context(|| format!("cargo metadata does not resolve {id}"))?;
        for dependency in node["deps"].as_array().into_iter().flatten() {
            // What only builds or tests is not in the program.
            let kinds = dependency["dep_kinds"].as_array().into_iter().flatten();
            if kinds.into_iter().any(|kind| kind["kind"].is_null()) {
                open.extend(dependency["pkg"].as_str());
            }
        }
    }

    let mut by_text: BTreeMap<String, Vec<String>> = BTreeMap::new();
    // Those with a source come from a registry; the others are ours.
    let foreign = linked
        .into_iter()
        .filter_map(|id| packages.get(id))
        .filter(|each| each["source"].is_string());
    for package in foreign {
        let field = |name: &str| package[name].as_str().unwrap_or_default();
        let title = format!("{} {} ({})", field("name"), field("version"), field("license"));
        let directory = Path::new(field("manifest_path"))
            .parent()
            .unwrap_or(Path::new("/"));
        let texts = texts(directory)?;
        if texts.is_empty() {
            by_text.entry(String::new()).or_default().push(title.clone());
        }
        for text in texts {
            by_text.entry(text).or_default().push(title.clone());
        }
    }
    let mut all = "Hindmost is built from these crates besides its own.\n".to_owned();
    for (text, crates) in by_text {
        all += &format!("\n{}\n{}\n\n", "=".repeat(78), crates.join("\n"));
        all += if text.is_empty() {
            "These bring no text; the licence is the one named above.\n"
        } else {
            &text
        };
    }
    Ok(all)
}

/// The licences and notices in a crate's directory.
fn texts(directory: &Path) -> Result<BTreeSet<String>> {
    let mut texts = BTreeSet::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_uppercase();
        let is_licence = [
            "LICENSE",
            "LICENCE",
            "COPYING",
            "NOTICE",
            "UNLICENSE",
            "COPYRIGHT",
        ];
        if path.is_file() && is_licence.iter().any(|start| name.starts_with(start)) {
            let text = fs::read(&path)?;
            texts.insert(String::from_utf8_lossy(&text).replace("\r\n", "\n"));
        }
    }
    Ok(texts)
}
