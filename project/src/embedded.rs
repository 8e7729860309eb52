//! Maps that ride inside executables.

use crate::contents::Contents;
use crate::executable::Executable;
use crate::failure::Failure;
use crate::files;
use engine::Map;
use regular_files::Limit;
use std::path::Path;

/// The bytes of the map that `path` names: a map file, or a program or library with a map inside.
///
/// # Errors
/// When the file cannot be read, or is a program without a map.
pub fn map_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let unreadable = |error| files::unreadable(path, &error);
    let file = regular_files::open_named(path).map_err(unreadable)?;
    let contents = Contents::of(file, Limit::RECORD).map_err(unreadable)?;
    if !is_elf(contents.outline()) {
        return contents.whole().map(<[u8]>::to_vec).map_err(unreadable);
    }
    let found = embed::section(contents.outline(), embed::MAP);
    let found = found.map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    let found = found.map(|section| own_record(section, contents.outline()));
    found.map(<[u8]>::to_vec).ok_or_else(|| {
        let name = path.to_string_lossy();
        let name = base::shell_word(&name);
        Failure::new(format!("{} has no map inside", path.display())).hint(format!(
            "`hindmost embed {name}` puts one there; `hindmost map --exe {name}` writes one beside it"
        ))
    })
}

/// The map in a section of a program that is bound to it. A linker may have joined several, as where an object was linked that carries the map of something else: then
/// the one of this build counts, and the first where none is.
pub(crate) fn own_record<'s>(section: &'s [u8], program: &[u8]) -> &'s [u8] {
    let records = Vec::from_iter(engine::map_records(section).map_while(Result::ok));
    match &records[..] {
        // What is wrong with it is for its reader to say.
        [] => section,
        [only] => only,
        [first, ..] => {
            let is_own = |record: &&&[u8]| {
                let map = Map::from_bytes(record);
                map.is_ok_and(|map| engine::check_map(&map, program).is_ok())
            };
            records.iter().find(is_own).unwrap_or(first)
        }
    }
}

/// The bytes of `executable` with `map` inside, in the place of one that is there already.
///
/// # Errors
/// When the map is not of this build, or the file cannot carry one.
pub fn with_map(executable: &Executable, map: &Map) -> Result<Vec<u8>, Failure> {
    let failed =
        |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", executable.path.display()));
    executable.fits(map).map_err(|mismatch| failed(&mismatch))?;
    embed::with_section(
        executable.bytes()?,
        embed::MAP,
        &map.to_bytes(),
        embed::Kind::Joined,
    )
    .map_err(|error| failed(&error))
}

fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}
