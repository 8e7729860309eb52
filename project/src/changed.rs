//! Sources that are not those that a program was built from, by their checksums, by their times, and by the lines that it has code of: neither their lines nor what they do need be the
//! build's, and an order by other lines is a wrong order. What a newer header gives may change whatever includes it: a loop is a macro's as often as not.

use crate::cache;
use crate::collect::Sources;
use crate::executable::Executable;
use crate::headers;
use base::{Cause, Confidence, Doubt};
use engine::{CompiledFile, Map, SourceFile};
use rayon::prelude::*;
use regular_files::{Limit, Reader};
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// By what a file is not the one that a build was made of, or need not be.
#[derive(Clone, Copy)]
enum Difference {
    /// By the compiler's own checksum of it.
    Text,
    /// The build has code of this line, on which nothing is written.
    LineWithoutCode { line: u32, is_newer: bool },
    /// By its time alone.
    Newer,
}

impl Difference {
    /// What is told of a file, which was changed at `time`, by a build that was made at `built`. A checksum that is right tells more than any time.
    fn of(
        file: &SourceFile,
        compiled: Option<&CompiledFile>,
        time: Option<SystemTime>,
        built: Option<SystemTime>,
    ) -> Option<Self> {
        if let Some(is_same) = compiled.and_then(|compiled| compiled.is_made_of(&file.bytes)) {
            return (!is_same).then_some(Self::Text);
        }
        let is_newer = built.is_some() && time > built;
        let line = compiled.and_then(|compiled| engine::line_without_code(file, compiled));
        match line {
            Some(line) => Some(Self::LineWithoutCode { line, is_newer }),
            None => is_newer.then_some(Self::Newer),
        }
    }
}

/// So many of the files that include a newer one are named.
const NAMED: usize = 3;

impl Sources {
    /// Leaves out the files that are not those that these builds were made of, by all that can be told: they were changed after the build, or the build has code
    /// of a line on which nothing is written. So are those left out that include such a file. Says whether there are any; a warning names each.
    ///
    /// The first build is the program, the others are its libraries.
    pub fn leave_out_changed(&mut self, builds: &[&Executable]) -> bool {
        let names = self.names_in(builds);
        let (changed, mut warnings) = self.changed(builds, &names);
        self.warnings.append(&mut warnings);
        // What nothing includes any more that is left is no source of these builds.
        let mut left = names.iter().enumerate().filter(|(at, _)| !changed.contains(at));
        let is_some_left = changed.is_empty() || left.any(|(_, name)| is_compiled(builds, name));
        let mut at = 0..;
        self.files
            .retain(|_| is_some_left && at.next().is_none_or(|at| !changed.contains(&at)));
        !changed.is_empty()
    }

    /// The files that are not those of the builds, which know them by these `names`, and what there is to say of them.
    fn changed(&self, builds: &[&Executable], names: &[String]) -> (BTreeSet<usize>, Vec<String>) {
        // Asked once of each file, however many libraries there are.
        let times = self.files.iter().map(|file| cache::modified(self.place_of(file)));
        let times = Vec::from_iter(times);
        let includers = LazyCell::new(|| self.includers());
        let mut changed: BTreeSet<usize> = BTreeSet::new();
        let mut warnings = Vec::new();
        for (number, build) in builds.iter().enumerate() {
            let compiled = Vec::from_iter(names.iter().map(|name| build.compiled_files().get(name)));
            let pairs = self.files.par_iter().zip(&compiled);
            let built = build.modified;
            let judged = pairs.zip(&times);
            let judged = judged.map(|((file, compiled), time)| Difference::of(file, *compiled, *time, built));
            let judged: Vec<Option<Difference>> = judged.collect();
            let what = match number {
                0 => "the executable".into(),
                _ => build.path.file_name().unwrap_or_default().to_string_lossy(),
            };
            for (at, difference) in judged.into_iter().enumerate() {
                let Some(difference) = difference else { continue };
                let affected = all_from(at, &includers).into_iter();
                let affected = affected.filter(|&each| compiled[each].is_some() && changed.insert(each));
                let Some(left_out) = self.left_out(at, &Vec::from_iter(affected)) else {
                    continue;
                };
                let path = &self.files[at].path;
                let program = build.path.to_string_lossy();
                let (program, source) = (base::shell_word(&program), base::shell_word(path));
                warnings.push(match difference {
                    Difference::Newer => format!(
                        "{path} is newer than {what}: {left_out}, since its lines may not be those of the build (if only its time is new: `touch -r {program} {source}`)"
                    ),
                    Difference::LineWithoutCode { line, is_newer: true } => format!(
                        "{path} is newer than {what}, which has code of line {line}, where nothing is written now: {left_out}"
                    ),
                    Difference::LineWithoutCode { line, is_newer: false } => format!(
                        "{path} is not the text that {what} was built from, which has code of line {line}, where nothing is written here: {left_out}"
                    ),
                    Difference::Text => format!(
                        "{path} is not the text that {what} was built from, by the checksum in its debug info: {left_out}"
                    ),
                });
            }
        }
        (changed, warnings)
    }

    /// By what names the builds may know the files: their own, or, since a path that the user gave is another spelling of the build's, their real ones.
    fn names_in(&self, builds: &[&Executable]) -> Vec<String> {
        let is_known = |path: &str| is_compiled(builds, path);
        let name = |file: &SourceFile| {
            let real = || self.reader.canonicalize(Path::new(&file.path)).ok();
            let other = (!is_known(&file.path)).then(real).flatten();
            other.map_or_else(|| file.path.clone(), |real| real.to_string_lossy().into_owned())
        };
        self.files.iter().map(name).collect()
    }

    /// What is left out because the file `at` is not the build's, in words; nothing if nothing is.
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

/// Whether one of the builds has compiled the file of this name.
fn is_compiled(builds: &[&Executable], name: &str) -> bool {
    builds
        .iter()
        .any(|build| build.compiled_files().contains_key(name))
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
    let sources = executable.program_sources();
    let directories = sources.map_or_else(|_| Default::default(), |sources| &sources.directories[..]);
    let mut headers = Headers {
        reader,
        directories: directories.iter().map(PathBuf::from).collect(),
        built,
        made,
        older: BTreeSet::new(),
    };
    let mut changed = BTreeSet::new();
    let mut because: BTreeMap<PathBuf, Difference> = BTreeMap::new();
    for (id, file) in map.files.iter_enumerated() {
        let place = Path::new(&file.path);
        let time = cache::modified(place);
        // Where the map is as old as the program no header was changed between the two, and a source need not be read.
        if time <= Some(built) && made <= built {
            continue;
        }
        let bytes = reader.read(place, Limit::SOURCE).ok();
        let Some(bytes) = bytes.filter(|bytes| engine::content_hash(bytes) == file.hash) else {
            continue;
        };
        let path = file.path.clone();
        let read = SourceFile { path, bytes };
        let compiled = executable.compiled_files().get(&file.path);
        let itself = Difference::of(&read, compiled, time, Some(built));
        let itself = itself.map(|difference| (place.to_owned(), difference));
        let found = itself.or_else(|| Some((headers.newer_in(read.bytes, place)?, Difference::Newer)));
        if let Some((path, difference)) = found {
            changed.insert(id);
            because.insert(path, difference);
        }
    }
    for function in map.functions.iter_mut() {
        if changed.contains(&function.file) {
            function.confidence = Confidence::Partial;
            function.confidence_reason = Some(Doubt::at(Cause::ChangedSinceBuild, function.span.line));
        }
    }
    let said = because.iter().map(|(path, difference)| {
        let is = match difference {
            Difference::Newer => "is newer than the executable",
            Difference::Text | Difference::LineWithoutCode { .. } => "is not the text that the executable was built from",
        };
        format!(
            "{} {is}: nothing is believed that the map says of what is in it or includes it, since its lines may not be those of the build",
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
