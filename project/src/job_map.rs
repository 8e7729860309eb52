//! The map of a running job: the one given, the one beside the executable, the one kept from last time, or one made
//! on the spot.

use crate::build::Build;
use crate::cache::Slot;
use crate::changed;
use crate::collect::{Sight, Sources};
use crate::debuginfod;
use crate::executable::Executable;
use crate::failure::Failure;
use crate::files;
use crate::listener::Listener;
use crate::making;
use crate::program::Program;
use crate::threads;
use base::{Diagnostic, Severity, Span};
use engine::{CompiledUnits, Map, MapOrigin, MapUsed, Mismatch, NoMap};
use regular_files::{Limit, Reader};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// So many bytes of executables are looked through for the order of their code while a user waits.
const MOST_CODE: usize = 256 << 20;

/// A map that is bound to what runs, and what is worth knowing about it.
pub struct JobMap {
    /// The map; empty if there is [none](Self::none).
    pub map: Map,
    /// The file that the map came from, if it did.
    pub path: Option<PathBuf>,
    /// A file that has the map byte for byte, as far as is known; none where it was bound in memory, or is a part of a program.
    pub file: Option<PathBuf>,
    /// Which map it is, if there is one.
    pub used: Option<MapUsed>,
    /// What the user should know of it.
    pub warnings: Vec<String>,
    /// Why the map is empty, if it is.
    pub none: Option<NoMap>,
    /// What could not be bound, each at the head of the function that it is about.
    pub unbound: Vec<Diagnostic>,
    /// The maps of the job's other programs, or of other builds of it; none of them is of the build of another, or empty.
    pub others: Vec<JobMap>,
    /// With whose rights the sources are read that the job names.
    pub reader: Reader,
    /// What the program and its libraries carry of sources that no front end reads.
    pub compiled: CompiledUnits,
}

impl JobMap {
    /// No map: stacks are read, named and compared all the same, and nothing of the code's order is known.
    pub fn none(why: &Failure, reader: &Reader) -> Self {
        Self {
            map: Map::default(),
            path: None,
            file: None,
            used: None,
            unbound: Vec::new(),
            warnings: why.noticed().to_vec(),
            others: Vec::new(),
            reader: reader.clone(),
            compiled: CompiledUnits::default(),
            none: Some(NoMap {
                reason: format!("there is no map of the program ({why})"),
                remedy: why.advice().map(str::to_owned),
            }),
        }
    }

    /// No map so far: one is being made.
    pub fn not_yet() -> Self {
        Self::none(&Failure::new("it is still being made"), &Reader::default())
    }

    /// No map, but the code of the program and of its libraries: who is behind may follow from the order of its instructions.
    pub(crate) fn of_code(why: &Failure, build: &Build<'_>, listener: &dyn Listener) -> Self {
        let mut found = Self::none(why, &build.reader);
        let slot = Slot::of_code(&build.identities(), listener);
        if let Some((map, used)) = slot.as_ref().and_then(|slot| slot.read(MapOrigin::Code))
            && build.executable.fits(&map).is_ok()
        {
            (found.map, found.used) = (map, Some(used));
            found.file = slot.map(|slot| slot.path());
            return found;
        }
        let all = || std::iter::once(&build.executable).chain(build.libraries());
        if all().map(Executable::length).sum::<usize>() > MOST_CODE {
            return found;
        }
        threads::start(None);
        let mut map = Map::default();
        if all().all(|each| each.bind_code(&mut map).is_ok()) {
            let bytes = map.to_bytes_by(rayon::current_num_threads());
            found.used = Some(MapUsed::new(MapOrigin::Code, &map, &bytes));
            // It is made anew when it was not kept.
            match slot
                .map(|slot| slot.write(&bytes).map(|()| slot.path()))
                .transpose()
            {
                Ok(kept) => found.file = kept,
                Err(error) => found.warnings.push(format!(
                    "the order of the code could not be kept for the next time: {error}"
                )),
            }
            found.map = map;
        }
        found
    }

    /// The same, and what could not be read of `build`, which it is of.
    pub(crate) fn with_warnings_of(mut self, build: &Build<'_>) -> Self {
        self.warnings.extend(build.warnings());
        self
    }

    /// This one and those of other programs.
    pub fn each(&self) -> impl Iterator<Item = &JobMap> {
        std::iter::once(self).chain(&self.others)
    }

    /// This map and those of other programs.
    pub fn maps(&self) -> Vec<&Map> {
        self.each().map(|each| &each.map).collect()
    }

    /// Adds the map of another program of the job, if it is one.
    pub(crate) fn add(&mut self, other: JobMap) {
        let build = |map: &Map| map.binding.as_ref().map(|binding| binding.build_id.clone());
        let new = build(&other.map).filter(|id| !id.is_empty());
        let is_known = || self.maps().into_iter().any(|map| build(map) == new);
        if new.is_some() && !is_known() {
            self.others.push(other);
        }
    }

    /// Whether nothing is known of the program's source.
    pub fn is_empty(&self) -> bool {
        self.map.functions.is_empty()
    }

    /// The map that the user gave. An unbound one is bound in memory.
    pub fn given(path: &Path, build: &Build<'_>) -> Result<Self, Failure> {
        Ok(Self::read_for(path, build)?.with_compiled(build))
    }

    /// The same, with what `build` carries of sources that no front end reads, if the map has some.
    fn with_compiled(mut self, build: &Build<'_>) -> Self {
        if self.map.files.iter().any(|file| engine::is_unread(&file.path)) {
            let all = std::iter::once(&build.executable).chain(build.libraries());
            // What is wrong with them was said when the map was made.
            self.compiled = making::compiled_inside(&Vec::from_iter(all), &mut Vec::new());
        }
        self
    }

    fn read_for(path: &Path, build: &Build<'_>) -> Result<Self, Failure> {
        let executable = &build.executable;
        let (mut map, used) = files::read_map_used(path)?;
        let mut warnings = Vec::new();
        let mut file = None;
        let unbound = match executable.fits(&map) {
            Ok(()) => {
                file = std::path::absolute(path).ok();
                Vec::new()
            }
            Err(Mismatch::NotBound) => {
                warnings = changed::doubt(&mut map, path, executable, &build.reader);
                bind(&mut map, executable, &Vec::from_iter(build.libraries()))?
            }
            Err(mismatch) => {
                return Err(
                    Failure::new(format!("{}: {mismatch}", path.display())).hint(format!(
                        "hindmost map --exe {} makes a map of the build that runs",
                        base::shell_word(&executable.path.to_string_lossy())
                    )),
                );
            }
        };
        Ok(Self {
            map,
            path: Some(path.to_owned()),
            file,
            used: Some(used),
            warnings,
            none: None,
            unbound,
            others: Vec::new(),
            reader: build.reader.clone(),
            compiled: CompiledUnits::default(),
        })
    }

    /// The map that the user gave, of a program that is not here: the probe holds it against what runs.
    pub(crate) fn unchecked(path: &Path, reader: &Reader) -> Result<Self, Failure> {
        let (map, used) = files::read_map_used(path)?;
        Ok(Self {
            map,
            path: Some(path.to_owned()),
            file: std::path::absolute(path).ok(),
            used: Some(used),
            warnings: Vec::new(),
            none: None,
            unbound: Vec::new(),
            others: Vec::new(),
            reader: reader.clone(),
            compiled: CompiledUnits::default(),
        })
    }

    /// The best map to be had for an executable when none was given. `sight` is that of a process that runs it, by which its sources are looked for.
    pub fn found(build: &Build<'_>, sight: Option<&Sight>, listener: &dyn Listener) -> Result<Self, Failure> {
        Ok(Self::best(build, sight, listener)?.with_compiled(build))
    }

    fn best(build: &Build<'_>, sight: Option<&Sight>, listener: &dyn Listener) -> Result<Self, Failure> {
        let executable = &build.executable;
        let mut warnings = Vec::new();
        let of_build = |map, used: MapUsed, file, warnings| Self {
            map,
            path: used.from.path().map(Path::to_owned),
            file,
            used: Some(used),
            warnings,
            none: None,
            unbound: Vec::new(),
            others: Vec::new(),
            reader: build.reader.clone(),
            compiled: CompiledUnits::default(),
        };
        for path in places(executable, &build.reader) {
            let read = build.reader.read(&path, Limit::RECORD).ok();
            match read.map(|bytes| usable(&bytes, executable, MapOrigin::File(path.clone()))) {
                Some(Ok((map, used))) => return Ok(of_build(map, used, Some(path), warnings)),
                Some(Err(why)) => warnings.push(format!("{}: ignored: {why}", path.display())),
                None => warnings.push(format!("{} cannot be read: ignored", path.display())),
            }
        }
        if let Some(embedded) = executable.embedded_map() {
            match usable(embedded, executable, MapOrigin::Program(executable.path.clone())) {
                Ok((map, used)) => return Ok(of_build(map, used, None, warnings)),
                Err(why) => {
                    let path = executable.path.display();
                    warnings.push(format!("the map inside {path}: ignored: {why}"));
                }
            }
        }
        let slot = Slot::of(&build.identities(), listener);
        if let Some((map, used)) = slot.as_ref().and_then(|slot| slot.read(MapOrigin::Kept))
            && executable.fits(&map).is_ok()
        {
            let file = slot.map(|slot| slot.path());
            return Ok(of_build(map, used, file, warnings));
        }
        match debuginfod::map_of_build(&executable.identity.build_id) {
            Ok(None) => {}
            Ok(Some(path)) => {
                let read = files::read(&path).map_err(|failure| failure.to_string());
                let map = read.and_then(|bytes| usable(&bytes, executable, MapOrigin::File(path.clone())));
                match map {
                    Ok((map, used)) => return Ok(of_build(map, used, Some(path), warnings)),
                    Err(why) => {
                        warnings.push(format!("the map of a server of DEBUGINFOD_URLS: ignored: {why}"))
                    }
                }
            }
            Err(why) => warnings.push(why),
        }
        Self::made(build, sight, slot.as_ref(), warnings, listener)
    }

    fn made(
        build: &Build<'_>,
        sight: Option<&Sight>,
        slot: Option<&Slot>,
        mut warnings: Vec<String>,
        listener: &dyn Listener,
    ) -> Result<Self, Failure> {
        threads::start(None);
        let executable = &build.executable;
        let with_fragments = std::iter::once(executable).chain(build.libraries());
        let with_fragments = Vec::from_iter(with_fragments.filter(|each| each.has_fragments()));
        let said = warnings.len();
        let fragments = making::fragments_of(&with_fragments, &mut warnings);
        let missing = fragments.as_ref().map_or(0, |units| build.missing_in(units));
        let is_all = missing == 0 && warnings.len() == said;
        let of_fragments = |units| making::make_of_fragments(units, listener);
        let (mut map, libraries, is_whole) = match &fragments {
            Some(units) if is_all => (of_fragments(units), with_fragments, true),
            // The sources know more, if they are here.
            Some(units) => match Self::of_sources(build, sight, &mut warnings, listener) {
                Ok(found) => found,
                Err(_) => {
                    // Where none is missing, it has been said what is wrong with the fragments.
                    if missing > 0 {
                        warnings.push(format!(
                            "{missing} of the sources of {} cannot be read here and carry no fragment of the map: what they do is not known",
                            executable.path.display()
                        ));
                    }
                    (of_fragments(units), with_fragments, false)
                }
            },
            None => Self::of_sources(build, sight, &mut warnings, listener)
                .map_err(|failure| failure.noticing(std::mem::take(&mut warnings)))?,
        };
        let libraries = Vec::from_iter(
            libraries
                .into_iter()
                .filter(|each| !std::ptr::eq(*each, executable)),
        );
        let unbound = bind(&mut map, executable, &libraries)?;
        let bytes = map.to_bytes_by(rayon::current_num_threads());
        let used = MapUsed::new(MapOrigin::Made, &map, &bytes);
        let slot = slot.filter(|_| is_whole);
        let kept = slot.map(|slot| slot.write(&bytes).map(|()| slot.path()));
        let file = kept.transpose().unwrap_or_else(|error| {
            warnings.push(format!("the map could not be kept for the next time: {error}"));
            None
        });
        Ok(Self {
            map,
            path: None,
            file,
            used: Some(used),
            warnings,
            none: None,
            unbound,
            others: Vec::new(),
            reader: build.reader.clone(),
            compiled: CompiledUnits::default(),
        })
    }

    /// The map of the sources that debug info names, the builds that it is of, and whether a map of the same build may be like that the next time.
    fn of_sources<'b>(
        build: &'b Build<'_>,
        sight: Option<&Sight>,
        warnings: &mut Vec<String>,
        listener: &dyn Listener,
    ) -> Result<(Map, Vec<&'b Executable>, bool), Failure> {
        let executable = &build.executable;
        let mut sources = Sources::read_by(&build.reader);
        sources.add_sources_of(executable, sight)?;
        let mut libraries = Vec::new();
        for library in build.libraries() {
            let (files, said) = (sources.files.len(), sources.warnings.len());
            let added = sources.add_sources_of(library, sight);
            // A library whose sources are not here is like one without debug info.
            if added.is_err() || sources.files.len() == files {
                sources.warnings.truncate(said);
                continue;
            }
            libraries.push(library);
        }
        let were_here = !sources.files.is_empty();
        sources.add_headers();
        let builds = [&[executable][..], &libraries].concat();
        let is_changed = sources.leave_out_changed(&builds);
        let compiled = making::compiled_inside(&builds, &mut Vec::new());
        if sources.files.is_empty() && compiled.is_empty() {
            let path = executable.path.display();
            let others = &executable.program_sources()?.others;
            let languages = BTreeSet::from_iter(others.iter().map(|source| source.language.as_str()));
            let failure = match &Vec::from_iter(languages)[..] {
                _ if were_here => Failure::new(format!("no source of {path} is here as it was built"))
                    .hint("build it again, or, if only their times are new, run `touch -r PROGRAM` on them")
                    .noticing(sources.warnings),
                [] => Failure::new(format!(
                    "none of the sources that {path} was built from can be read here"
                ))
                .hint(
                    "where the sources are, run `hindmost map --exe PROGRAM`, and give that map with --map",
                ),
                languages => {
                    let failure = Failure::new(format!(
                        "{path} is written in {}, and maps are made of sources of C and C++",
                        languages.join(" and ")
                    ));
                    if languages.contains(&"Fortran") {
                        failure.hint(
                            "of Fortran gcc makes one while it compiles: build with FFLAGS=\"-g $(hindmost plugin)\"",
                        )
                    } else {
                        failure
                    }
                }
            };
            return Err(failure);
        }
        // What is missing now may be there next time.
        let is_whole = !is_changed && sources.warnings.is_empty();
        warnings.append(&mut sources.warnings);
        let files = sources.files;
        let map = making::make_of_build(Program { files, compiled }, &builds, listener);
        warnings.extend(making::missing_fortran(&map, &builds));
        Ok((map, builds, is_whole))
    }

    /// Warnings of what could not be bound in the functions that are on the stacks of a job. What is lost elsewhere plays
    /// no part in the answer.
    pub fn lost_on<'a>(&self, on_stacks: impl Iterator<Item = &'a str>) -> Vec<String> {
        let names: BTreeSet<&str> = on_stacks.collect();
        let heads: BTreeSet<(&str, u32)> = self
            .map
            .functions
            .iter()
            .filter(|function| names.contains(function.name.as_str()))
            .map(|function| (self.map.files[function.file].path.as_str(), function.span.line))
            .collect();
        let lost = self.unbound.iter().filter(|each| {
            each.span == Span::default() || heads.contains(&(each.subject.as_str(), each.span.line))
        });
        lost.map(Diagnostic::text).collect()
    }
}

/// Binds a map to a program and libraries; returns what is lost.
fn bind(
    map: &mut Map,
    executable: &Executable,
    libraries: &[&Executable],
) -> Result<Vec<Diagnostic>, Failure> {
    let mut notes = executable.bind(map)?;
    for library in libraries {
        notes.extend(library.bind_as_loaded(map)?);
    }
    notes.retain(|note| note.severity >= Severity::Warning);
    Ok(notes)
}

/// The map in `bytes`, if it is one of this build.
fn usable(bytes: &[u8], executable: &Executable, from: MapOrigin) -> Result<(Map, MapUsed), String> {
    let map = Map::from_bytes(bytes).map_err(|error| error.to_string())?;
    executable.fits(&map).map_err(|mismatch| mismatch.to_string())?;
    let used = MapUsed::new(from, &map, bytes);
    Ok((map, used))
}

/// Where maps of an executable may lie: beside it by name, and by its build-id where debug files lie.
fn places(executable: &Executable, reader: &Reader) -> Vec<PathBuf> {
    let in_directory = executable.path.with_file_name("app.hmap");
    [making::beside(&executable.path), in_directory]
        .into_iter()
        .chain(executable.by_build_id())
        .filter(|path| reader.is_file(path))
        .collect()
}
