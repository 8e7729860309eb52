//! Sources to the static half of a map.

use crate::cache::units::Units;
use crate::listener::Listener;
use engine::{Map, Parser, SourceFile};
use std::path::{Path, PathBuf};

/// Makes the static half of a map, with what is kept of single files.
pub fn make(files: Vec<SourceFile>, listener: &dyn Listener) -> Map {
    make_preprocessed(
        files,
        &|_| Vec::new(),
        Parser::Tolerant,
        Units::open(listener).as_ref(),
        listener,
    )
}

/// The same, with what a build's preprocessor makes of a file, who reads that, and where units are kept, if anywhere.
pub fn make_preprocessed(
    files: Vec<SourceFile>,
    preprocess: &(dyn Fn(&str) -> Vec<Vec<u8>> + Sync),
    parser: Parser,
    units: Option<&Units>,
    listener: &dyn Listener,
) -> Map {
    let reuse = units.map(Units::reuse);
    let step = listener.making(files.len());
    let map = engine::map_preprocessed(files, preprocess, parser, reuse, &step);
    drop(step);
    if let Some(units) = units {
        units.make_room();
    }
    map
}

/// The path of the map beside an executable.
pub fn beside(executable: &Path) -> PathBuf {
    let mut name = executable.as_os_str().to_owned();
    name.push(".hmap");
    PathBuf::from(name)
}
