//! What the plugin for gcc calls inside the compiler.
//!
//! A shim in C++ (`integrations/gcc`), which is compiled for each gcc with that one's own headers, walks the trees of the front end and hands them
//! over as rows of numbers ([`interface`]). `gcc-trees` makes `ir` of them, and what comes out is a fragment for each file, as `hindmost cc` writes it.
//!
//! It runs inside of other people's builds, so it must not end them: no panic leaves it, and whatever is wrong is told with a sentence, after which
//! the compiler goes on without a fragment. It writes nothing but what it is asked for and reads the sources alone.
//!
//! `unsafe` stands where C's pointers become slices and texts.

pub mod interface;

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A compilation, as the shim holds it.
pub struct Compilation {
    codes: Vec<gcc_trees::Code>,
    directory: PathBuf,
    /// Absolute paths of the files that the compiler has named, in the order of its numbers.
    paths: Arc<Vec<String>>,
    read: gcc_trees::Compilation,
    trouble: std::ffi::CString,
}

/// A path as the map names files: absolute, without `.` and `..`, as `hindmost map` makes it of what a compile command says.
fn absolute(directory: &Path, name: &str) -> String {
    let mut path = PathBuf::new();
    for part in directory.join(name).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::CurDir => {}
            other => path.push(other),
        }
    }
    path.to_string_lossy().into_owned()
}

/// The text of a source file.
fn text(path: &str) -> Option<Vec<u8>> {
    regular_files::read_named(Path::new(path), regular_files::Limit::SOURCE).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_compile_commands() {
        let of = |name: &str| absolute(Path::new("/d/b"), name);
        assert_eq!(of("a.c"), "/d/b/a.c");
        assert_eq!(of("../s/./a.c"), "/d/s/a.c");
        assert_eq!(of("/x/../a.h"), "/a.h");
    }
}
