//! What the readings of C are compared on, and with which compilers.

use crate::oracle::case::Case;
use crate::oracle::generate::Profile;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Whether `compiler` is there. Under CI it must be.
///
/// # Panics
/// When it is missing under CI.
pub fn installed(compiler: &str) -> bool {
    let found = std::process::Command::new(compiler)
        .arg("--version")
        .output()
        .is_ok();
    assert!(
        found || std::env::var_os("CI").is_none(),
        "{compiler} is not installed, and CI must have it"
    );
    if !found {
        eprintln!("SKIPPED: {compiler} is not installed");
    }
    found
}

/// The files of a directory whose names have this ending, sorted.
///
/// # Panics
/// When it cannot be read.
pub fn files_of(directory: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap_or_else(|e| panic!("{}: {e}", directory.display())))
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|its| its == ending))
        .collect();
    files.sort();
    files
}

/// Writes the oracle's programs of `seeds`, and the `mpi.h` that they include, into `directory`.
///
/// # Panics
/// When a seed gives no program, or a file cannot be written.
pub fn random_programs(directory: &Path, seeds: &[(Profile, Range<u64>)]) -> Vec<PathBuf> {
    let write = |path: &Path, text: &str| {
        std::fs::write(path, text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    };
    write(&directory.join("mpi.h"), include_str!("../oracle/harness/mpi.h"));
    let mut files = Vec::new();
    for (profile, seeds) in seeds {
        for seed in seeds.clone() {
            let case =
                Case::of_profile(*profile, seed).unwrap_or_else(|e| panic!("seed {seed}: {}", e.reason));
            let path = directory.join(format!("{profile:?}-{seed}.c"));
            write(&path, &case.layout.clean);
            files.push(path);
        }
    }
    files
}
