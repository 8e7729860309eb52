//! Sources that are newer than the program they were built into: neither their lines nor what they do need be the build's, and an order by other lines is a
//! wrong order. What a newer header gives may change whatever includes it: a loop is a macro's as often as not.

use crate::cache;
use crate::collect::Sources;
use crate::executable::Executable;
use crate::headers;
use base::{Cause, Confidence, Doubt};
use engine::Map;
use regular_files::{Limit, Reader};
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// So many of the files that include a newer one are named.
const NAMED: usize = 3;

impl Sources {
    /// Leaves out the files that were changed after one of these builds had compiled them, and those that include such a file. Says whether there are any; a
    /// warning names each that is newer.
    ///
    /// The first build is the program, the others are its libraries.
    pub fn leave_out_changed(&mut self, builds: &[&Executable]) -> bool {
        // Asked once of each file, however many libraries there are.
        let times = self.files.iter().map(|file| cache::modified(self.place_of(file)));
        let times = Vec::from_iter(times);
        let includers = LazyCell::new(|| self.includers());
        let mut changed: BTreeSet<usize> = BTreeSet::new();
        let mut warnings = Vec::new();
        for (number, build) in builds.iter().enumerate() {
            let is_newer = |&at: &usize| build.modified.is_some() && times[at] > build.modified;
            let newer = Vec::from_iter((0..self.files.len()).filter(is_newer));
            if newer.is_empty() {
                continue;
            }
            let compiled = build.compiled_files();
            let is_compiled = |&at: &usize| {
                let path = &self.files[at].path;
                // A path that the user gave is another spelling of the build's.
                let real = self.reader.canonicalize(Path::new(path)).ok();
                compiled.contains_key(path)
                    || real.is_some_and(|real| compiled.contains_key(&*real.to_string_lossy()))
            };
            let what = match number {
                0 => "the executable".into(),
                _ => build.path.file_name().unwrap_or_default().to_string_lossy(),
            };
            for at in newer {
                let affected = all_from(at, &includers).into_iter().filter(is_compiled);
                let affected = Vec::from_iter(affected.filter(|&each| changed.insert(each)));
                if let Some(left_out) = self.left_out(at, &affected) {
                    let path = &self.files[at].path;
                    let program = base::shell_word(&build.path.to_string_lossy()).into_owned();
                    warnings.push(format!(
                        "{path} is newer than {what}: {left_out}, since its lines may not be those of the build (if only its time is new: `touch -r {program} {}`)",
                        base::shell_word(path)
                    ));
                }
            }
        }
        drop(includers);
        self.warnings.append(&mut warnings);
        let mut at = 0..;
        self.files
            .retain(|_| at.next().is_none_or(|at| !changed.contains(&at)));
        !changed.is_empty()
    }

    /// What is left out because the file `at` is newer, in words; nothing if nothing is.
    fn left_out(&self, at: usize, affected: &[usize]) -> Option<String> {
        let others = affected.iter().filter(|&&each| each != at);
        let others = Vec::from_iter(others.map(|&each| self.files[each].path.as_str()));
        if others.is_empty() {
            return (!affected.is_empty()).then(|| "it is left out".to_owned());
        }
        let some = others[..others.len().min(NAMED)].join(", ");
        let more = others.len().saturating_sub(NAMED);
        let more = (more > 0).then(|| format!(" and {more} more"));
        Some(format!(
            "what includes it is left out ({some}{})",
            more.unwrap_or_default()
        ))
    }

    /// For each file those that include it.
    fn includers(&self) -> Vec<Vec<usize>> {
        let real = |path: &Path| self.reader.canonicalize(path).ok();
        let files = self.files.iter().enumerate();
        let known: BTreeMap<PathBuf, usize> = files
            .clone()
            .filter_map(|(at, file)| Some((real(self.place_of(file))?, at)))
            .collect();
        let mut includers = vec![Vec::new(); self.files.len()];
        for (at, file) in files {
            for path in self.included_by(file) {
                if let Some(&included) = real(&path).and_then(|real| known.get(&real)) {
                    includers[included].push(at);
                }
            }
        }
        includers
    }
}

/// What is reached from `start`, itself included.
fn all_from(start: usize, next: &[Vec<usize>]) -> BTreeSet<usize> {
    let mut found = BTreeSet::from([start]);
    let mut left = vec![start];
    while let Some(at) = left.pop() {
        left.extend(next[at].iter().copied().filter(|&each| found.insert(each)));
    }
    found
}

/// Lets nothing rest on the functions of a map that knows no build, if they were read from files that are newer than the program, or from files that include such
/// a one. What was changed since the map was made tells nothing of the map. `path` is the map's.
pub(crate) fn doubt(map: &mut Map, path: &Path, executable: &Executable, reader: &Reader) -> Vec<String> {
    let (Some(built), Some(made)) = (executable.modified, cache::modified(path)) else {
        return Vec::new();
    };
    let directories = executable.program_sources().map(|sources| sources.directories);
    let directories = directories.unwrap_or_default();
    let mut headers = Headers {
        reader,
        directories: directories.iter().map(PathBuf::from).collect(),
        built,
        made,
        older: BTreeSet::new(),
    };
    let mut changed = BTreeSet::new();
    let mut newer = BTreeSet::new();
    for (id, file) in map.files.iter_enumerated() {
        let place = Path::new(&file.path);
        let bytes = reader.read(place, Limit::SOURCE);
        let is_the_maps = |bytes: &Vec<u8>| engine::content_hash(bytes) == file.hash;
        let Some(bytes) = bytes.ok().filter(is_the_maps) else {
            continue;
        };
        let itself = (cache::modified(place) > Some(built)).then(|| place.to_owned());
        if let Some(found) = itself.or_else(|| headers.newer_in(bytes, place)) {
            changed.insert(id);
            newer.insert(found);
        }
    }
    for function in map.functions.iter_mut() {
        if changed.contains(&function.file) {
            function.confidence = Confidence::Partial;
            function.confidence_reason = Some(Doubt::at(Cause::ChangedSinceBuild, function.span.line));
        }
    }
    let said = newer.iter().map(|path| {
        format!(
            "{} is newer than the executable: nothing is believed that the map says of what is in it or includes it, since its lines may not be those of the build",
            path.display()
        )
    });
    said.collect()
}

/// The headers of a map's sources.
struct Headers<'r> {
    reader: &'r Reader,
    /// Where the build looked for them.
    directories: Vec<PathBuf>,
    /// When the program was built.
    built: SystemTime,
    /// When the map was made.
    made: SystemTime,
    /// Those that are older than the program, as all are that they include.
    older: BTreeSet<PathBuf>,
}

impl Headers<'_> {
    /// A header that `text` includes, perhaps through others, and that was changed between build and map. The text was read at `place`.
    fn newer_in(&mut self, text: Vec<u8>, place: &Path) -> Option<PathBuf> {
        let mut seen = BTreeSet::new();
        let mut left = vec![(text, place.to_owned())];
        while let Some((text, place)) = left.pop() {
            for path in headers::included_by(&text, &place, &self.directories, self.reader) {
                if self.older.contains(&path) || !seen.insert(path.clone()) {
                    continue;
                }
                if cache::modified(&path).is_some_and(|time| time > self.built && time <= self.made) {
                    return Some(path);
                }
                if let Ok(text) = self.reader.read(&path, Limit::SOURCE) {
                    left.push((text, path));
                }
            }
        }
        self.older.append(&mut seen);
        None
    }
}
