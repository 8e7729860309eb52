//! Which tasks a job has: those below a launcher, those that a process table names, and on which hosts they run.

use crate::failure::Failure;
use crate::files::read_text;
use engine::TaskSet;
use runtime_probe::{Job, ProbeError, ProcessTable};
use snapshot::Task;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The job below a launcher, or of a single process.
///
/// # Errors
/// There is no such process, or none of its job.
pub fn job_of(pid: u32) -> Result<Job, Failure> {
    runtime_probe::discover(pid).map_err(|error| {
        let failure = Failure::new(error.to_string());
        match error {
            ProbeError::NoProcess { .. } => {
                failure.hint("it may have ended; `pgrep -a mpirun` lists launchers")
            }
            ProbeError::NoRanks { .. }
            | ProbeError::NoJob
            | ProbeError::NoDaemon { .. }
            | ProbeError::SeveralJobs { .. }
            | ProbeError::Proc { .. } => failure,
        }
    })
}

/// The job below a launcher.
///
/// # Errors
/// As of [`job_of`]; and the process is no launcher.
pub fn job_below(launcher: u32) -> Result<Job, Failure> {
    let job = job_of(launcher)?;
    if let [only] = &job.tasks[..]
        && only.pid == launcher
        && only.rank.is_none()
    {
        return Err(Failure::new(format!(
            "pid {launcher} ({}) is no launcher: there is no rank below it",
            only.executable
        ))
        .hint("give the pid of mpirun, mpiexec or srun; or the pids of the tasks, without --launcher"));
    }
    Ok(job)
}

/// The job that a process table is of: its tasks on this host, and where the others are.
///
/// # Errors
/// It cannot be read, or names no task.
pub fn job_of_table(path: &Path) -> Result<Job, Failure> {
    let table = read_table(path)?;
    if table.entries.is_empty() {
        return Err(Failure::new(format!("{}: no task in it", path.display())));
    }
    Ok(Job::of_table(&table))
}

/// The ranks on each host that a process table names.
///
/// # Errors
/// It cannot be read.
pub fn hosts_in_table(path: &Path) -> Result<Vec<(String, TaskSet)>, Failure> {
    let mut by_host: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for entry in read_table(path)?.entries {
        by_host.entry(entry.host).or_default().push(entry.rank);
    }
    let by_host = by_host.into_iter();
    Ok(by_host
        .map(|(host, ranks)| (host, ranks.into_iter().collect()))
        .collect())
}

/// The ranks on a host.
///
/// # Errors
/// The table cannot be read, or does not name the host.
pub fn tasks_on_host(host: &str, table: &Path) -> Result<TaskSet, Failure> {
    let hosts = hosts_in_table(table)?;
    match hosts.iter().find(|(name, _)| name == host) {
        Some((_, tasks)) => Ok(tasks.clone()),
        None => {
            let names: Vec<&str> = hosts.iter().map(|(name, _)| name.as_str()).collect();
            Err(Failure::new(format!("{}: no task on '{host}'", table.display()))
                .hint(format!("its hosts are: {}", names.join(", "))))
        }
    }
}

fn read_table(path: &Path) -> Result<ProcessTable, Failure> {
    ProcessTable::parse(&read_text(path)?)
        .map_err(|error| Failure::new(format!("{}: {error}", path.display())))
}

/// Of which tasks a system call may have ended early because they were stopped: nobody is to look for the cause elsewhere.
pub fn interrupted_calls(records: &[Task]) -> impl Iterator<Item = String> {
    records.iter().filter_map(|record| {
        let threads = record.threads.iter().flat_map(|thread| &thread.told);
        let calls: BTreeSet<&str> = record.told.iter().chain(threads).map(String::as_str).collect();
        (!calls.is_empty()).then(|| {
            format!(
                "task {}: the stop may have ended a system call early, which the program can see (EINTR, or a short count): {}",
                record.task,
                Vec::from_iter(calls).join(", ")
            )
        })
    })
}
