//! What the environment asks for beside the recording: events, and that what a first run received is followed.

use crate::file;
use crate::recorder::{First, Recorder, say};
use crate::words::Words;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;

/// The recorder with the files in this directory that are asked for, and able to follow if it has to.
pub(crate) fn fulfilled(mut recorder: Recorder, directory: &Path) -> Recorder {
    if let Some(events) = events_asked_for() {
        if let Some(ring) = made(file::create_ring(directory, events), "events are") {
            recorder = recorder.with_ring(ring);
        }
        if let Some(matches) = made(file::create_matches(directory, events), "matches are") {
            recorder = recorder.with_matches(matches);
        }
    }
    match first_run() {
        Some(_) => recorder.able_to_follow(),
        None => recorder,
    }
}

/// Lets the task of this rank, in a world of this size, follow a first run, if it has to.
pub(crate) fn follow(recorder: &Recorder, rank: u32, size: u32) {
    let Some(directory) = first_run() else { return };
    match file::matches_of(Path::new(&directory), rank, size) {
        Ok(first) => {
            let lost = first.lost;
            recorder.follow(First::new(first.matches, first.choices).without(lost));
        }
        Err(why) => say(&why),
    }
}

/// How many events are kept, if `HINDMOST_RECORD_EVENTS` says that they are.
fn events_asked_for() -> Option<u64> {
    std::env::var("HINDMOST_RECORD_EVENTS").ok()?.parse().ok()
}

/// The directory of a first run that is to be followed, if `HINDMOST_REPLAY` names one.
fn first_run() -> Option<OsString> {
    std::env::var_os("HINDMOST_REPLAY").filter(|name| !name.is_empty())
}

/// A file beside the recording. Where it cannot be made the recording goes on without.
fn made(file: Result<Words, &'static str>, what: &str) -> Option<Words> {
    file.inspect_err(|why| {
        let pid = std::process::id();
        // All ranks of a job may say so at once: what is written in one piece stays one line.
        let line = format!("hindmost: no {what} recorded of process {pid}: {why}\n");
        let _ = std::io::stderr().write_all(line.as_bytes());
    })
    .ok()
}
