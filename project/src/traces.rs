//! The traces of a job: which files they are, and what their functions are called.

mod pack;
mod plain;
mod threads;

pub use pack::{PackedTraces, TracePacker, Writers};

use crate::failure::Failure;
use crate::listener::Listener;
use crate::mapped::MappedFiles;
use engine::traces::{Process, Task, ThreadFiles};
use regular_files::{Limit, Reader};
use runtime_probe::recordings::directories_of;
use runtime_probe::{Job, TaskRef};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What the names of the files of processes end in, and those of threads.
pub(crate) const PROCESS: &str = "task";
const TRACE: &str = "trace";
/// Those of what says when things happened.
const STAMPS: &str = "stamps";
/// What these names are followed by where blocks were packed.
const PACKED: &str = "-packed";
/// And lists of functions that could not be rewritten.
const LEFT: &str = "left";

/// What a line about a whole file ends with in such a list.
const LEFT_ALONE: &str = "functions were left as they were";
/// A line for each function.
const OF_LIST: Limit = Limit::of(64 << 20);

/// The traces in these directories.
///
/// # Errors
/// There are none, or none that can be read.
pub fn traces(directories: &[PathBuf], listener: &dyn Listener) -> Result<Vec<Process>, Failure> {
    read(directories, &Reader::default(), listener)
}

/// The traces of a job that runs here, those included of tasks that have ended: the files are where its tasks have them mapped. Nothing is found if it is not traced.
#[must_use]
pub fn traces_of_job(job: &Job, mapped: &MappedFiles, listener: &dyn Listener) -> Vec<Process> {
    let directories = directories_of(&mapped.traces);
    if directories.is_empty() {
        return Vec::new();
    }
    let reader = Reader::of(job.tasks.iter().filter_map(TaskRef::user));
    let found = read(&directories, &reader, listener);
    found.unwrap_or_else(|failure| {
        listener.warn(&format!("the traces of its tasks are left out: {failure}"));
        Vec::new()
    })
}

fn read(directories: &[PathBuf], reader: &Reader, listener: &dyn Listener) -> Result<Vec<Process>, Failure> {
    let mut found = Vec::new();
    for directory in directories {
        of_directory(directory, reader, listener, &mut found)?;
    }
    // A directory may hold earlier jobs: the one that began last is meant.
    let newest = found.iter().max_by_key(|(task, _)| task.started);
    let job = newest.map(|(task, _)| task.job.clone()).unwrap_or_default();
    let before = found.len();
    found.retain(|(task, _)| task.job == job);
    if found.len() < before {
        let left = before - found.len();
        listener.warn(&format!("{left} traced processes of other jobs are left out"));
    }
    if found.is_empty() {
        let names = Vec::from_iter(directories.iter().map(|path| path.display().to_string()));
        return Err(Failure::new(format!("there is no trace in {}", names.join(", "))).hint(
            "hindmost run --trace DIR -- mpirun … traces programs that were compiled with -finstrument-functions, or as docs/traces.md says; others with --rewrite PROGRAM",
        ));
    }
    let mut names = Names::default();
    Ok(found
        .into_iter()
        .map(|(task, threads)| Process {
            names: names.of(&task, listener),
            task,
            threads,
        })
        .collect())
}

type Found = (Task, Vec<ThreadFiles>);

fn of_directory(
    directory: &Path,
    reader: &Reader,
    listener: &dyn Listener,
    found: &mut Vec<Found>,
) -> Result<(), Failure> {
    let cannot = |error| Failure::new(format!("cannot read {}: {error}", directory.display()));
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(directory).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        if let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned) {
            files.insert((path.extension().map(ToOwned::to_owned), stem), path);
        }
    }
    let of_kind = |kind: &'static str| {
        let files = files.iter();
        files.filter(move |((extension, _), _)| extension.as_deref() == Some(kind.as_ref()))
    };
    let mut threads = threads::threads(files.values().map(PathBuf::as_path));
    let mut told = BTreeSet::new();
    for (_, path) in of_kind(LEFT) {
        let Ok(list) = reader.read(path, OF_LIST) else {
            continue;
        };
        let list = String::from_utf8_lossy(&list);
        // All ranks of a job run the same files: what is said of them is said once.
        for line in list.lines().filter(|line| line.ends_with(LEFT_ALONE)) {
            if !line.contains(": 0 of ") && told.insert(line.to_owned()) {
                listener.warn(&format!("{line}; {} says which and why", path.display()));
            }
        }
    }
    for ((_, stem), path) in of_kind(PROCESS) {
        let file = reader.open(path);
        let bytes = file
            .and_then(|file| plain::process(&file))
            .map_err(|error| error.to_string());
        let task = bytes.and_then(|bytes| Task::read(&bytes).map_err(|error| error.to_string()));
        match task {
            Ok(task) => {
                let numbers = threads.remove(stem.as_str()).unwrap_or_default().into_iter();
                let read = numbers
                    .map(|number| threads::read(directory, stem, number, task.started, reader, listener));
                let read = Vec::from_iter(read);
                found.push((task, read));
            }
            Err(why) => listener.warn(&format!("left out: {}: {why}", path.display())),
        }
    }
    Ok(())
}

/// Names that were looked up: all ranks of a job run the same files.
#[derive(Default)]
struct Names {
    known: BTreeMap<(String, Vec<u8>), BTreeMap<u64, Option<String>>>,
    unread: BTreeSet<String>,
}

impl Names {
    fn of(&mut self, task: &Task, listener: &dyn Listener) -> Vec<Option<String>> {
        for (number, module) in task.modules.iter().enumerate() {
            let known = self
                .known
                .entry((module.path.clone(), module.build_id.clone()))
                .or_default();
            let places = task.functions.iter().flatten();
            let own = places.filter(|place| place.module == Some(number));
            let wanted = Vec::from_iter(
                own.map(|place| place.address)
                    .filter(|address| !known.contains_key(address)),
            );
            if wanted.is_empty() || self.unread.contains(&module.path) {
                continue;
            }
            match runtime_probe::names_of_functions(Path::new(&module.path), &module.build_id, &wanted) {
                Ok(names) => known.extend(wanted.into_iter().zip(names)),
                Err(why) => {
                    listener.warn(&format!("functions are shown by address: {why}"));
                    self.unread.insert(module.path.clone());
                }
            }
        }
        let places = task.functions.iter().map(|place| {
            let place = (*place)?;
            let module = task.modules.get(place.module?)?;
            let known = self.known.get(&(module.path.clone(), module.build_id.clone()))?;
            known.get(&place.address).cloned().flatten()
        });
        places.collect()
    }
}
