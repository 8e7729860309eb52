//! Maps that ride inside executables.

use crate::executable::Executable;
use crate::failure::Failure;
use crate::files;
use engine::Map;
use std::path::Path;

/// The bytes of the map that `path` names: a map file, or a program or library with a map inside.
///
/// # Errors
/// When the file cannot be read, or is a program without a map.
pub fn map_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = files::read(path)?;
    if !is_elf(&bytes) {
        return Ok(bytes);
    }
    let found = embed::section(&bytes, embed::MAP);
    let found = found.map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    found.map(<[u8]>::to_vec).ok_or_else(|| {
        let name = path.to_string_lossy();
        let name = base::shell_word(&name);
        Failure::new(format!("{} has no map inside", path.display())).hint(format!(
            "`hindmost embed {name}` puts one there; `hindmost map --exe {name}` writes one beside it"
        ))
    })
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
        executable.bytes(),
        embed::MAP,
        &map.to_bytes(),
        embed::Kind::Joined,
    )
    .map_err(|error| failed(&error))
}

fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}
