//! `hindmost waits`: who waits for whom, from the recordings of a job.

use crate::args::Format;
use crate::failure::Failure;
use crate::output::{self, Status};
use crate::recorder_args::WaitsArgs;
use anyhow::Context as _;
use engine::recorded::{Certainty, Record, Recording, Stage, Verdict, waiting};
use regular_files::Limit;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Between two looks at a job that runs: whoever completes a call in between waits for nobody.
const PAUSE: Duration = Duration::from_millis(100);

/// No recording is larger.
const MOST: Limit = Limit::of(64 << 20);

pub(crate) fn run(args: &WaitsArgs) -> anyhow::Result<Status> {
    let files = files(&args.paths)?;
    let mut first = read(&files)?;
    newest_job(&mut first);
    let alive: Vec<bool> = first.iter().map(|(_, recording)| runs(recording)).collect();
    let job_runs = alive.contains(&true);
    let mut later = BTreeMap::new();
    if job_runs {
        std::thread::sleep(PAUSE);
        later = read(&files)?.into_iter().collect();
    }
    let now = now(&first, job_runs);
    let mut records = Vec::new();
    for ((path, recording), alive) in first.into_iter().zip(alive) {
        let second: Option<Recording> = later.remove(&path);
        let moves = second.as_ref().is_some_and(|second| completed(second) != completed(&recording));
        let recording = second.unwrap_or(recording);
        let has_ended = matches!(recording.stage, Stage::Ended | Stage::Aborted);
        let is_here = recording.host == host();
        records.push(Record {
            is_gone: has_ended || job_runs && is_here && !alive,
            moves,
            now,
            recording,
        });
    }
    let waiting = waiting(&records);
    if waiting.tasks.is_empty() {
        return Err(Failure::new("no task of a job has recorded anything behind MPI_Init").into());
    }
    match args.format {
        Format::Text => output::print(&report::waits_text(&waiting, args.all))?,
        Format::Json => output::print_plain(&report::waits_json(&waiting))?,
    }
    Ok(match waiting.verdict() {
        Verdict::Deadlock(_, Certainty::Probable) => Status::Probable,
        Verdict::Nobody => Status::Undecided,
        _ => Status::Done,
    })
}

/// The recordings that the arguments name, sorted.
fn files(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))?;
        for entry in entries {
            let file = entry.with_context(|| format!("cannot read {}", path.display()))?.path();
            if file.extension().is_some_and(|ending| ending == "recording") {
                files.push(file);
            }
        }
    }
    files.sort();
    if files.is_empty() {
        let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        return Err(Failure::new(format!("there is no recording in {}", names.join(", ")))
            .hint("hindmost run -- mpirun … records a job")
            .into());
    }
    Ok(files)
}

/// All that can be read of them; an error only if none can.
fn read(files: &[PathBuf]) -> anyhow::Result<Vec<(PathBuf, Recording)>> {
    let mut recordings = Vec::new();
    let mut bad = Vec::new();
    for file in files {
        match read_one(file) {
            Ok(recording) => recordings.push((file.clone(), recording)),
            Err(why) => bad.push(format!("{}: {why}", file.display())),
        }
    }
    if recordings.is_empty() {
        return Err(Failure::new(format!("no recording can be read: {}", bad.join("; "))).into());
    }
    for why in bad {
        output::warn(&format!("left out: {why}"));
    }
    Ok(recordings)
}

fn read_one(file: &Path) -> Result<Recording, String> {
    let bytes = regular_files::read(file, MOST).map_err(|error| error.to_string())?;
    Recording::read(&bytes).map_err(|error| error.to_string())
}

/// Leaves the recordings of one job: a directory may hold those of earlier ones.
fn newest_job(recordings: &mut Vec<(PathBuf, Recording)>) {
    let job_of = |recording: &Recording| (recording.job.clone(), recording.world.map(|(_, size)| size));
    let newest = recordings.iter().max_by_key(|(_, recording)| recording.started).map(|(_, recording)| job_of(recording));
    let Some(newest) = newest else {
        return;
    };
    let before = recordings.len();
    recordings.retain(|(_, recording)| recording.world.is_none() || job_of(recording) == newest);
    if recordings.len() < before {
        output::note(&format!("{} recordings of earlier jobs are left out", before - recordings.len()));
    }
}

/// Whether the process of a recording still runs, on this host.
fn runs(recording: &Recording) -> bool {
    let birth = || {
        let stat = regular_files::read_of_kernel(&format!("/proc/{}/stat", recording.pid)).ok()?;
        let stat = String::from_utf8_lossy(&stat).into_owned();
        let behind = stat.rsplit_once(')')?.1;
        let mut fields = behind.split_ascii_whitespace();
        // A zombie does nothing any more.
        let state = fields.next()?;
        let birth: u64 = fields.nth(18)?.parse().ok()?;
        (!matches!(state, "Z" | "X")).then_some(birth)
    };
    recording.host == host() && birth() == Some(recording.birth)
}

fn host() -> String {
    let name = regular_files::read_of_kernel("/proc/sys/kernel/hostname").unwrap_or_default();
    String::from_utf8_lossy(&name).trim().to_owned()
}

/// Calls that the threads of a task have completed.
fn completed(recording: &Recording) -> Vec<(u32, u64)> {
    recording.threads.iter().map(|thread| (thread.tid, thread.completed)).collect()
}

/// The clock of this host while the job runs here; else when the last was heard of it.
fn now(recordings: &[(PathBuf, Recording)], runs: bool) -> u64 {
    if runs {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        return time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64;
    }
    let heard = |recording: &Recording| {
        let threads = recording.threads.iter();
        threads.map(|thread| thread.call.as_ref().map_or(thread.last, |call| call.since.max(thread.last))).max()
    };
    recordings.iter().filter_map(|(_, recording)| heard(recording)).max().unwrap_or(0)
}
