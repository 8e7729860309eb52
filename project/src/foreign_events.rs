//! Events that other tools recorded, or that hindmost has exported, from a file that the user names.

use crate::failure::Failure;
use crate::files;
use engine::timeline::Trace;
use foreign::events;
use regular_files::Limit;
use std::io::Read as _;
use std::path::Path;

/// So much of a file tells what it is.
const START: usize = 64 << 10;

/// The events in a file; nothing if it is none that tells of events, a recording of our own among these. `-` is standard input.
///
/// # Errors
/// The first line that does not fit, and what to do about it; a file that cannot be read.
pub fn foreign_events(path: &Path) -> Result<Option<Trace>, Failure> {
    let is_input = path == Path::new("-");
    if !is_input && !path.is_file() {
        return Ok(None);
    }
    let mut file = files::open(path)?;
    let mut bytes = Vec::new();
    let start = file.by_ref().take(START as u64).read_to_end(&mut bytes);
    start.map_err(|error| files::unreadable(path, &error))?;
    let Some(format) = events::format_of(&bytes) else {
        return if is_input {
            Err(Failure::new("standard input tells of no events").hint(
                "it can be what otf2-print --show-all prints, a trace in Chrome's format, or an export of hindmost timeline",
            ))
        } else {
            Ok(None)
        };
    };
    let text = if format == events::Format::Otf2Archive {
        String::new()
    } else {
        let rest = regular_files::read_opened(&mut file, Limit::RECORD);
        bytes.extend(rest.map_err(|error| files::unreadable(path, &error))?);
        files::text_of(path, bytes)?
    };
    let read = events::read(format, &text);
    read.map(Some).map_err(|error| files::of_foreign(path, &error))
}
