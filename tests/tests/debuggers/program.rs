//! The program that debuggers hold, and what is asked of what they print.

use std::path::{Path, PathBuf};
use std::process::Command;
use tests::oracle::judge::Directory;
use tests::stopped::{hindmost, succeed};

/// A program that was compiled so, in a directory of its own.
pub struct Built {
    pub directory: Directory,
    pub program: PathBuf,
}

/// Compiles `iterate.c`.
pub fn built(flags: &[&str]) -> Built {
    let directory = Directory::of_seed(None, 0).unwrap();
    std::fs::write(directory.path.join("iterate.c"), include_str!("iterate.c")).unwrap();
    let arguments = ["-g", "-fno-inline", "iterate.c", "-o", "iterate"];
    succeed(
        Command::new("gcc")
            .args(flags)
            .args(arguments)
            .current_dir(&directory.path),
    );
    let program = directory.path.join("iterate");
    Built { directory, program }
}

/// Whether the text has all of these words.
#[track_caller]
pub fn has_all(said: &str, words: &[&str]) {
    for word in words {
        assert!(said.contains(word), "no {word:?} in {said}");
    }
}

/// A map of this program.
pub fn bound_map(built: &Built) -> PathBuf {
    let map: &Path = Path::new("other.hmap");
    succeed(
        Command::new(hindmost())
            .args(["map", "--exe", "iterate", "-q", "-o"])
            .arg(map)
            .current_dir(&built.directory.path),
    );
    built.directory.path.join(map)
}
