//! Paths as users type them and as builds spell them.

use base::IdVec;
use progress_map::{File, FileId, Map};

/// The outcome of looking a file up by a user's spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathLookup {
    /// Exactly one file of the map fits.
    Found(FileId),
    /// Several do.
    Ambiguous(Vec<FileId>),
    /// None does.
    Missing,
}

/// Finds the file of the map that `path` names: its full path, or a tail of it by whole components.
pub fn find_file(map: &Map, path: &str) -> PathLookup {
    find_in(&map.files, path)
}

/// The same in a map's files.
pub(crate) fn find_in(files: &IdVec<FileId, File>, path: &str) -> PathLookup {
    if let Some((id, _)) = files.iter_enumerated().find(|(_, file)| file.path == path) {
        return PathLookup::Found(id);
    }
    let fits: Vec<FileId> = files
        .iter_enumerated()
        .filter(|(_, file)| same_path(&file.path, path))
        .map(|(id, _)| id)
        .collect();
    match fits[..] {
        [only] => PathLookup::Found(only),
        [] => PathLookup::Missing,
        _ => PathLookup::Ambiguous(fits),
    }
}

/// Whether one of two paths is a tail of the other, component by component; `.` components do not count.
pub fn same_path(a: &str, b: &str) -> bool {
    let components = |path: &'_ str| -> Vec<String> {
        path.rsplit('/')
            .filter(|part| !part.is_empty() && *part != ".")
            .map(str::to_owned)
            .collect()
    };
    let (a_parts, b_parts) = (components(a), components(b));
    let common = a_parts.len().min(b_parts.len());
    common > 0
        && a_parts[..common] == b_parts[..common]
        // An absolute path has no longer spelling.
        && !(a.starts_with('/') && b_parts.len() > a_parts.len())
        && !(b.starts_with('/') && a_parts.len() > b_parts.len())
}

/// How short messages spell a file: its last component, or the whole path when another file of the map shares that.
pub(crate) fn short_name(map: &Map, id: FileId) -> &str {
    let last = |path: &'_ str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let path = map.files[id].path.as_str();
    let name = path.rsplit('/').next().unwrap_or(path);
    let shared = map
        .files
        .iter_enumerated()
        .any(|(other, file)| other != id && last(&file.path) == name);
    if shared { path } else { name }
}

#[cfg(test)]
mod tests {
    use super::same_path;

    #[test]
    fn a_tail_names_the_whole() {
        assert!(same_path("/src/app/poisson.c", "poisson.c"));
        assert!(same_path("app/poisson.c", "./app/poisson.c"));
        assert!(same_path("poisson.c", "/src/poisson.c"));
        assert!(!same_path("/src/app/poisson.c", "son.c"));
        assert!(!same_path("/a/poisson.c", "/b/a/poisson.c"));
        assert!(!same_path("x.c", ""));
    }
}
