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
        .filter(|(_, file)| base::may_be_one_file(&file.path, path))
        .map(|(id, _)| id)
        .collect();
    match fits[..] {
        [only] => PathLookup::Found(only),
        [] => PathLookup::Missing,
        _ => PathLookup::Ambiguous(fits),
    }
}

/// How short messages spell a file: its last component, or the whole path when another file of the map shares that.
pub(crate) fn short_name(map: &Map, id: FileId) -> &str {
    let last = |path: &'_ str| base::last_component(path).to_owned();
    let path = map.files[id].path.as_str();
    let name = base::last_component(path);
    let shared = map
        .files
        .iter_enumerated()
        .any(|(other, file)| other != id && last(&file.path) == name);
    if shared { path } else { name }
}
