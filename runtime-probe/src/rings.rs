//! Rings of events beside recordings, read while they are written: what is new since they were read last, with a recording that knows all that it names.
//!
//! Who follows the tasks of its own host reads them here, and so does the probe on another one for who follows the job from there.

use crate::at_once::for_each;
use recording::Recording;
use recording::ring::{self, Copied, CopyError, Events, Wanted};
use regular_files::{Limit, Reader, SparseBuffer};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rings that are kept open, at most: a process may open no more than some thousand files.
pub const MOST_OPEN: usize = 512;

/// No recording is larger. Most of one is room that was never used.
const MOST: Limit = Limit::of(64 << 20);

/// A ring that is open, with what it began with then.
#[derive(Debug)]
pub struct Ring {
    file: Arc<File>,
    head: [u8; ring::HEADER * 8],
}

impl Ring {
    /// The one beside a recording; nothing if it has none.
    ///
    /// # Errors
    /// It cannot be opened, or is shorter than any ring.
    pub fn beside(recording: &Path, reader: &Reader) -> io::Result<Option<Self>> {
        let path = recording.with_extension(ring::EXTENSION);
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

    /// How many events were begun to be written when it was opened or looked at.
    fn written(&self) -> u64 {
        ring::written(&self.head)
    }

    /// A part of it.
    ///
    /// # Errors
    /// It is no ring, or cannot be read.
    pub fn copy(&self, wanted: Wanted) -> Result<Copied, String> {
        let read = |into: &mut [u8], at: usize| self.file.read_exact_at(into, at as u64);
        Copied::of(&self.head, wanted, read).map_err(|error| match error {
            CopyError::NoRing => ring::Error::NoRing.to_string(),
            CopyError::Unread(error) => error.to_string(),
        })
    }
}

/// The last events beside a recording, at most so many; nothing if it has none, or none that can be read.
pub fn last_beside(file: &Path, reader: &Reader, most: u64) -> Option<Copied> {
    Ring::beside(file, reader).ok()??.copy(Wanted::Last(most)).ok()
}

/// What is new in a ring.
#[derive(Debug)]
pub struct New {
    /// The recording that the ring is beside.
    pub path: PathBuf,
    /// What that says: it knows all that the events name.
    pub recording: Arc<Recording>,
    /// Its bytes, if it was read anew.
    pub file: Option<Vec<u8>>,
    /// The part of the ring.
    pub copied: Copied,
    /// The events in it.
    pub events: Events,
}

/// A ring that is read again and again.
#[derive(Debug, Default)]
struct Followed {
    path: PathBuf,
    /// The next event.
    next: u64,
    /// To open a ring takes much longer than to see that it has nothing new.
    open: Option<Arc<File>>,
    recording: Option<Arc<Recording>>,
    /// What the last reading has brought, until it is taken.
    new: Option<New>,
}

/// What is read of each ring at once.
#[derive(Clone, Copy, Debug)]
pub struct Portion {
    /// Events, at most.
    pub events: u64,
    /// Whether the bytes of recordings are wanted that are read anew.
    pub with_files: bool,
}

/// Rings that are read again and again.
#[derive(Debug, Default)]
pub struct Rings {
    reader: Reader,
    followed: BTreeMap<PathBuf, Followed>,
    /// How many are kept open.
    open: AtomicUsize,
}

impl Rings {
    /// Read with these rights.
    pub fn new(reader: Reader) -> Self {
        Rings {
            reader,
            ..Rings::default()
        }
    }

    /// What was written since beside these recordings, of those that are `wanted`. What cannot be read now is tried again next time.
    pub fn read(
        &mut self,
        recordings: Vec<PathBuf>,
        portion: Portion,
        wanted: impl Fn(&Recording) -> bool + Sync,
    ) -> Vec<New> {
        for path in recordings {
            self.followed.entry(path).or_insert_with_key(|path| Followed {
                path: path.clone(),
                ..Followed::default()
            });
        }
        let (reader, open) = (&self.reader, &self.open);
        let mut all = Vec::from_iter(self.followed.values_mut());
        for_each(&mut all, |each| each.read((reader, open), portion, &wanted));
        let new = all.into_iter().filter_map(|each| each.new.take());
        new.collect()
    }

    /// What was read of this ring the last time does not count: it is read again.
    pub fn put_back(&mut self, new: &New) {
        if let Some(followed) = self.followed.get_mut(&new.path) {
            followed.next = new.copied.from;
            if new.file.is_some() {
                followed.recording = None;
            }
        }
    }

    /// A copy of the ring beside this recording without any event; nothing if it has none. It tells whose it is.
    pub fn without_events(&self, path: &Path) -> Option<Copied> {
        let followed = self.followed.get(path)?;
        let ring = match &followed.open {
            Some(open) => Ring::of(Arc::clone(open)).map(Some),
            None => Ring::beside(path, &self.reader),
        };
        let none = Wanted::From {
            from: followed.next,
            most: 0,
        };
        ring.ok()??.copy(none).ok()
    }

    /// What is known of the tasks whose rings were read, or were to be.
    pub fn recordings(&self) -> impl Iterator<Item = (&Path, &Arc<Recording>)> {
        let known = self.followed.iter();
        known.filter_map(|(path, followed)| Some((path.as_path(), followed.recording.as_ref()?)))
    }

    /// What a recording says, read elsewhere before its ring is.
    pub fn know(&mut self, path: PathBuf, recording: Arc<Recording>) {
        let followed = self.followed.entry(path).or_insert_with_key(|path| Followed {
            path: path.clone(),
            ..Followed::default()
        });
        followed.recording = Some(recording);
    }
}

impl Followed {
    /// Reads with these rights what is new, if that is wanted. The ring stays open unless so many others do.
    fn read(
        &mut self,
        (reader, open): (&Reader, &AtomicUsize),
        portion: Portion,
        wanted: &impl Fn(&Recording) -> bool,
    ) {
        if self.recording.as_ref().is_some_and(|known| !wanted(known)) {
            return;
        }
        let ring = match &self.open {
            Some(open) => Ring::of(Arc::clone(open)).map(Some),
            None => Ring::beside(&self.path, reader),
        };
        let Ok(Some(ring)) = ring else { return };
        if self.open.is_none() {
            if open.fetch_add(1, Ordering::Relaxed) < MOST_OPEN {
                self.open = Some(Arc::clone(&ring.file));
            } else {
                open.fetch_sub(1, Ordering::Relaxed);
            }
        }
        // Most rings of a job that waits have nothing new: their beginning tells.
        if self.next > 0 && ring.written() <= self.next {
            return;
        }
        let Some(new) = self.new_in(&ring, reader, portion) else {
            return;
        };
        // Events before MPI has told the rank are read once that is known.
        if wanted(&new.recording) && new.recording.world.is_some() && new.events.next > self.next {
            self.next = new.events.next;
            self.recording = Some(Arc::clone(&new.recording));
            self.new = Some(new);
        }
    }

    /// A recording is large, and what it has once said of an operation or a communicator stays so: as long as that which was read before knows all, it is not read again.
    fn new_in(&self, ring: &Ring, reader: &Reader, portion: Portion) -> Option<New> {
        let wanted = Wanted::From {
            from: self.next,
            most: portion.events,
        };
        let copied = ring.copy(wanted).ok()?;
        let events = copied.events().ok()?;
        let known = self.recording.as_ref();
        let (recording, file) = match known.filter(|before| knows_all(before, &events)) {
            Some(before) => (Arc::clone(before), None),
            None => {
                let (recording, file) = read_recording(&self.path, reader, portion.with_files)?;
                (Arc::new(recording), file)
            }
        };
        if (events.pid, events.birth) != (recording.pid, recording.birth) {
            // Its events are of another process.
            return None;
        }
        Some(New {
            path: self.path.clone(),
            recording,
            file,
            copied,
            events,
        })
    }
}

/// A recording, with its bytes if they are wanted.
fn read_recording(path: &Path, reader: &Reader, with_file: bool) -> Option<(Recording, Option<Vec<u8>>)> {
    let mut buffer = SparseBuffer::default();
    let bytes = reader.read_sparse_into(path, MOST, &mut buffer).ok()?;
    let recording = Recording::read(bytes).ok()?;
    Some((recording, with_file.then(|| bytes.to_vec())))
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

#[cfg(test)]
mod tests;
