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
use std::sync::Arc;

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
        .map(|(file, _)| (file, read_whole(file)))
        .collect();
    let mut found = Vec::new();
    for (file, read) in read {
        match read {
            Ok(Some((recording, events))) => found.push((Arc::unwrap_or_clone(recording), events)),
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
    /// Rings that stay open: to open one takes much longer than to see that it has nothing new.
    open: BTreeMap<PathBuf, Arc<File>>,
    /// The tasks: what their events name, and whether they still run.
    tasks: BTreeMap<PathBuf, Arc<Recording>>,
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
            open: BTreeMap::new(),
            tasks: recordings
                .into_iter()
                .map(|(file, recording)| (file, Arc::new(recording)))
                .collect(),
        })
    }

    /// What was written since, with recordings that know what it names; also of tasks that have come since. What cannot be read now is tried again next time.
    pub fn read(&mut self) -> Vec<(Arc<Recording>, Events)> {
        let files = recordings::files(&self.paths).unwrap_or_default();
        let mut looked: Vec<(Option<Arc<File>>, Option<Read>)> = Vec::new();
        files
            .par_iter()
            .map(|file| self.look(file))
            .collect_into_vec(&mut looked);
        let mut fresh = Vec::new();
        for (file, (ring, read)) in files.into_iter().zip(looked) {
            if let Some(ring) = ring
                && self.open.len() < MOST_OPEN
            {
                self.open.entry(file.clone()).or_insert(ring);
            }
            if let Some((recording, events)) = read {
                self.next.insert(file.clone(), events.next);
                self.tasks.insert(file, Arc::clone(&recording));
                fresh.push((recording, events));
            }
        }
        fresh
    }

    /// The ring beside a recording, and what was written to it since; nothing of either if it cannot be read.
    fn look(&self, file: &Path) -> (Option<Arc<File>>, Option<Read>) {
        let ring = match self.open.get(file) {
            Some(open) => Ring::of(Arc::clone(open)).map(Some),
            None => Ring::beside(file, &Reader::default()),
        };
        let Ok(Some(ring)) = ring else {
            return (None, None);
        };
        let next = self.next.get(file).copied().unwrap_or(0);
        let read = read_from(file, &ring, next, self.tasks.get(file));
        // Events before MPI has told the rank are read once that is known.
        let is_ready = |(recording, events): &Read| {
            let is_its = (&recording.job, recording.spawned) == (&self.job, self.spawned);
            is_its && recording.world.is_some() && events.next > next
        };
        (Some(ring.file), read.ok().flatten().filter(is_ready))
    }

    /// The tasks that were seen.
    pub fn tasks(&self) -> impl Iterator<Item = &Recording> {
        self.tasks.values().map(Arc::as_ref)
    }

    /// Whether any of the tasks still runs on this host.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.tasks().any(recordings::runs)
    }
}

/// The last events beside a recording, at most so many; nothing if it has none, or none that can be read.
pub(crate) fn last_beside(file: &Path, reader: &Reader, most: u64) -> Option<Events> {
    Ring::beside(file, reader).ok()??.read(most, None).ok()
}

/// Events, and a recording that knows all that they name.
type Read = (Arc<Recording>, Events);

/// Rings that are kept open, at most: a process may open no more than some thousand files.
const MOST_OPEN: usize = 512;

/// A ring that is open, with what it began with then.
struct Ring {
    file: Arc<File>,
    head: [u8; ring::HEADER * 8],
}

impl Ring {
    /// The one beside a recording; nothing if it has none.
    fn beside(recording: &Path, reader: &Reader) -> io::Result<Option<Self>> {
        let path = recording.with_extension(EXTENSION);
        if !reader.is_file(&path) {
            return Ok(None);
        }
        Self::of(Arc::new(reader.open(&path)?)).map(Some)
    }

    /// One that is open.
    fn of(file: Arc<File>) -> io::Result<Self> {
        let mut head = [0; ring::HEADER * 8];
        file.read_exact_at(&mut head, 0)?;
        Ok(Self { file, head })
    }

    /// The last events, at most so many, from this number on: of a ring that grows only what is new is read.
    fn read(&self, most: u64, from: Option<u64>) -> Result<Events, String> {
        let new = from.map_or(u64::MAX, |from| ring::written(&self.head).saturating_sub(from));
        let tail = ring::tail(&self.head, most.min(new)).ok_or_else(|| ring::Error::NoRing.to_string())?;
        // A ring of just so many slots. The whole, most of which nobody looks at, would be cleared in memory each time.
        let count = ring::written(&self.head).saturating_sub(tail.from).max(1);
        let copy = || -> io::Result<Vec<u8>> {
            let mut bytes = vec![0; ring::words(count) * 8];
            let mut at = self.head.len();
            for part in &tail.parts {
                let slots = &mut bytes[at..at + part.len()];
                self.file.read_exact_at(slots, part.start as u64)?;
                at += part.len();
            }
            let (head, slots) = bytes.split_at_mut(self.head.len());
            head.copy_from_slice(&self.head);
            head[ring::header::CAPACITY * 8..][..8].copy_from_slice(&count.to_le_bytes());
            // The first is where its number has it.
            slots.rotate_right((tail.from % count) as usize * ring::SLOT * 8);
            Ok(bytes)
        };
        let copy = || copy().map_err(|error| error.to_string());
        Events::read(&copy()?, &copy()?, from.unwrap_or(tail.from)).map_err(|error| error.to_string())
    }
}

/// All events beside a recording, and then the recording; nothing if it has none.
fn read_whole(file: &Path) -> Result<Option<Read>, String> {
    match Ring::beside(file, &Reader::default()) {
        Ok(Some(ring)) => read_from(file, &ring, 0, None),
        Ok(None) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// The events of a ring from this number on, with what the recording beside it says of all that they name; nothing if none are new.
///
/// A recording is large, and what it has once said of an operation or a communicator stays so: as long as that which was read before knows all, it is not read again.
fn read_from(
    file: &Path,
    ring: &Ring,
    next: u64,
    before: Option<&Arc<Recording>>,
) -> Result<Option<Read>, String> {
    // Most rings of a job that waits have nothing new: their beginning tells.
    if next > 0 && ring::written(&ring.head) <= next {
        return Ok(None);
    }
    let events = ring.read(u64::MAX, Some(next))?;
    let recording = match before.filter(|before| knows_all(before, &events)) {
        Some(before) => Arc::clone(before),
        None => Arc::new(recordings::read_one(file, &Reader::default())?),
    };
    if (events.pid, events.birth) != (recording.pid, recording.birth) {
        return Err("its events are of another process".to_owned());
    }
    Ok(Some((recording, events)))
}

/// Whether a recording that was read before these events says of all that they name what it is.
fn knows_all(recording: &Recording, events: &Events) -> bool {
    let is_its = (events.pid, events.birth) == (recording.pid, recording.birth);
    let operations = recording.operations.len();
    let knows = |event: &ring::Event| {
        let operation = event
            .operation
            .is_none_or(|number| (number as usize) < operations);
        operation
            && event
                .communicator
                .is_none_or(|serial| recording.communicator(serial).is_some())
    };
    is_its && recording.world.is_some() && events.events.iter().all(knows)
}
