//! The events of a job, from the rings beside its recordings.

use crate::failure::Failure;
use crate::listener::Listener;
use crate::recordings::{self, FirstLook};
use engine::recorded::Recording;
use engine::recorded::matches;
use engine::timeline::{EXTENSION, Events, ring};
use rayon::prelude::*;
use regular_files::Reader;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

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

/// Whether what a job has recorded in a directory tells which messages its receives from anybody took, so that a second run can follow it.
///
/// # Errors
///
/// It does not, or there is more than one job.
pub fn check_matches(directory: &Path) -> Result<(), Failure> {
    let files = recordings::files(&[directory.to_owned()])?;
    let tells = |file: &&PathBuf| file.with_extension(matches::EXTENSION).is_file();
    if !files.iter().any(|file| tells(&file)) {
        return Err(Failure::new(format!(
            "{} does not tell which messages were received",
            directory.display()
        ))
        .hint("hindmost run --events -- mpirun … records it"));
    }
    let reader = Reader::default();
    let jobs = files.iter().filter(tells);
    let jobs = jobs.filter_map(|file| Some(recordings::read_one(file, &reader).ok()?.job));
    if BTreeSet::from_iter(jobs).len() > 1 {
        return Err(
            Failure::new(format!("{} has recordings of several jobs", directory.display()))
                .hint("keep each job in a directory of its own: hindmost run --events --record DIR"),
        );
    }
    Ok(())
}

/// The events of a job that runs, read again and again.
pub struct FollowedEvents {
    paths: Vec<PathBuf>,
    job: String,
    /// The number of its world, if that was spawned.
    spawned: Option<u64>,
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
            spawned: recordings.first().and_then(|(_, recording)| recording.spawned),
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
            let is_ready =
                (&recording.job, recording.spawned) == (&self.job, self.spawned) && recording.world.is_some();
            (is_ready && events.next > next).then_some((file.clone(), read))
        };
        let fresh: Vec<_> = files.par_iter().filter_map(read).collect();
        for (file, (recording, events)) in &fresh {
            self.next.insert(file.clone(), events.next);
            self.tasks.insert(file.clone(), recording.clone());
        }
        fresh.into_iter().map(|(_, read)| read).collect()
    }

    /// The tasks that were seen.
    pub fn tasks(&self) -> impl Iterator<Item = &Recording> {
        self.tasks.values()
    }

    /// Whether any of the tasks still runs on this host.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.tasks.values().any(recordings::runs)
    }
}

/// The last events beside a recording, at most so many; nothing if it has none, or none that can be read.
pub(crate) fn last_beside(file: &Path, reader: &Reader, most: u64) -> Option<Events> {
    Ring::beside(file, reader).ok()??.read(most, None).ok()
}

/// A ring that is open, with what it began with then.
struct Ring {
    file: File,
    head: [u8; ring::HEADER * 8],
}

impl Ring {
    /// The one beside a recording; nothing if it has none.
    fn beside(recording: &Path, reader: &Reader) -> io::Result<Option<Self>> {
        let path = recording.with_extension(EXTENSION);
        if !reader.is_file(&path) {
            return Ok(None);
        }
        let file = reader.open(&path)?;
        let mut head = [0; ring::HEADER * 8];
        file.read_exact_at(&mut head, 0)?;
        Ok(Some(Self { file, head }))
    }

    /// The last events, at most so many, from this number on: of a ring that grows only what is new is read.
    fn read(&self, most: u64, from: Option<u64>) -> Result<Events, String> {
        let new = from.map_or(u64::MAX, |from| ring::written(&self.head).saturating_sub(from));
        let tail = ring::tail(&self.head, most.min(new)).ok_or_else(|| ring::Error::NoRing.to_string())?;
        let copy = || -> io::Result<Vec<u8>> {
            // Zeros that nobody looks at take no memory.
            let mut bytes = vec![0; tail.length];
            bytes[..self.head.len()].copy_from_slice(&self.head);
            for part in &tail.parts {
                let at = part.start as u64;
                self.file.read_exact_at(&mut bytes[part.clone()], at)?;
            }
            Ok(bytes)
        };
        let copy = || copy().map_err(|error| error.to_string());
        Events::read(&copy()?, &copy()?, from.unwrap_or(tail.from)).map_err(|error| error.to_string())
    }
}

/// The events beside a recording from this number on, and then the recording; nothing if it has none, or none that are new.
fn read_from(file: &Path, next: u64) -> Result<Option<(Recording, Events)>, String> {
    let reader = Reader::default();
    let Some(ring) = Ring::beside(file, &reader).map_err(|error| error.to_string())? else {
        return Ok(None);
    };
    // Most rings of a job that waits have nothing new: their beginning tells.
    if next > 0 && ring::written(&ring.head) <= next {
        return Ok(None);
    }
    let events = ring.read(u64::MAX, Some(next))?;
    let recording = recordings::read_one(file, &reader)?;
    if (events.pid, events.birth) != (recording.pid, recording.birth) {
        return Err("its events are of another process".to_owned());
    }
    Ok(Some((recording, events)))
}
