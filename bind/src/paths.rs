//! Source paths: how debug info spells them, and which file of the map each of them is.
//!
//! The same file has many spellings: relative to the directory of the compilation, through `..`, under the directory
//! where a container built it, or rewritten by `-ffile-prefix-map`. [`match_files`] first takes paths that are equal
//! when normalised. What is left is matched only by a *root*, one pair of directories (map side, debug side) that
//! stand for each other; the pair that explains the most files wins, and a file that it does not explain stays
//! unmatched. So a `util.c` of some library never passes for the `util.c` of the map only because of its name.

use base::{IdVec, define_id, last_component};
use progress_map::{File, FileId};
use std::collections::{BTreeMap, BTreeSet};

define_id!(
    /// A source path of the debug info.
    PathId, "path"
);

/// All source paths that were asked for, each once.
#[derive(Default)]
pub(crate) struct Paths {
    pub(crate) paths: IdVec<PathId, String>,
    ids: BTreeMap<String, PathId>,
}

impl Paths {
    /// The id of a normalised path.
    pub(crate) fn intern(&mut self, path: String) -> PathId {
        if let Some(&id) = self.ids.get(&path) {
            return id;
        }
        let id = self.paths.push(path.clone());
        self.ids.insert(path, id);
        id
    }
}

/// `name` as seen from `directory`.
pub(crate) fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() || name.starts_with('/') {
        name.to_owned()
    } else {
        format!("{directory}/{name}")
    }
}

/// Without `.`, without empty components, and with `..` resolved as far as the text tells.
pub(crate) fn normalise(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(&last) if last != ".." => {
                    parts.pop();
                }
                // The parent of the root is the root.
                None if absolute => {}
                _ => parts.push(".."),
            },
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if absolute { format!("/{joined}") } else { joined }
}

/// What [`match_files`] found.
pub(crate) struct Matching {
    /// For every path, the file of the map that it is.
    pub(crate) files: IdVec<PathId, Option<FileId>>,
    /// Files of the map that could be several paths, so that none was taken.
    pub(crate) ambiguous: Vec<FileId>,
}

/// Which file of the map each path is.
pub(crate) fn match_files(map: &IdVec<FileId, File>, paths: &IdVec<PathId, String>) -> Matching {
    let normal: IdVec<FileId, String> = map.iter().map(|file| normalise(&file.path)).collect();
    let by_path: BTreeMap<&str, FileId> = normal
        .iter_enumerated()
        .map(|(file, path)| (path.as_str(), file))
        .collect();
    let mut files: IdVec<PathId, Option<FileId>> = paths
        .iter()
        .map(|path| by_path.get(path.as_str()).copied())
        .collect();
    let mut ambiguous = Vec::new();
    // Absolute and relative paths of the map are two questions: what stands for `/`, and where was the map made.
    for absolute in [true, false] {
        let exact: BTreeSet<FileId> = files.iter().copied().flatten().collect();
        let same_kind = |file: &FileId| normal[*file].starts_with('/') == absolute;
        if exact.iter().any(same_kind) {
            // The sources are where they were. What did not match is not part of this executable.
            continue;
        }
        let open = Vec::from_iter(normal.ids().filter(same_kind));
        let candidates = candidates(&normal, &open, paths, &files);
        let mut votes: BTreeMap<&Root<'_>, BTreeSet<FileId>> = BTreeMap::new();
        for (root, file, _) in &candidates {
            votes.entry(root).or_default().insert(*file);
        }
        let best = votes.values().map(BTreeSet::len).max().unwrap_or(0);
        let winners = Vec::from_iter(votes.iter().filter(|(_, files)| files.len() == best));
        match winners.as_slice() {
            [] => {}
            [(winner, _)] => {
                for (root, file, path) in &candidates {
                    if root == **winner {
                        files[*path] = Some(*file);
                    }
                }
            }
            several => {
                let all: BTreeSet<FileId> = several
                    .iter()
                    .flat_map(|(_, files)| files.iter().copied())
                    .collect();
                ambiguous.extend(all);
            }
        }
    }
    Matching { files, ambiguous }
}

/// A directory of the map and the directory of the debug info that stands for it.
type Root<'a> = (&'a str, &'a str);

/// Every way in which an open file could be an unmatched path, with the root that it would need.
fn candidates<'a>(
    normal: &'a IdVec<FileId, String>,
    open: &[FileId],
    paths: &'a IdVec<PathId, String>,
    files: &IdVec<PathId, Option<FileId>>,
) -> Vec<(Root<'a>, FileId, PathId)> {
    let mut by_name: BTreeMap<&str, Vec<PathId>> = BTreeMap::new();
    for (path, spelling) in paths.iter_enumerated() {
        if files[path].is_none() {
            by_name.entry(last_component(spelling)).or_default().push(path);
        }
    }
    let mut candidates = Vec::new();
    for &file in open {
        let wanted = normal[file].as_str();
        for &path in by_name.get(last_component(wanted)).into_iter().flatten() {
            let (ours, theirs) = without_common_suffix(wanted, &paths[path]);
            // A relative path of the map must be found as a whole: only `..` may be left of it.
            if wanted.starts_with('/') || ours.split('/').all(|part| matches!(part, "" | "..")) {
                candidates.push(((ours, theirs), file, path));
            }
        }
    }
    candidates
}

/// What is left of two paths when the components that they share at the end are taken away.
fn without_common_suffix<'a>(a: &'a str, b: &'a str) -> Root<'a> {
    let (mut rest_a, mut rest_b) = (a, b);
    loop {
        let (head_a, last_a) = rest_a.rsplit_once('/').unwrap_or(("", rest_a));
        let (head_b, last_b) = rest_b.rsplit_once('/').unwrap_or(("", rest_b));
        if last_a != last_b || last_a.is_empty() {
            return (rest_a, rest_b);
        }
        (rest_a, rest_b) = (head_a, head_b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Id as _;

    /// For every debug path, the map path that it was matched to.
    fn matched<'a>(map: &[&'a str], debug: &[&str]) -> (Vec<Option<&'a str>>, usize) {
        let files = IdVec::from_iter(map.iter().map(|path| File {
            path: (*path).to_owned(),
            hash: [0; 32],
        }));
        let paths = IdVec::from_iter(debug.iter().map(|path| normalise(path)));
        let found = match_files(&files, &paths);
        let names = found.files.iter().map(|file| file.map(|file| map[file.index()]));
        (names.collect(), found.ambiguous.len())
    }

    #[test]
    fn dots_are_resolved() {
        assert_eq!(normalise("/a/./b//../c.c"), "/a/c.c");
        assert_eq!(normalise("../../x/../a.c"), "../../a.c");
        assert_eq!(normalise("/../a.c"), "/a.c");
        assert_eq!(normalise("./a.c"), "a.c");
        assert_eq!(normalise(&join("/b", "../src/a.c")), "/src/a.c");
    }

    #[test]
    fn equal_paths_match_and_switch_off_guessing() {
        let (names, _) = matched(
            &["/p/a.c", "/p/tests/util.c"],
            &["/p/x/../a.c", "/usr/lib/util.c"],
        );
        assert_eq!(names, [Some("/p/a.c"), None]);
    }

    #[test]
    fn relative_paths_match_by_one_root() {
        let (names, ambiguous) = matched(&["a.c", "src/b.c"], &["/p/a.c", "/p/src/b.c", "/other/a.c"]);
        assert_eq!(names, [Some("a.c"), Some("src/b.c"), None]);
        assert_eq!(ambiguous, 0);
        // `a.c` and `src/a.c` are different files even when both end like a path of the debug info.
        let (names, _) = matched(&["a.c", "src/a.c"], &["/p/src/a.c", "/p/a.c"]);
        assert_eq!(names, [Some("src/a.c"), Some("a.c")]);
        let (names, _) = matched(&["../lib/a.c", "../lib/b.c"], &["/p/lib/a.c", "/p/lib/b.c"]);
        assert_eq!(names, [Some("../lib/a.c"), Some("../lib/b.c")]);
    }

    #[test]
    fn moved_sources_match_by_one_root() {
        let map = ["/home/u/p/src/a.c", "/home/u/p/src/b.c", "/home/u/p/tests/util.c"];
        let (names, _) = matched(&map, &["/build/src/a.c", "/build/src/b.c", "/opt/lib/util.c"]);
        assert_eq!(names, [Some(map[0]), Some(map[1]), None]);
        // -ffile-prefix-map leaves relative paths.
        let (names, _) = matched(&map, &["src/a.c", "src/b.c"]);
        assert_eq!(names, [Some(map[0]), Some(map[1])]);
    }

    #[test]
    fn what_could_be_two_files_is_neither() {
        let (names, ambiguous) = matched(&["main.c"], &["/p/a/main.c", "/p/b/main.c"]);
        assert_eq!(names, [None, None]);
        assert_eq!(ambiguous, 1);
    }
}
