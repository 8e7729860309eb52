//! The recordings of a job: which files they are, and what is known of their processes.

use crate::failure::Failure;
use crate::listener::Listener;
use crate::mapped::MappedFiles;
use crate::recorded_elsewhere::{RecordedElsewhere, Told};
use engine::recorded::{self, Record, Recording, Stage, Waiting};
use engine::timeline::{Events, Source, last_events, since_epoch};
use rayon::prelude::*;
use regular_files::{Limit, Reader, SparseBuffer};
pub(crate) use runtime_probe::own_host as host;
pub(crate) use runtime_probe::recordings::{EXTENSION, state_of as state};
use runtime_probe::recordings::{PAUSE, completed, directories_of, monotonic, threads_of};
use runtime_probe::rings::last_beside;
use runtime_probe::{Job, TaskRef};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How many events of all tasks are looked at for what they did last: sorting so many takes some hundredths of a second.
const EVENTS: u64 = 1 << 18;

/// How many events of a task are looked at, however many tasks there are.
const LEAST_EVENTS: u64 = 64;

/// No recording is larger. Most of one is room that was never used.
const MOST: Limit = Limit::of(64 << 20);

/// How many of the last events of each of so many tasks are looked at.
#[must_use]
pub fn last_of_each(tasks: usize) -> u64 {
    EVENTS.checked_div(tasks as u64).unwrap_or(0).max(LEAST_EVENTS)
}

/// Who waits for whom; nothing if no task has recorded anything.
pub fn waiting(records: &[Record]) -> Option<Waiting> {
    (!records.is_empty()).then(|| recorded::waiting(records))
}

/// What the tasks of a job had recorded when it was first looked at. Until it is looked at again there is time for something else.
pub struct FirstLook {
    recordings: Vec<(PathBuf, Recording)>,
    reader: Reader,
    /// When the last of the files had been read.
    at: Instant,
    /// How many events of each are read the next time.
    events: u64,
    /// What tasks on other hosts have recorded.
    elsewhere: Vec<Told>,
}

impl FirstLook {
    /// The first look at directories of recordings, and recordings: of several jobs at those of the one that began last.
    ///
    /// # Errors
    /// There is no recording, or none that can be read.
    pub fn of_paths(paths: &[PathBuf], listener: &dyn Listener) -> Result<FirstLook, Failure> {
        let mut first = read(&files(paths)?, &Reader::default(), listener)?;
        // What a job spawns begins later than itself.
        let begun = |found: &&(PathBuf, Recording)| (found.1.spawned.is_none(), found.1.started);
        if let Some(newest) = first
            .iter()
            .max_by_key(begun)
            .map(|(_, recording)| job_of(recording))
        {
            of_one_job(&mut first, &newest, listener);
        }
        Ok(FirstLook::new(first, Reader::default()))
    }

    /// The first look at what the tasks of a job that runs here have recorded, those included that have ended: the files are where its tasks have them mapped. Nothing
    /// is found if it is not recorded.
    #[must_use]
    pub fn of_job(job: &Job, mapped: &MappedFiles, listener: &dyn Listener) -> FirstLook {
        let reader = Reader::of(job.tasks.iter().filter_map(TaskRef::user));
        let mapped = &mapped.recordings;
        if mapped.is_empty() {
            return FirstLook::new(Vec::new(), reader);
        }
        let found = files(&directories_of(mapped)).and_then(|files| read(&files, &reader, listener));
        let mut first = found.unwrap_or_else(|failure| {
            listener.warn(&format!("what its tasks have recorded is left out: {failure}"));
            Vec::new()
        });
        let own = first.iter().find(|(path, _)| mapped.contains(path));
        match own.map(|(_, recording)| job_of(recording)) {
            Some(own) => of_one_job(&mut first, &own, listener),
            None => first.clear(),
        }
        FirstLook::new(first, reader)
    }

    /// Nothing on this host.
    #[must_use]
    pub fn of_nothing() -> FirstLook {
        FirstLook::new(Vec::new(), Reader::default())
    }

    fn new(recordings: Vec<(PathBuf, Recording)>, reader: Reader) -> FirstLook {
        FirstLook {
            recordings,
            reader,
            at: Instant::now(),
            events: 0,
            elsewhere: Vec::new(),
        }
    }

    /// The same, with what tasks of the job on other hosts have recorded: those hosts were looked at after this one, and asked for it before this one is looked at again.
    #[must_use]
    pub fn beside(mut self, elsewhere: RecordedElsewhere) -> FirstLook {
        let of_others = elsewhere
            .records
            .first()
            .map(|told| job_of(&told.record.recording));
        let own = self.recordings.first().map(|(_, recording)| job_of(recording));
        let job = own.or(of_others);
        let is_its = |told: &Told| Some(job_of(&told.record.recording)) == job;
        self.elsewhere = elsewhere.records;
        self.elsewhere.retain(is_its);
        self
    }

    /// What was read, with its files.
    pub(crate) fn into_recordings(self) -> Vec<(PathBuf, Recording)> {
        self.recordings
    }

    /// The recordings as they are a moment after the first look, if their job runs, with what became of them in between.
    #[must_use]
    pub fn again(self) -> Vec<Record> {
        self.look_again().records
    }

    /// The same, and who waits for whom by them, with the last events of each task where these are recorded.
    #[must_use]
    pub fn with_waiting(mut self) -> (Vec<Record>, Option<Waiting>) {
        self.events = last_of_each(self.recordings.len() + self.elsewhere.len());
        let SecondLook {
            records,
            events,
            runs,
        } = self.look_again();
        let Some(mut waiting) = waiting(&records) else {
            return (records, None);
        };
        let sources = records.iter().zip(&events).filter_map(|(record, events)| {
            let (recording, events) = (&record.recording, events.as_ref()?);
            let is_its = (events.pid, events.birth) == (recording.pid, recording.birth);
            is_its.then_some(Source { recording, events })
        });
        let sources = Vec::from_iter(sources);
        if !sources.is_empty() {
            let here = records.iter().filter(|record| record.recording.host == host());
            let here = here
                .map(|record| since_epoch(&record.recording, record.now))
                .max();
            let there = records
                .iter()
                .map(|record| since_epoch(&record.recording, record.now));
            // By our own clock, if there is a task here.
            let now = here.or(there.max()).filter(|_| runs);
            waiting.last_events = Some(last_events(&sources, now));
        }
        (records, Some(waiting))
    }

    /// Who waits for whom; nothing if no task has recorded anything.
    #[must_use]
    pub fn waiting(self) -> Option<Waiting> {
        self.with_waiting().1
    }

    fn look_again(self) -> SecondLook {
        let first = self.recordings;
        let alive: Vec<bool> = first.iter().map(|(_, recording)| runs(recording)).collect();
        let job_runs = alive.contains(&true);
        let reader = &self.reader;
        if job_runs {
            std::thread::sleep(PAUSE.saturating_sub(self.at.elapsed()));
        }
        let now = now(&first, job_runs);
        let mut events = Vec::new();
        if self.events > 0 {
            // Before the recordings, which then know all that the events name.
            let last =
                |(path, _): &(PathBuf, Recording)| last_beside(path, reader, self.events)?.events().ok();
            first.par_iter().map(last).collect_into_vec(&mut events);
        }
        let mut later: Vec<Option<Recording>> = Vec::new();
        if job_runs {
            first
                .par_iter()
                .map_init(SparseBuffer::default, |buffer, (path, _)| {
                    read_into(path, reader, buffer).ok()
                })
                .collect_into_vec(&mut later);
        }
        later.resize_with(first.len(), || None);
        let both = first.into_iter().zip(later).zip(alive.iter().copied());
        let records = both.map(|(((_, recording), second), alive)| {
            let moves = second
                .as_ref()
                .is_some_and(|second| completed(second) != completed(&recording));
            let recording = second.unwrap_or(recording);
            // Whoever is in MPI_Finalize waits for others perhaps, and does nothing for them any more.
            let has_ended = recording.stage >= Stage::Ending;
            let is_here = recording.host == host();
            Record {
                is_gone: has_ended || job_runs && is_here && !alive,
                moves,
                threads: (is_here && alive).then(|| threads_of(recording.pid)).flatten(),
                now,
                recording,
            }
        });
        events.resize_with(alive.len(), || None);
        let rank = |record: &Record| record.recording.world.map(|(rank, _)| rank);
        let elsewhere = BTreeSet::from_iter(self.elsewhere.iter().filter_map(|told| rank(&told.record)));
        // Where hosts share a directory the file of a task is here, too, and what is known of its process is not.
        let is_told_elsewhere = |record: &Record| {
            let is_of_rank = rank(record).is_some_and(|rank| elsewhere.contains(&rank));
            is_of_rank && record.recording.host != host()
        };
        let own = records
            .zip(events)
            .filter(|(record, _)| !is_told_elsewhere(record));
        let runs_elsewhere = self.elsewhere.iter().any(|told| !told.record.is_gone);
        let elsewhere = self.elsewhere.into_iter();
        let elsewhere = elsewhere.map(|told| (told.record, told.events));
        let (records, events) = own.chain(elsewhere).unzip();
        SecondLook {
            records,
            events,
            runs: job_runs || runs_elsewhere,
        }
    }
}

/// What a second look has shown.
struct SecondLook {
    records: Vec<Record>,
    /// The last events of each, where they were asked for.
    events: Vec<Option<Events>>,
    /// The job runs, here or elsewhere.
    runs: bool,
}

/// Recordings that a user names: directories and files as they are, and for the number of a process where what its job records is.
///
/// # Errors
/// No such process is here, or its job is not recorded.
pub fn recordings_named(names: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut paths = Vec::new();
    for name in names {
        let pid = name.to_str().and_then(|name| name.parse::<u32>().ok());
        let Some(pid) = pid.filter(|_| !name.exists()) else {
            paths.push(name.clone());
            continue;
        };
        let directories = directories_of(&MappedFiles::of(&crate::jobs::job_of(pid)?).recordings);
        if directories.is_empty() {
            return Err(Failure::new(format!("the job of process {pid} is not recorded"))
                .hint("hindmost run --events -- mpirun … starts one that is"));
        }
        paths.extend(directories);
    }
    Ok(paths)
}

/// The recordings that the arguments name, sorted.
pub(crate) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).map_err(|error| cannot(path, &error))?;
        for entry in entries {
            let file = entry.map_err(|error| cannot(path, &error))?.path();
            if file.extension().is_some_and(|ending| ending == EXTENSION) {
                files.push(file);
            }
        }
    }
    files.sort();
    if files.is_empty() {
        let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        return Err(
            Failure::new(format!("there is no recording in {}", names.join(", ")))
                .hint("hindmost run -- mpirun … records a job, unless the program has MPI in itself (linked with its static library)"),
        );
    }
    Ok(files)
}

fn cannot(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot read {}: {error}", path.display()))
}

/// All that can be read of them; an error only if none can.
fn read(
    files: &[PathBuf],
    reader: &Reader,
    listener: &dyn Listener,
) -> Result<Vec<(PathBuf, Recording)>, Failure> {
    let mut recordings = Vec::new();
    let mut bad = Vec::new();
    let read: Vec<_> = files
        .par_iter()
        .map_init(SparseBuffer::default, |buffer, file| {
            read_into(file, reader, buffer)
        })
        .collect();
    for (file, read) in files.iter().zip(read) {
        match read {
            Ok(recording) => recordings.push((file.clone(), recording)),
            Err(why) => bad.push(format!("{}: {why}", file.display())),
        }
    }
    if recordings.is_empty() {
        return Err(Failure::new(format!(
            "no recording can be read: {}",
            bad.join("; ")
        )));
    }
    for why in bad {
        listener.warn(&format!("left out: {why}"));
    }
    Ok(recordings)
}

pub(crate) fn read_one(file: &Path, reader: &Reader) -> Result<Recording, String> {
    read_into(file, reader, &mut SparseBuffer::default())
}

fn read_into(file: &Path, reader: &Reader, buffer: &mut SparseBuffer) -> Result<Recording, String> {
    let bytes = reader
        .read_sparse_into(file, MOST, buffer)
        .map_err(|error| error.to_string())?;
    Recording::read(bytes).map_err(|error| error.to_string())
}

/// Which job a recording is of, as its task knows it: its name, its size, and the number of its world if that was spawned. Ranks of two worlds have the same numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JobKey {
    pub(crate) name: String,
    pub(crate) size: Option<u32>,
    pub(crate) spawned: Option<u64>,
}

impl JobKey {
    /// Whether a recording is of this job, whose size a task does not know before MPI_Init.
    pub(crate) fn has(&self, recording: &Recording) -> bool {
        (&self.name, self.spawned) == (&recording.job, recording.spawned)
    }
}

pub(crate) fn job_of(recording: &Recording) -> JobKey {
    JobKey {
        name: recording.job.clone(),
        size: recording.world.map(|(_, size)| size),
        spawned: recording.spawned,
    }
}

/// Leaves the recordings of one job: a directory may hold those of others.
fn of_one_job(recordings: &mut Vec<(PathBuf, Recording)>, job: &JobKey, listener: &dyn Listener) {
    let is_other = |recording: &Recording| recording.world.is_some() && job_of(recording) != *job;
    let others = recordings.iter().filter(|(_, recording)| is_other(recording));
    let of_a_world = |recording: &Recording| recording.job == job.name && recording.spawned != job.spawned;
    let (worlds, jobs): (Vec<_>, Vec<_>) = others.partition(|(_, recording)| of_a_world(recording));
    if !jobs.is_empty() {
        listener.warn(&format!("{} recordings of other jobs are left out", jobs.len()));
    }
    if let Some((file, _)) = worlds.first() {
        listener.warn(&format!(
            "{} recordings of another MPI_COMM_WORLD of the job, by MPI_Comm_spawn, are left out: hindmost waits with the names of these files tells about them ({} is one)",
            worlds.len(),
            file.display()
        ));
    }
    recordings.retain(|(_, recording)| !is_other(recording));
}

/// Whether the process of a recording still runs, on this host.
pub(crate) fn runs(recording: &Recording) -> bool {
    state(recording).is_some()
}

/// The clock of this host while the job runs here; else when the last was heard of it.
fn now(recordings: &[(PathBuf, Recording)], runs: bool) -> u64 {
    if runs {
        return monotonic();
    }
    let heard = |recording: &Recording| {
        let threads = recording.threads.iter();
        threads
            .map(|thread| {
                thread
                    .call
                    .as_ref()
                    .map_or(thread.last, |call| call.since.max(thread.last))
            })
            .max()
    };
    recordings
        .iter()
        .filter_map(|(_, recording)| heard(recording))
        .max()
        .unwrap_or(0)
}
