//! The events of a job, from the rings beside its recordings.

use crate::failure::Failure;
use crate::listener::Listener;
use crate::recordings::{self, FirstLook};
use engine::recorded::Recording;
use engine::timeline::{EXTENSION, Events, ring};
use rayon::prelude::*;
use regular_files::{Limit, Reader};
use std::collections::BTreeMap;
use std::io::Read as _;
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
    let files = FirstLook::of_paths(paths, listener)?.into_recordings();
    let read: Vec<_> = files
        .par_iter()
        .map(|(file, _)| (file, read_from(file, 0)))
        .collect();
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

/// The events of a job that runs, read again and again.
pub struct FollowedEvents {
    paths: Vec<PathBuf>,
    job: String,
    /// The next event of each ring.
    next: BTreeMap<PathBuf, u64>,
    /// The tasks, to ask whether they still run.
    tasks: BTreeMap<PathBuf, Recording>,
}

impl FollowedEvents {
    /// Of the job that began last among those of these directories and recordings.
    ///
    /// # Errors
    ///
    /// There is no recording.
    pub fn new(paths: &[PathBuf], listener: &dyn Listener) -> Result<Self, Failure> {
        let recordings = FirstLook::of_paths(paths, listener)?.into_recordings();
        let job = recordings.first().map(|(_, recording)| recording.job.clone());
        Ok(Self {
            paths: paths.to_vec(),
            job: job.unwrap_or_default(),
            next: BTreeMap::new(),
            tasks: recordings.into_iter().collect(),
        })
    }

    /// What was written since, with the recordings of those who have written; also of tasks that have come since. What cannot be read now is tried again next time.
    pub fn read(&mut self) -> Vec<(Recording, Events)> {
        let files = recordings::files(&self.paths).unwrap_or_default();
        let read = |file: &PathBuf| {
            let next = self.next.get(file).copied().unwrap_or(0);
            let read = read_from(file, next).ok()??;
            let (recording, events) = &read;
            // Events before MPI has told the rank are read once that is known.
            let is_ready = recording.job == self.job && recording.world.is_some();
            (is_ready && events.next > next).then_some((file.clone(), read))
        };
        let fresh: Vec<_> = files.par_iter().filter_map(read).collect();
        for (file, (recording, events)) in &fresh {
            self.next.insert(file.clone(), events.next);
            self.tasks.insert(file.clone(), recording.clone());
        }
        fresh.into_iter().map(|(_, read)| read).collect()
    }

    /// Whether any of the tasks still runs on this host.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.tasks.values().any(recordings::runs)
    }
}

/// The events beside a recording from this number on, and then the recording; nothing if it has none.
fn read_from(file: &Path, next: u64) -> Result<Option<(Recording, Events)>, String> {
    let reader = Reader::default();
    let ring = file.with_extension(EXTENSION);
    if !reader.is_file(&ring) {
        return Ok(None);
    }
    if next > 0 {
        // Most rings of a job that waits have nothing new: their beginning tells.
        let mut head = [0; ring::HEADER * 8];
        let mut opened = reader.open(&ring).map_err(|error| error.to_string())?;
        opened.read_exact(&mut head).map_err(|error| error.to_string())?;
        if ring::written(&head) <= next {
            return Ok(None);
        }
    }
    let bytes = || reader.read_sparse(&ring, MOST).map_err(|error| error.to_string());
    let events = Events::read(&bytes()?, &bytes()?, next).map_err(|error| error.to_string())?;
    let recording = recordings::read_one(file, &reader)?;
    if (events.pid, events.birth) != (recording.pid, recording.birth) {
        return Err("its events are of another process".to_owned());
    }
    Ok(Some((recording, events)))
}
