//! Where the program of a compile command is, and what it is told of where others are: nothing that comes with the tree is run or loaded.

use crate::compiler_command::{CONSENT, Trust};
use std::borrow::Cow;
use std::ffi::OsString;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Where a program is. One that is named without a directory is looked for where `PATH` says, but never in the tree's own directory.
pub(crate) fn program(name: &str, trust: Trust) -> Result<Cow<'_, Path>, String> {
    let missing = || format!("{name} is not installed");
    let is_program = |path: &PathBuf| {
        std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    let path = match Path::new(name) {
        path if !name.contains('/') => {
            let found =
                path_directories().find_map(|directory| Some(directory.join(path)).filter(is_program));
            Cow::Owned(found.ok_or_else(missing)?)
        }
        path if trust == Trust::Build => Cow::Borrowed(path),
        path => Cow::Owned(installed(path).ok_or_else(|| {
            format!("{name} is neither in a directory of PATH nor where only root installs programs{CONSENT}")
        })?),
    };
    if trust == Trust::Nothing {
        let found = std::fs::metadata(&path).map_err(|_| missing())?;
        let own = nix::unistd::geteuid().as_raw();
        let (owner, mode) = (found.uid(), found.mode());
        if ![0, own].contains(&owner) || mode & 0o002 != 0 {
            return Err(format!(
                "{name} belongs to somebody else, or everybody may write to it{CONSENT}"
            ));
        }
    }
    Ok(path)
}

/// A program with a directory, if that is one of those of `PATH` or one where only root can write, who is not the user. Whatever else a user owns may
/// have come with the tree, which can name its own files also by `/proc/self/cwd`, or guess where it will be unpacked.
fn installed(path: &Path) -> Option<PathBuf> {
    // Without links it is the same from wherever it is run.
    let directory = path.parent()?.canonicalize().ok()?;
    let is_roots = |directory: &Path| {
        std::fs::metadata(directory).is_ok_and(|found| found.uid() == 0 && found.mode() & 0o022 == 0)
    };
    let is_known = path_directories().any(|known| known.canonicalize().is_ok_and(|known| known == directory))
        || !nix::unistd::geteuid().is_root() && directory.ancestors().all(is_roots);
    is_known.then(|| Some(directory.join(path.file_name()?)))?
}

fn path_directories() -> impl Iterator<Item = PathBuf> {
    absolute_directories("PATH").into_iter()
}

/// The directories of a list in the environment that are the same wherever a program runs.
fn absolute_directories(name: &str) -> Vec<PathBuf> {
    let all = std::env::var_os(name).unwrap_or_default();
    let all = std::env::split_paths(&all);
    all.filter(|directory| directory.is_absolute()).collect()
}

/// What a compiler's environment has instead of the user's own: where programs and libraries are looked for, without the directory that it
/// runs in, which is the tree's. An empty entry in `LD_LIBRARY_PATH` means that, and is common. `None` where nothing is left. And there is no place for
/// temporary files: preprocessing makes none, but a compiler that a source crashes would (`#pragma clang __debug crash`).
pub(crate) fn environment() -> impl Iterator<Item = (&'static str, Option<OsString>)> {
    const LISTS: [&str; 5] = [
        "PATH",
        "LD_LIBRARY_PATH",
        "COMPILER_PATH",
        "LIBRARY_PATH",
        "GCC_EXEC_PREFIX",
    ];
    let nowhere = ("TMPDIR", Some("/dev/null/none".into()));
    let lists = LISTS.into_iter().map(|name| {
        let directories = absolute_directories(name);
        let none = match name {
            // Without any, programs are looked for in the working directory.
            "PATH" => Some("/usr/bin:/bin".into()),
            _ => None,
        };
        // They came from such a list, so they can be joined to one.
        let joined = std::env::join_paths(&directories).ok();
        (name, joined.filter(|_| !directories.is_empty()).or(none))
    });
    lists.chain([nowhere])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_where_path_says_and_nowhere_else() {
        assert!(program("cc", Trust::Nothing).unwrap().is_absolute());
        assert!(program("/usr/bin/cc", Trust::Nothing).is_ok());
        // A link that a tree brings: to whatever program, by whatever name for the directory.
        let tree = std::env::temp_dir().join(format!("hindmost-link-{}", std::process::id()));
        std::fs::create_dir_all(&tree).unwrap();
        std::os::unix::fs::symlink("/bin/sh", tree.join("gcc")).unwrap();
        let link = tree.join("gcc").display().to_string();
        for name in [&link, &format!("/proc/self/root{link}")] {
            let why = program(name, Trust::Nothing).unwrap_err();
            assert!(why.contains("neither in a directory of PATH nor"), "{why}");
            assert!(program(name, Trust::Build).is_ok());
        }
        std::fs::remove_dir_all(&tree).unwrap();
        assert!(
            program("no-such-compiler", Trust::Build)
                .unwrap_err()
                .contains("not installed")
        );
    }
}
