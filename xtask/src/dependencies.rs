//! What `deny.toml` says of dependencies, as far as `Cargo.lock` tells: it needs no network, as CI has none.

use crate::workspace;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Checks that no dependency is built in two versions, but for those that `deny.toml` names, and that all come from a registry.
pub fn check() -> Result<()> {
    let read = |name: &str| {
        let path = workspace::root().join(name);
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let broken = broken(&read("Cargo.lock")?, &read("deny.toml")?);
    if !broken.is_empty() {
        bail!(
            "dependencies are not as deny.toml says:\n  {}",
            broken.join("\n  ")
        );
    }
    println!("dependencies are as deny.toml says");
    Ok(())
}

/// What of the lock file breaks the rules, one line each.
fn broken(lock: &str, deny: &str) -> Vec<String> {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut broken = Vec::new();
    for package in lock.split("[[package]]").skip(1) {
        let value = |key: &str| {
            let values = package.lines().filter_map(|line| line.split_once(" = "));
            let mut of_key = values.filter(|(found, _)| *found == key);
            of_key.next().map(|(_, value)| value.trim_matches('"'))
        };
        let (Some(name), Some(version)) = (value("name"), value("version")) else {
            continue;
        };
        versions.entry(name).or_default().insert(version);
        // A package without a source is our own.
        if value("source").is_some_and(|source| !source.starts_with("registry+")) {
            broken.push(format!("{name} {version} does not come from a registry"));
        }
    }
    let skipped = deny
        .lines()
        .filter_map(|line| line.trim().strip_prefix("{ name = \""));
    let skipped: BTreeSet<&str> = skipped.filter_map(|rest| rest.split('"').next()).collect();
    for (name, versions) in &versions {
        if versions.len() > 1 && !skipped.contains(name) {
            let all = Vec::from_iter(versions.iter().copied()).join(" and ");
            broken.push(format!("{name} is built in versions {all}"));
        }
    }
    for name in skipped {
        if versions.get(name).is_none_or(|versions| versions.len() < 2) {
            broken.push(format!("{name} is skipped and not in two versions"));
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::broken;

    #[test]
    fn duplicates_stale_skips_and_other_sources() {
        let package = |name: &str, version: &str, source: &str| {
            format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n{source}\n")
        };
        let registry = "source = \"registry+here\"";
        let lock = [
            package("own", "0.0.0", ""),
            package("a", "1.0.0", registry),
            package("a", "2.0.0", registry),
            package("b", "1.0.0", "source = \"git+there\""),
            package("c", "1.0.0", registry),
            package("c", "2.0.0", registry),
        ];
        let deny = "skip = [\n    { name = \"c\" },\n    { name = \"own\" },\n]";
        assert_eq!(
            broken(&lock.concat(), deny),
            [
                "b 1.0.0 does not come from a registry",
                "a is built in versions 1.0.0 and 2.0.0",
                "own is skipped and not in two versions",
            ]
        );
        assert!(broken(&package("a", "1.0.0", registry), "").is_empty());
    }

    #[test]
    fn ours_are_as_they_should_be() {
        super::check().unwrap();
    }
}
