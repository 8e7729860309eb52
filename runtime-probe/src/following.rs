//! What the tasks of this host write to their rings of events while they run, for who follows the job from another host.

use crate::proctable::own_host;
use crate::recordings::{MOST, directories_of, mapped_by, monotonic, recordings_in, state_of};
use crate::rings::{New, Portion, Rings};
use crate::tasks::{Job, TaskRef};
use nodes::{MOST_EVENTS_OF_NODE, MOST_ROWS, NodeRecordings, RingPart, TaskRecording};
use recording::Recording;
use recording::ring::Copied;
use regular_files::{Reader, SparseBuffer};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// However many tasks there are, so many events of each are sent at once.
const LEAST_EVENTS: usize = 64;

/// As long as no task records, that is looked for so often: all that they have mapped is read for it.
const AGAIN: Duration = Duration::from_millis(500);

/// A job whose tasks are followed, as far as it is known where they record.
#[derive(Debug, Default)]
pub(crate) struct Following {
    rings: Rings,
    /// Where its tasks have their recordings; of those that have ended, too.
    directories: Vec<PathBuf>,
    /// The jobs that they say they are of. A directory may be of several.
    jobs: BTreeSet<(String, Option<u64>)>,
    /// When that was looked for.
    looked: Option<Instant>,
    /// Whether a task ran when that was last told.
    told: BTreeMap<PathBuf, bool>,
}

impl Following {
    /// What is new since this was asked last.
    pub(crate) fn events(&mut self, job: &Job) -> NodeRecordings {
        let is_time = self.looked.is_none_or(|looked| looked.elapsed() > AGAIN);
        if self.jobs.is_empty() && is_time {
            // Its ranks may only be starting.
            self.find(job);
            self.looked = Some(Instant::now());
        }
        // Asked before anything is read: what a task wrote at its end is still seen.
        let known = self.rings.recordings();
        let alive = known.map(|(path, recording)| (path.to_owned(), state_of(recording).is_some()));
        let alive = BTreeMap::from_iter(alive);
        let mut all = NodeRecordings::default();
        let mut changed = BTreeSet::from_iter(
            alive
                .iter()
                .filter(|(path, is_alive)| self.told.get(*path) != Some(is_alive))
                .map(|(path, _)| path.clone()),
        );
        for new in self.read() {
            // One that is seen for the first time has perhaps ended since its ring was read.
            let is_alive = new.copied.is_cut() || alive.get(&new.path).is_none_or(|&is_alive| is_alive);
            let sent = TaskRecording {
                is_alive,
                now: monotonic(),
                file: new.file.as_deref().unwrap_or_default().into(),
                events: Some(part_of(&new.copied)),
                ..TaskRecording::default()
            };
            if all.add(&sent) {
                changed.remove(&new.path);
                self.told.insert(new.path, is_alive);
            } else {
                self.rings.put_back(&new);
            }
        }
        for path in changed {
            let is_alive = alive.get(&path).is_some_and(|&is_alive| is_alive);
            let Some(copied) = self.rings.without_events(&path) else {
                continue;
            };
            let sent = TaskRecording {
                is_alive,
                now: monotonic(),
                events: Some(part_of(&copied)),
                ..TaskRecording::default()
            };
            if all.add(&sent) {
                self.told.insert(path, is_alive);
            }
        }
        all
    }

    /// What is new in the rings of this host's tasks.
    fn read(&mut self) -> Vec<New> {
        let files = recordings_in(&self.directories);
        let portion = Portion {
            events: (MOST_EVENTS_OF_NODE / files.len().max(1)).clamp(LEAST_EVENTS, MOST_ROWS - 1) as u64,
            with_files: true,
        };
        let (jobs, host) = (&self.jobs, own_host());
        // A directory may be of several hosts, and each tells of its own.
        let is_own = |recording: &Recording| {
            recording.host == host && jobs.contains(&(recording.job.clone(), recording.spawned))
        };
        self.rings.read(files, portion, is_own)
    }

    /// Finds out where the tasks record, and what for.
    fn find(&mut self, job: &Job) {
        let reader = Reader::of(job.tasks.iter().filter_map(TaskRef::user));
        let mapped = mapped_by(job);
        let mut buffer = SparseBuffer::default();
        let mut job_of = |file: &Path| {
            let bytes = reader.read_sparse_into(file, MOST, &mut buffer).ok()?;
            let recording = Recording::read(bytes).ok()?;
            Some((recording.job, recording.spawned))
        };
        self.jobs = mapped.iter().filter_map(|file| job_of(file)).collect();
        self.directories = directories_of(&mapped);
        self.rings = Rings::new(reader);
    }
}

/// A part of a ring as it is sent.
pub(crate) fn part_of(copied: &Copied) -> RingPart<'_> {
    RingPart {
        from: copied.from,
        rows: (&copied.bytes[..]).into(),
    }
}
