//! What the tasks of this host record of their calls of MPI (`recording`), for who asks from another host.
//!
//! The files are where the tasks have them mapped, and beside them are those of tasks that have ended. They are looked at twice: with the stacks, and when they are asked for. Whoever completes no call in between
//! holds still all that is read of it; since they are asked for once all hosts have looked, one moment lies between both looks of every host, and what is read of all of them held at that moment.

use crate::following::part_of;
use crate::procfs;
use crate::proctable::own_host;
use crate::rings::last_beside;
use crate::tasks::{Job, TaskRef};
use nodes::{LARGEST_FILE, MOST_ROWS, TaskRecording};
pub use nodes::{NodeRecordings, RingPart};
use recording::Recording;
use regular_files::{Limit, Reader, SparseBuffer};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What the names of recordings end in, behind a dot.
pub const EXTENSION: &str = "recording";

/// From the first look at what tasks record to the second: whoever completes a call in between waits for nobody. It is no part of what is proven: of those whose
/// counts are the same in both looks, all that is read held together at the moment between the two, however short. It is for those who compute: one that comes to its
/// next call within this time is seen to go on, and nobody is said to wait for it. What else is done meanwhile, looking at stacks, counts.
pub const PAUSE: Duration = Duration::from_millis(100);

/// No recording is larger. Most of one is room that was never used.
pub(crate) const MOST: Limit = Limit::of(LARGEST_FILE as u64);

/// Calls that the threads of a task have completed.
pub fn completed(recording: &Recording) -> Vec<(u32, u64)> {
    let threads = recording.threads.iter();
    threads.map(|thread| (thread.tid, thread.completed)).collect()
}

/// The threads of a process that runs on this host; `None` if they cannot be told.
pub fn threads_of(pid: u32) -> Option<Vec<u32>> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let number = |entry: std::fs::DirEntry| entry.file_name().to_str()?.parse().ok();
    threads.map(|entry| number(entry.ok()?)).collect()
}

/// The state of the process of a recording as the kernel tells it, a letter, if it runs on this host; a zombie does nothing any more.
pub fn state_of(recording: &Recording) -> Option<char> {
    if recording.host != own_host() {
        return None;
    }
    let stat = procfs::text(&format!("/proc/{}/stat", recording.pid)).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    let birth: u64 = fields.nth(18)?.parse().ok()?;
    (!matches!(state, 'Z' | 'X') && birth == recording.birth).then_some(state)
}

/// The monotonic clock of this host, in nanoseconds.
pub fn monotonic() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The recordings that the tasks of a job have mapped.
pub(crate) fn mapped_by(job: &Job) -> BTreeSet<PathBuf> {
    let mapped = job.tasks.iter().filter_map(|task| {
        let [file] = task.mapped_files([EXTENSION]);
        file
    });
    mapped.collect()
}

/// The directories that files are in.
#[must_use]
pub fn directories_of(files: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let directories: BTreeSet<_> = files.iter().filter_map(|file| file.parent()).collect();
    Vec::from_iter(directories.into_iter().map(ToOwned::to_owned))
}

/// The recordings in these directories, as far as they can be read.
pub(crate) fn recordings_in(directories: &[PathBuf]) -> Vec<PathBuf> {
    let entries = directories
        .iter()
        .filter_map(|directory| std::fs::read_dir(directory).ok());
    let files = entries.flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let files = files.filter(|file| file.extension().is_some_and(|ending| ending == EXTENSION));
    files.collect()
}

/// The recordings of the tasks of a job, as they were when they were first looked at.
#[derive(Debug)]
pub(crate) struct FirstSight {
    files: Vec<Sighted>,
    left_out: u64,
    /// So many of the last events of each go with it.
    events: u64,
    reader: Reader,
    at: Instant,
}

#[derive(Debug)]
struct Sighted {
    path: PathBuf,
    completed: Vec<(u32, u64)>,
}

impl FirstSight {
    /// Those of the tasks that run here, and of those of their job that have ended here. Nothing is found if the job is not recorded.
    pub(crate) fn of(job: &Job, events: u64) -> Self {
        let mut sight = FirstSight {
            files: Vec::new(),
            left_out: 0,
            events: events.min(MOST_ROWS as u64 - 1),
            reader: Reader::of(job.tasks.iter().filter_map(TaskRef::user)),
            at: Instant::now(),
        };
        let mapped = mapped_by(job);
        let mut files = recordings_in(&directories_of(&mapped));
        files.sort();
        let (mut buffer, host) = (SparseBuffer::default(), own_host());
        let mut read = Vec::new();
        for path in files {
            match sight.read(&path, &mut buffer) {
                // A directory may be of several hosts, and each tells of its own.
                Some((_, recording)) if recording.host == host => read.push((path, recording)),
                Some(_) => {}
                None => sight.left_out += u64::from(mapped.contains(&path)),
            }
        }
        // It may be of several jobs, too.
        let job_of = |recording: &Recording| (recording.job.clone(), recording.spawned);
        let own = read.iter().filter(|(path, _)| mapped.contains(path));
        let own = BTreeSet::from_iter(own.map(|(_, recording)| job_of(recording)));
        let own = read
            .into_iter()
            .filter(|(_, recording)| own.contains(&job_of(recording)));
        let sighted = own.map(|(path, recording)| Sighted {
            path,
            completed: completed(&recording),
        });
        sight.files = sighted.collect();
        sight
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.files.len()
    }

    /// The same as they are now, a moment later.
    pub(crate) fn again(&self) -> NodeRecordings {
        std::thread::sleep(PAUSE.saturating_sub(self.at.elapsed()));
        let mut found = NodeRecordings::default();
        found.leave_out(self.left_out);
        let mut buffer = SparseBuffer::default();
        for Sighted {
            path,
            completed: before,
        } in &self.files
        {
            // Before the recording, which then knows all that they name.
            let last = (self.events > 0)
                .then(|| last_beside(path, &self.reader, self.events))
                .flatten();
            let Some((file, recording)) = self.read(path, &mut buffer) else {
                found.leave_out(1);
                continue;
            };
            let is_alive = state_of(&recording).is_some();
            let mut sent = TaskRecording {
                is_alive,
                moves: completed(&recording) != *before,
                threads: is_alive.then(|| threads_of(recording.pid)).flatten(),
                now: monotonic(),
                file: file.into(),
                events: last.as_ref().map(part_of),
            };
            if !found.add(&sent) && sent.events.take().is_some() {
                // The recording tells more than what its task did last.
                found.take_back(1);
                found.add(&sent);
            }
        }
        found
    }

    fn read<'b>(&self, path: &Path, buffer: &'b mut SparseBuffer) -> Option<(&'b [u8], Recording)> {
        let bytes = self.reader.read_sparse_into(path, MOST, buffer).ok()?;
        let recording = Recording::read(bytes).ok()?;
        Some((bytes, recording))
    }
}
