//! The events of a job, from the rings beside its recordings.

use crate::failure::Failure;
use crate::listener::Listener;
use crate::recordings::FirstLook;
use engine::recorded::Recording;
use engine::timeline::{EXTENSION, Events};
use rayon::prelude::*;
use regular_files::{Limit, Reader};
use std::path::{Path, PathBuf};

/// No ring is larger.
const MOST: Limit = Limit::of(260 << 20);

/// What the tasks of one job have recorded, with their events, from directories and files.
///
/// # Errors
///
/// There is no recording, or none of them has events.
pub fn recorded_events(
    paths: &[PathBuf],
    listener: &dyn Listener,
) -> Result<Vec<(Recording, Events)>, Failure> {
    // Which files they are is known from the first look; what their events name is read after these.
    let files = FirstLook::of_paths(paths, listener)?.into_files();
    let read: Vec<_> = files.par_iter().map(|file| (file, read_one(file))).collect();
    let mut found = Vec::new();
    for (file, read) in read {
        match read {
            Ok(Some(both)) => found.push(both),
            Ok(None) => {}
            Err(why) => listener.warn(&format!("left out: {}: {why}", file.display())),
        }
    }
    if found.is_empty() {
        return Err(Failure::new("the recordings have no events")
            .hint("hindmost run --events -- mpirun … records events as well"));
    }
    Ok(found)
}

/// The events beside a recording, and then the recording; nothing if it has none.
fn read_one(file: &Path) -> Result<Option<(Recording, Events)>, String> {
    let reader = Reader::default();
    let ring = file.with_extension(EXTENSION);
    if !reader.is_file(&ring) {
        return Ok(None);
    }
    let bytes = || reader.read_sparse(&ring, MOST).map_err(|error| error.to_string());
    let events = Events::read(&bytes()?, &bytes()?, 0).map_err(|error| error.to_string())?;
    let recording = crate::recordings::read_one(file, &reader)?;
    if (events.pid, events.birth) != (recording.pid, recording.birth) {
        return Err("its events are of another process".to_owned());
    }
    Ok(Some((recording, events)))
}
