//! What `docs/architecture.md` promises about the crates and no compiler checks.

use crate::workspace::{self, Member, reachable};
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::fs;
use walkdir::WalkDir;

/// Crates that must not be built from others, and why. Names that are no members yet are in force once they are.
const FORBIDDEN: [(&[&str], &[&str], &str); 9] = [
    (
        &["dataflow", "lov", "slicer"],
        &["frontend"],
        "a new language must change nothing above ir",
    ),
    (
        &[
            "progress",
            "progress-map",
            "snapshot",
            "stacktree",
            "nodes",
            "runtime-probe",
            "runtime-pmpi",
            "runtime-trace",
            "runtime-reduce",
        ],
        &["ir", "frontend", "dataflow", "lov", "bind", "engine"],
        "a compute node needs only the map",
    ),
    (
        &["nodes", "cluster"],
        &["runtime-probe", "regular-files", "project", "engine"],
        "hosts are asked without a process or a file of our own",
    ),
    (
        &["tokens", "counters"],
        &["ir", "frontend", "dataflow", "lov", "engine"],
        "text is looked at without a grammar",
    ),
    (
        &["exact"],
        &["frontend"],
        "two parsers that judge each other share no code",
    ),
    (
        &["gcc-trees", "runtime-gcc"],
        &["frontend", "exact", "dataflow", "lov", "engine"],
        "what the compiler understands judges what the text says",
    ),
    (
        &["engine", "report", "lsp", "view"],
        &["runtime-probe", "regular-files", "project", "cli"],
        "engine and below do no I/O",
    ),
    (
        &["project"],
        &["report", "lsp", "view", "cli"],
        "files and caches print nothing",
    ),
    (
        &["cli", "project"],
        &["corpus", "tests", "xtask"],
        "what users run is not built from what tests it",
    ),
];

/// Crates that are built from these members alone.
const SEES_ONLY: [(&str, &[&str]); 8] = [
    ("runtime-loader", &[]),
    ("library", &["base"]),
    ("embed", &[]),
    ("recording", &[]),
    ("calltrace", &[]),
    ("waitgraph", &[]),
    ("causal", &["base"]),
    ("condition", &["base"]),
];

/// The packages whose programs users run: these, and all that they are built from, open files by `regular-files` alone.
const SHIPPED: [&str; 3] = ["cli", "runtime-probe", "runtime-reduce"];

/// How a crate says that it does. clippy then denies the functions that `clippy.toml` lists; tests know the files that they open.
const OPENS_SAFELY: &str = "#![cfg_attr(not(test), deny(clippy::disallowed_methods))]";

/// The only crates that may allow themselves `unsafe`: they touch live processes, or are called by C.
const MAY_BE_UNSAFE: [&str; 6] = [
    "runtime-probe",
    "runtime-loader",
    "runtime-pmpi",
    "runtime-gcc",
    "runtime-trace",
    "runtime-reduce",
];

/// Checks them all and fails with the list of what is broken.
pub fn check() -> Result<()> {
    let members = workspace::members()?;
    let mut broken = Vec::new();
    directions(&members, &mut broken);
    unsafe_code(&members, &mut broken)?;
    opened_safely(&members, &mut broken)?;
    architecture_page(&members, &mut broken)?;
    if !broken.is_empty() {
        bail!(
            "{} architecture invariants are broken:\n  {}",
            broken.len(),
            broken.join("\n  ")
        );
    }
    println!("architecture invariants hold for {} crates", members.len());
    Ok(())
}

fn opened_safely(members: &[Member], broken: &mut Vec<String>) -> Result<()> {
    let mut shipped = BTreeSet::from(SHIPPED);
    for root in SHIPPED {
        shipped.extend(reachable(members, root).into_keys());
    }
    for member in members
        .iter()
        .filter(|member| shipped.contains(member.name.as_str()))
    {
        let roots = ["lib.rs", "main.rs"].map(|name| member.directory.join("src").join(name));
        for root in roots.iter().filter(|root| root.exists()) {
            let text = fs::read_to_string(root).with_context(|| root.display().to_string())?;
            if !text.lines().any(|line| line == OPENS_SAFELY) {
                broken.push(format!(
                    "{} does not say '{OPENS_SAFELY}': a name may lead to a pipe, a device or more bytes than there is memory",
                    root.display()
                ));
            }
        }
    }
    Ok(())
}

fn directions(members: &[Member], broken: &mut Vec<String>) {
    for (crates, forbidden, because) in FORBIDDEN {
        for member in members
            .iter()
            .filter(|member| crates.contains(&member.name.as_str()))
        {
            for (name, by) in reachable(members, &member.name) {
                if forbidden.contains(&name) {
                    broken.push(format!(
                        "{} is built from {name} (through {by}): {because}",
                        member.name
                    ));
                }
            }
        }
    }
    for (of, only) in SEES_ONLY {
        let seen = reachable(members, of).into_keys();
        let others = seen.filter(|name| !only.contains(name));
        broken.extend(others.map(|name| format!("{of} is built from {name}, and may see {only:?} alone")));
    }
}

fn unsafe_code(members: &[Member], broken: &mut Vec<String>) -> Result<()> {
    for member in members {
        let manifest = member.directory.join("Cargo.toml");
        let text =
            fs::read_to_string(&manifest).with_context(|| format!("cannot read {}", manifest.display()))?;
        if !text.contains("[lints]\nworkspace = true") {
            broken.push(format!(
                "{} does not take the lints of the workspace",
                manifest.display()
            ));
        }
        // This file holds the words that it looks for.
        if MAY_BE_UNSAFE.contains(&member.name.as_str()) || member.name == "xtask" {
            continue;
        }
        for entry in WalkDir::new(member.directory.join("src")).sort_by_file_name() {
            let entry = entry.context("cannot list the sources")?;
            if entry.path().extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let text = fs::read_to_string(entry.path())
                .with_context(|| format!("cannot read {}", entry.path().display()))?;
            if text.contains("allow(unsafe_code)") || text.contains("expect(unsafe_code)") {
                broken.push(format!("{} allows unsafe code", entry.path().display()));
            }
        }
    }
    Ok(())
}

/// The one section of the architecture page that is about no single crate.
const OF_NO_CRATE: &str = "Where do I add";

/// The other second-level headings of the page are the names of the crates: all of them, and nothing else.
fn architecture_page(members: &[Member], broken: &mut Vec<String>) -> Result<()> {
    let page = workspace::root().join("docs/architecture.md");
    let text = fs::read_to_string(&page).with_context(|| format!("cannot read {}", page.display()))?;
    let described: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .map(str::trim)
        .filter(|&section| section != OF_NO_CRATE)
        .collect();
    let names: BTreeSet<&str> = members.iter().map(|member| member.name.as_str()).collect();
    for name in names.difference(&described) {
        broken.push(format!("docs/architecture.md has no section for `{name}`"));
    }
    for name in described.difference(&names) {
        broken.push(format!(
            "docs/architecture.md describes `{name}`, which is no member of the workspace"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn they_hold() {
        super::check().unwrap();
    }
}
