//! Sources to the static half of a map.

use crate::cache::units::Units;
use crate::executable::Executable;
use crate::listener::Listener;
use crate::program::Program;
use engine::{AsBuilt, CompiledFiles, CompiledUnits, Map, Parser, ProgramUnits, SourceFile};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Makes the static half of a map, with what is kept of single files.
pub fn make(files: Vec<SourceFile>, listener: &dyn Listener) -> Map {
    make_as_it_is(Program::of_sources(files), listener)
}

fn make_as_it_is(program: Program, listener: &dyn Listener) -> Map {
    make_preprocessed(
        program,
        &|_| Vec::new(),
        Parser::Tolerant,
        Units::open(listener).as_ref(),
        listener,
    )
}

/// The same of a program and its libraries: what they have not compiled is left out.
pub fn make_of_build(mut program: Program, builds: &[&Executable], listener: &dyn Listener) -> Map {
    let built = as_built(&mut program.files, builds);
    let mut map = make_as_it_is(program, listener);
    built.restore(&mut map);
    map
}

/// Blanks out of `files` what a program and its libraries have not compiled.
pub fn as_built(files: &mut [SourceFile], builds: &[&Executable]) -> AsBuilt {
    let mut lines = CompiledFiles::new();
    // What two of them compile, or one compiles and the other one includes, may be compiled in two ways.
    let mut several = BTreeSet::new();
    for (path, of_one) in builds.iter().flat_map(|build| build.compiled_files()) {
        if lines.insert(path.clone(), of_one.clone()).is_some() {
            several.insert(path.clone());
        }
    }
    lines.retain(|path, _| !several.contains(path));
    // A path that the user gave is another spelling of the build's.
    for file in files.iter().filter(|file| !file.path.starts_with('/')) {
        let absolute = Path::new(&file.path).canonicalize().ok();
        let known = absolute.and_then(|path| lines.get(path.to_str()?).cloned());
        if let Some(known) = known {
            lines.insert(file.path.clone(), known);
        }
    }
    AsBuilt::new(files, &lines)
}

/// The same, with what a build's preprocessor makes of a file, who reads that, and where units are kept, if anywhere.
pub fn make_preprocessed(
    program: Program,
    preprocess: &(dyn Fn(&str) -> Vec<Vec<u8>> + Sync),
    parser: Parser,
    units: Option<&Units>,
    listener: &dyn Listener,
) -> Map {
    let reuse = units.map(Units::reuse);
    let Program { files, compiled } = program;
    let step = listener.making(files.len());
    let map = engine::map_preprocessed(files, compiled, preprocess, parser, reuse, &step);
    drop(step);
    if let Some(units) = units {
        units.make_room();
    }
    map
}

/// What the compilations of `builds` have read, if they carry fragments; what is wrong with these goes to `warnings`.
pub(crate) fn fragments_of(builds: &[&Executable], warnings: &mut Vec<String>) -> Option<ProgramUnits> {
    let packed = units_inside(builds, warnings);
    if packed.is_empty() {
        return None;
    }
    let units = ProgramUnits::of(packed);
    if units.is_none() {
        warnings.push("the fragments of the map are left out: they are damaged".to_owned());
    }
    units
}

/// The map of what compilations have read.
pub(crate) fn make_of_fragments(units: &ProgramUnits, listener: &dyn Listener) -> Map {
    let step = listener.making(units.paths().count());
    units.map(&step)
}

/// The packed units of the fragments that `builds` carry; what is wrong with these goes to `warnings`.
pub(crate) fn units_inside(builds: &[&Executable], warnings: &mut Vec<String>) -> Vec<Vec<u8>> {
    let mut units = Vec::new();
    for build in builds {
        let mut unusable = None;
        for fragment in embed::fragment::read(build.fragments(), engine::FRAGMENT_LAYOUT) {
            match fragment {
                Ok(unit) => units.push(unit),
                Err(why) => unusable = Some(why),
            }
        }
        if let Some(why) = unusable {
            let path = build.path.display();
            warnings.push(format!("fragments of the map inside {path} are left out: {why}"));
        }
    }
    units
}

/// What `builds` carry of files that only their compiler has read; what is wrong with it goes to `warnings`.
pub(crate) fn compiled_inside(builds: &[&Executable], warnings: &mut Vec<String>) -> CompiledUnits {
    CompiledUnits::of(units_inside(builds, warnings)).unwrap_or_else(|| {
        warnings.push("the fragments of the map are left out: they are damaged".to_owned());
        CompiledUnits::default()
    })
}

/// That a map lacks sources in Fortran of a program and its libraries, if it does.
pub fn missing_fortran(map: &Map, builds: &[&Executable]) -> Option<String> {
    let known: BTreeSet<&str> = map.files.iter().map(|file| file.path.as_str()).collect();
    let sources = builds.iter().flat_map(|build| build.program_sources());
    let missing = sources
        .flat_map(|sources| &sources.others)
        .filter(|source| source.language == "Fortran" && !known.contains(source.path.as_str()))
        .count();
    let program = builds.first().filter(|_| missing > 0)?;
    Some(format!(
        "{missing} of the sources of {} in Fortran are not in the map, which has of Fortran what gcc reads while it compiles (FFLAGS=\"-g $(hindmost plugin)\")",
        program.path.display()
    ))
}

/// The path of the map beside an executable.
pub fn beside(executable: &Path) -> PathBuf {
    let mut name = executable.as_os_str().to_owned();
    name.push(".hmap");
    PathBuf::from(name)
}
